"""Servers that cut, stall, lie, refuse or send one elsewhere: the same bytes, or one clear line."""

import gzip
import hashlib
import shutil
import ssl
import subprocess
import threading
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from socialbias.errors import UserError
from socialbias.sources import https
from socialbias.sources.fetch import fetch
from socialbias.sources.http import PermanentError, _check_redirect, check_url
from socialbias.sources.request import Timeouts
from tests.reliability import fault

PAGE = b"\n<!DOCTYPE html>\n<html><body>Please log in</body></html>"
CUT = 100_000


def failure(source, places, log):
    with pytest.raises(UserError) as caught:
        fetch(source, places, log.append)
    message = str(caught.value)
    assert "\n" not in message
    assert message.startswith("demo: cannot fetch a.bin")
    return message


def parts(places):
    return [p for p in (places.data / "demo").iterdir() if p.name.endswith(".part")]


def arrived(places, left, body):
    """The right bytes are there, and nothing else."""
    assert left(places.data / "demo") == ["a.bin"]
    return (places.data / "demo/a.bin").read_bytes() == body


@fault("a connection that is cut", "the download goes on with the bytes that are missing")
def test_a_cut_connection_is_taken_up_with_only_what_is_missing(
    site, fault, source, places, log, left, body
):
    url = site.has("/a.bin")
    site.faults = [fault.serving(cut=CUT), fault.serving(cut=CUT)]
    fetch(source(url), places, log.append)
    assert arrived(places, left, body)
    assert site.ranges == ["", f"bytes={CUT}-", f"bytes={2 * CUT}-"]
    assert [asked.sent for asked in site.asked] == [CUT, CUT, len(body) - 2 * CUT]
    assert any("retrying in" in line for line in log)


@fault("a download that failed", "the next run goes on where it stopped")
def test_a_download_that_failed_is_taken_up_by_the_next_run(
    site, fault, source, places, log, left, body
):
    url = site.has("/a.bin")
    site.faults = [fault.serving(cut=CUT)] + [fault.refusing(503)] * 3
    message = failure(source(url), places, log)
    assert "(503)" in message
    assert f"{CUT} bytes were received: run the same command again" in message
    [part] = left(places.data / "demo")
    assert part.startswith("a.bin.")
    assert part.endswith(".part")
    fetch(source(url), places, log.append)
    assert arrived(places, left, body)
    assert site.ranges[-1] == f"bytes={CUT}-"


def test_a_file_of_which_nothing_is_known_is_taken_up_by_its_etag(
    site, fault, unknown, places, log, left, body
):
    url = site.has("/a.bin")
    site.faults = [fault.serving(cut=CUT)]
    manifest = fetch(unknown(url), places, log.append)
    assert arrived(places, left, body)
    assert site.ranges == ["", f"bytes={CUT}-"]
    digest = hashlib.sha256(body).hexdigest()
    assert manifest["files"] == [{"path": "a.bin", "bytes": len(body), "sha256": digest}]


def test_without_etag_date_and_checksum_nothing_is_taken_up(
    site, fault, unknown, places, log, left, body
):
    url = site.has("/a.bin", ETag="")
    site.faults = [fault.serving(cut=CUT)] * 4
    failure(unknown(url), places, log)
    assert left(places.data / "demo") == []
    fetch(unknown(url), places, log.append)
    assert arrived(places, left, body)
    assert site.ranges == [""] * 5


CHANGES = {
    "etag": ({"ETag": '"1"'}, {"ETag": '"2"'}, b""),
    "date": ({"ETag": "", "Last-Modified": "x"}, {"ETag": "", "Last-Modified": "y"}, b""),
    "size": ({"ETag": 'W/"1"', "Last-Modified": "x"},) * 2 + (b"more",),
}


@pytest.mark.parametrize(("before", "after", "more"), CHANGES.values(), ids=CHANGES)
@fault("a file that changed on the server between two attempts", "it is fetched again")
def test_an_upstream_that_changed_between_attempts_is_fetched_anew(
    site, unknown, places, log, left, body, before, after, more
):
    new = body[::-1] + more
    url = site.has("/a.bin", **before)

    def cut_then_change(handler):
        site.has("/a.bin", new, **after)
        handler.site.files["/now"] = (body, before)
        handler.path = "/now"
        handler.serve(cut=CUT)

    site.faults = [cut_then_change]
    fetch(unknown(url), places, log.append)
    assert arrived(places, left, new)
    assert site.ranges == ["", f"bytes={CUT}-", ""]
    assert any("has changed: restarting" in line for line in log)


@fault("a server that cannot send a part", "the whole file is fetched again")
def test_a_server_without_ranges_starts_anew(site, fault, source, places, log, left, body):
    url = site.has("/a.bin")
    site.faults = [fault.serving(cut=CUT, ranges=False), fault.serving(ranges=False)]
    fetch(source(url), places, log.append)
    assert arrived(places, left, body)


@fault(
    "a part of a download that is of another file",
    "the checksum exposes it, and the file is fetched again",
)
def test_a_beginning_of_something_else_is_found_out_and_fetched_anew(
    site, source, places, log, left, body
):
    url = site.has("/a.bin", ETag='"same"')

    def cut_something_else(handler):  # the server lies about its version
        handler.site.files["/else"] = (body[::-1], site.files["/a.bin"][1])
        handler.path = "/else"
        handler.serve(cut=CUT)

    site.faults = [cut_something_else]
    fetch(source(url), places, log.append)
    assert arrived(places, left, body)
    assert site.ranges == ["", f"bytes={CUT}-", ""]
    assert any("again from the beginning" in line for line in log)


def test_a_part_that_is_whole_but_of_unknown_size_is_not_fetched_again(
    site, fault, unknown, places, log, left, body
):
    url = site.has("/a.bin")
    site.faults = [fault.serving(cut=len(body) - 1)] + [fault.refusing(503)] * 3
    failure(unknown(url), places, log)
    [part] = parts(places)
    part.write_bytes(body)
    fetch(unknown(url), places, log.append)
    assert arrived(places, left, body)
    assert site.asked[-1].sent == 0  # the server said that nothing lies behind it


@fault("a part of a download that is longer than the file", "it is thrown away")
def test_a_part_that_is_longer_than_the_file_is_thrown_away(
    site, fault, unknown, places, log, left, body
):
    url = site.has("/a.bin")
    site.faults = [fault.serving(cut=CUT)] + [fault.refusing(503)] * 3
    failure(unknown(url), places, log)
    [part] = parts(places)
    part.write_bytes(body * 2)
    fetch(unknown(url), places, log.append)
    assert arrived(places, left, body)


def waiting(places, seconds):
    """Places that wait so long for a server that stays silent."""
    return replace(places, timeouts=replace(places.timeouts, read=seconds))


@fault("a server that stops sending", "it is given up after a while and asked again")
def test_a_server_that_stops_sending_is_left_and_asked_again(
    site, fault, source, places, log, left, body
):
    url = site.has("/a.bin")
    site.faults = [fault.serving(pause=CUT)]
    fetch(source(url), waiting(places, 1.0), log.append)
    assert arrived(places, left, body)
    assert site.ranges == ["", f"bytes={CUT}-"]
    assert any("stopped sending" in line for line in log)


@fault("a server that sends next to nothing", "it is given up in the end, with one line")
def test_a_server_that_trickles_is_left_in_the_end(site, source, places, log, monkeypatch):
    def trickle(handler):
        handler.send_response(200)
        handler.send_header("Content-Length", "640000")
        handler.end_headers()
        for _ in range(2000):
            handler.send(b"x" * 60)
            if site.go.wait(0.01):
                return

    slow = Timeouts(connect=60, read=60, attempts=2, backoff=0.01, stall=0.1, min_rate=1 << 20)
    site.faults = [trickle, trickle]
    message = failure(source(site.has("/a.bin")), replace(places, timeouts=slow), log)
    assert "only" in message
    assert "bytes in" in message


def test_progress_is_told(site, fault, source, places, log, monkeypatch):
    monkeypatch.setattr(https, "PROGRESS_INTERVAL", 0.0)
    fetch(source(site.has("/a.bin")), places, log.append)
    assert any(" of 0.6 (100%) MB, " in line for line in log)


@fault("a server that does not answer, or is not there", "one line: what was tried, and what to do")
def test_a_server_that_never_answers_and_one_that_is_not_there(site, fault, source, places, log):
    site.faults = [fault.hanging] * 3
    assert "127.0.0.1 stopped sending" in failure(
        source(site.has("/a.bin")), waiting(places, 0.3), log
    )
    assert len(site.asked) == 3
    message = failure(source("http://127.0.0.1:1/a.bin"), places, log)
    assert "no connection to 127.0.0.1: [Errno 111] Connection refused" in message


@pytest.mark.parametrize("status", [500, 502, 503, 429, 408])
@fault("an answer such as 503 or 429", "the server is asked again, later each time")
def test_a_fault_that_may_pass_is_asked_again(site, fault, source, places, log, left, body, status):
    site.faults = [fault.refusing(status)] * 2
    fetch(source(site.has("/a.bin")), places, log.append)
    assert arrived(places, left, body)
    assert len(site.asked) == 3


@pytest.mark.parametrize(
    ("status", "words"), [(404, "no such file"), (403, "refuses access"), (410, "")]
)
@fault("an answer such as 404 or 403", "one line; the server is not asked again")
def test_a_refusal_is_not_asked_again(site, fault, source, places, log, left, status, words):
    url = site.has("/a.bin")
    site.faults = [fault.refusing(status)] * 9
    message = failure(source(url), places, log)
    assert f"({status})" in message
    assert words in message
    assert len(site.asked) == 1
    assert left(places.data / "demo") == []


@fault("one place that refuses a file", "the next place of the list is asked")
def test_one_place_that_refuses_leaves_the_next(site, fault, source, places, log, left, body):
    fetch(source(site.url + "/gone", site.has("/a.bin")), places, log.append)
    assert arrived(places, left, body)


def test_a_server_that_asks_to_wait_is_heard(site, fault, source, places, log, monkeypatch):
    url = site.has("/a.bin")
    site.faults = [fault.refusing(429, Retry_After="1")]
    waits = []
    monkeypatch.setattr(https.time, "sleep", waits.append)
    fetch(source(url), replace(places, timeouts=replace(places.timeouts, max_wait=5)), log.append)
    assert waits == [1.0]


@fault("a server that asks to wait for an hour", "the run does not wait that long; one line")
def test_a_server_that_asks_to_wait_for_an_hour_is_not(site, fault, source, places, log):
    url = site.has("/a.bin")
    site.faults = [fault.refusing(503, Retry_After="3600")]
    assert "asks to wait 3600 s" in failure(source(url), places, log)
    site.faults = [fault.refusing(503, Retry_After="Fri, 31 Dec 2100 23:59:59 GMT")]
    assert "asks to wait" in failure(source(url), places, log)


@pytest.mark.parametrize(
    ("page", "kind"), [(PAGE, "text/plain"), (PAGE, "text/html"), (b"log in", "text/html")]
)
@pytest.mark.parametrize("known", [True, False])
@fault("an HTML page in place of a file", "one line; it is never taken for the file")
def test_an_error_page_with_status_200_is_not_the_file(
    site, source, unknown, places, log, left, page, kind, known
):
    url = site.has("/a.bin", page, Content_Type=kind)
    message = failure((source if known else unknown)(url), places, log)
    assert "a web page instead of the file" in message
    assert left(places.data / "demo") == []


@fault("an HTML page in place of the rest of a file", "what was received is kept")
def test_a_page_in_the_place_of_the_rest_costs_nothing_that_has_come(
    site, fault, source, places, log, left, body
):
    url = site.has("/a.bin")
    page = fault.refusing(200, PAGE, Content_Type="text/html")
    site.faults = [fault.serving(cut=CUT), page]
    assert "web page" in failure(source(url), places, log)
    fetch(source(url), places, log.append)
    assert site.ranges[-1] == f"bytes={CUT}-"
    assert arrived(places, left, body)


def test_a_file_that_is_meant_to_be_a_page_may_be_one(site, unknown, places, log):
    url = site.has("/a.html", PAGE, Content_Type="text/html")
    fetch(unknown(url, name="a.html"), places, log.append)
    assert (places.data / "demo/a.html").read_bytes() == PAGE


def test_a_file_that_the_server_calls_a_page_is_taken_by_its_size(
    site, source, places, log, left, body
):
    fetch(source(site.has("/a.bin", Content_Type="text/html")), places, log.append)
    assert arrived(places, left, body)


def test_an_sgml_file_is_no_page(site, unknown, places, log):
    sgml = b'<!DOCTYPE lewis SYSTEM "lewis.dtd">\n<REUTERS>'
    fetch(unknown(site.has("/a.bin", sgml)), places, log.append)
    assert (places.data / "demo/a.bin").read_bytes() == sgml


@fault("a file with another checksum", "one line; nothing of it is left")
def test_a_wrong_checksum_leaves_nothing(site, source, places, log, left, body):
    message = failure(source(site.has("/a.bin", body[::-1])), places, log)
    assert "sha256" in message
    assert left(places.data / "demo") == []
    assert len(site.asked) == 1


@pytest.mark.parametrize(
    ("size", "chunked", "words"),
    [
        (1_280_000, True, "more than the 640000 bytes"),
        (1_280_000, False, "the server has 1280000 bytes instead of"),
        (639_999, False, "the server has 639999 bytes instead of"),
        (0, False, "the server has 0 bytes instead of"),
    ],
)
@fault("a file that is longer or shorter than it should be", "one line; nothing of it is left")
def test_another_size_than_expected_is_refused(
    site, fault, source, places, log, left, body, size, chunked, words
):
    url = site.has("/a.bin", (body * 2)[:size])
    site.faults = [fault.serving(chunked=chunked)]
    message = failure(source(url), places, log)
    assert words in message
    assert f"demo: cannot fetch a.bin: {url}: " in message
    assert f"save it as {places.data / 'demo/a.bin'}" in message
    assert left(places.data / "demo") == []


def test_an_answer_without_its_length_is_the_file(site, fault, source, places, log, left, body):
    url = site.has("/a.bin")
    site.faults = [fault.serving(chunked=True)]
    fetch(source(url), places, log.append)
    assert arrived(places, left, body)


def test_what_is_compressed_for_the_journey_is_unpacked_and_a_gz_file_is_not(
    site, source, unknown, places, log, left, body
):
    packed = gzip.compress(body, 1)
    url = site.has("/a.bin", packed, Content_Encoding="gzip")
    fetch(source(url), places, log.append)
    assert arrived(places, left, body)
    shutil.rmtree(places.data)
    fetch(unknown(site.has("/a.gz", packed, Content_Encoding="gzip")), places, log.append)
    assert arrived(places, left, packed)


@fault("redirects in a circle", "one line, after a few")
def test_redirects_are_followed_but_not_for_ever(site, fault, source, places, log, left, body):
    url = site.has("/a.bin")
    site.faults = [fault.refusing(302, Location=f"/r{i}") for i in range(4)]
    site.faults += [fault.refusing(301, Location="/a.bin")]
    fetch(source(url), places, log.append)
    assert arrived(places, left, body)
    site.faults = [fault.refusing(302, Location="/a.bin")] * 99
    shutil.rmtree(places.data)
    assert "redirects more than 5 times" in failure(source(url), places, log)
    assert len(site.asked) == 6 + 6


@fault("a redirect with an endless text", "it is followed, and the text is not read")
def test_the_text_of_a_redirect_is_not_read(site, source, places, log, left, body):
    def endless(handler):
        handler.send_response(302)
        handler.send_header("Location", "/a.bin")
        handler.end_headers()
        while True:  # until the connection is closed
            handler.send(b"x" * 65536)

    site.faults = [endless]
    fetch(source(site.has("/a.bin")), places, log.append)
    assert arrived(places, left, body)


@pytest.mark.parametrize("where", ["file:///etc/passwd", "ftp://127.0.0.1/a", "data:,x"])
@fault("a redirect to a local file or another protocol", "it is not followed")
def test_a_redirect_out_of_http_is_not_followed(site, fault, source, places, log, left, where):
    site.faults = [fault.refusing(302, Location=where)]
    scheme = where.split(":")[0]
    message = failure(source(site.has("/a.bin")), places, log)
    assert f"redirects to a {scheme}: address" in message
    assert left(places.data / "demo") == []


@fault("a redirect from a public address to this machine or its network", "it is not followed")
@pytest.mark.parametrize(
    "where",
    [
        "127.0.0.1:80",
        "localhost",
        "10.0.0.1",
        "169.254.169.254",
        "192.168.1.1",
        "[::1]",
        "[fd00::1]",
    ],
)
def test_a_redirect_to_a_private_address_is_not_followed(where):
    private = f"http://{where}/a"
    with pytest.raises(PermanentError, match="redirects to a private address"):
        _check_redirect("http://files.example/a", private)
    _check_redirect("http://127.0.0.1/a", private)  # from a server of one's own
    _check_redirect("http://files.example/a", "http://8.8.8.8/a")


@fault("a redirect to an address that is none", "one line")
@pytest.mark.parametrize("where", ["https://[bad/a", "http://" + "a" * 300 + "/a"])
def test_a_redirect_to_no_address(site, fault, source, places, log, left, where):
    site.faults = [fault.refusing(302, Location=where)]
    assert "valid address" in failure(source(site.has("/a.bin")), places, log)
    assert left(places.data / "demo") == []


def test_a_login_comes_from_netrc_and_is_in_no_message(
    site, fault, source, places, log, tmp_path, monkeypatch
):
    (tmp_path / "netrc").write_text("machine 127.0.0.1 login me password secret\n")
    monkeypatch.setenv("NETRC", str(tmp_path / "netrc"))
    site.faults = [fault.refusing(403)]
    message = failure(source(site.has("/a.bin")), places, log)
    assert site.asked[0].headers["Authorization"].startswith("Basic ")
    assert "secret" not in message + "".join(log)


@pytest.mark.parametrize("url", ["http://me:secret@127.0.0.1:99999/a", "https://me:secret@/a"])
def test_an_address_that_is_none_is_shown_without_its_login(url):
    message = check_url(url, Timeouts(connect=1.0, attempts=1))
    assert message.startswith("not a valid address: ")
    assert "secret" not in message


@pytest.fixture
def secure(tmp_path, site):
    """A server with a certificate that nobody has signed: every path redirects to the site."""
    openssl = shutil.which("openssl")
    if openssl is None:
        pytest.skip("no openssl to make a certificate with")
    key, certificate = tmp_path / "key.pem", tmp_path / "certificate.pem"
    command = [openssl, "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256"]
    command += ["-nodes", "-days", "2", "-subj", "/CN=127.0.0.1", "-keyout", str(key)]
    command += ["-addext", "subjectAltName=IP:127.0.0.1", "-out", str(certificate)]
    subprocess.run(command, check=True, capture_output=True)

    class Elsewhere(BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(302)
            self.send_header("Location", site.url + self.path)
            self.end_headers()

        def log_message(self, *arguments):
            pass

    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    server = ThreadingHTTPServer(("127.0.0.1", 0), Elsewhere)
    server.socket = context.wrap_socket(server.socket, server_side=True)
    server.handle_error = lambda *arguments: None
    threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    yield f"https://127.0.0.1:{server.server_port}", certificate
    server.shutdown()
    server.server_close()


@fault("a certificate that cannot be trusted", "one line")
def test_a_certificate_that_cannot_be_trusted_is_one_line(secure, source, places, log):
    message = failure(source(f"{secure[0]}/a.bin"), places, log)
    assert "127.0.0.1 has an untrusted certificate: self-signed certificate" in message
    assert "REQUESTS_CA_BUNDLE" in message
    assert not any("retrying in" in line for line in log)


@fault("a redirect from https to http", "it is not followed")
def test_https_is_never_left_for_http(secure, site, source, places, log, monkeypatch):
    monkeypatch.setenv("REQUESTS_CA_BUNDLE", str(secure[1]))
    site.has("/a.bin")
    message = failure(source(f"{secure[0]}/a.bin"), places, log)
    assert "redirects from https to http" in message
    assert site.asked == []


@fault(
    "a disk that fills up during a download", "one line; what was received is kept for the next run"
)
def test_a_full_disk_is_one_line_and_what_came_is_kept(
    tiny_disk, site, fault, unknown, places, log, left, body
):
    """On a real file system of 256 KiB."""
    small = replace(places, data=tiny_disk)
    url = site.has("/a.bin")
    message = failure(unknown(url), small, log)
    assert "no space: 640000 bytes to come, " in message
    assert "Free some space there" in message
    assert left(tiny_disk) == []
    site.faults = [fault.serving(chunked=True)]
    assert "no space" in failure(unknown(url), small, log).lower()
    assert all(name.endswith(".part") for name in left(tiny_disk))


@fault("a disk that fills up while a mirror is copied", "one line; no half file is left")
def test_a_disk_that_fills_up_while_copying_from_the_mirror(
    tiny_disk, tmp_path, source, places, log, left, body
):
    (tmp_path / "mirror/demo").mkdir(parents=True)
    (tmp_path / "mirror/demo/a.bin").write_bytes(body)
    small = replace(places, data=tiny_disk, mirror=tmp_path / "mirror")
    assert "No space left" in failure(source("https://x/y"), small, log)
    assert left(tiny_disk) == []
