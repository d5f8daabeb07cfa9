"""Servers that cut, stall, lie, refuse or send one elsewhere: the same bytes, or one clear line."""

import hashlib
import io
import shutil
import ssl
import subprocess
import threading
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
import requests

from socialbias.sources.http import PermanentError, _Session, check_url
from socialbias.sources.request import Timeouts
from tests.reliability import fault
from tests.worlds.servers import BODY, HASTE, hanging, left, refusing, serving

PAGE = b"\n<!DOCTYPE html>\n<html><body>Please log in</body></html>"
CUT = 100_000
REST = f"bytes={CUT}-"


def endless_redirect(handler):
    handler.send_response(302)
    handler.send_header("Location", "/a.bin")
    handler.end_headers()
    while True:  # until the connection is closed
        handler.send(b"x" * 65536)


REDIRECTS = [refusing(302, Location=f"/r{i}") for i in range(4)]
# What the server does, what it says of the file, the parts that are asked for, and what is logged.
ARRIVES = {
    "cut twice": ([serving(cut=CUT)] * 2, {}, ["", REST, f"bytes={2 * CUT}-"], "retrying in"),
    "no ranges": (
        [serving(cut=CUT, ranges=False), serving(ranges=False)], {}, ["", REST], "retrying in",
    ),
    "stops sending": ([serving(pause=CUT)], {}, ["", REST], "stopped sending"),
    **{
        f"{status}": ([refusing(status)] * 2, {}, [""] * 3, f"({status})")
        for status in (500, 502, 503, 429, 408)
    },
    "without its length": ([serving(chunked=True)], {}, [""], ""),
    "called a page": ([], {"Content_Type": "text/html"}, [""], ""),
    "redirects": ([*REDIRECTS, refusing(301, Location="/a.bin")], {}, [""] * 6, ""),
    "a redirect with an endless text": ([endless_redirect], {}, [""] * 2, ""),
}  # fmt: skip


@fault(
    "a server that cuts the connection, stops sending, cannot send a part, answers 429 or 503, or "
    "redirects with an endless text",
    "the download goes on with the bytes that are missing, or begins anew; the file is right",
)
@pytest.mark.parametrize(("faults", "says", "ranges", "line"), ARRIVES.values(), ids=ARRIVES)
def test_the_right_file_arrives(demo, faults, says, ranges, line):
    demo.site.has("/a.bin", **says)
    demo.site.faults = list(faults)
    demo.fetch(read=1.0 if "stopped" in line else 60.0)
    demo.check()
    assert demo.site.ranges == ranges
    assert any(line in each for each in demo.log)


def trickling(handler):
    handler.send_response(200)
    handler.send_header("Content-Length", "640000")
    handler.end_headers()
    for _ in range(2000):
        handler.send(b"x" * 60)
        if handler.site.go.wait(0.01):
            return


HASTY = Timeouts(**HASTE)
IMPATIENT = {
    hanging: replace(HASTY, read=0.3),
    trickling: replace(HASTY, attempts=2, stall=0.1, min_rate=1 << 20),
}
PAGES = [(PAGE, "text/plain"), (PAGE, "text/html"), (b"log in", "text/html")]
AFTER_AN_HOUR = ("3600", "Fri, 31 Dec 2100 23:59:59 GMT")
NO_ADDRESSES = ("https://[bad/a", "http://" + "a" * 300 + "/a")
# What the server has and does, what the one line says, and how often the server is asked.
REFUSED = {
    "404": (BODY, {}, [refusing(404)] * 9, "no such file (404)", 1),
    "403": (BODY, {}, [refusing(403)] * 9, "refuses access (403)", 1),
    "410": (BODY, {}, [refusing(410)] * 9, "(410)", 1),
    **{
        f"a page {page, kind}": (page, {"Content_Type": kind}, [], "a web page instead of the", 1)
        for page, kind in PAGES
    },
    "other bytes": (BODY[::-1], {}, [], "sha256", 1),
    "too much, without its length": (
        BODY * 2, {}, [serving(chunked=True)], "more than the 640000 bytes", 1,
    ),
    **{
        f"{size} bytes": ((BODY * 2)[:size], {}, [], f"the server has {size} bytes instead of", 1)
        for size in (1_280_000, 639_999, 0)
    },
    **{
        f"retry after {time}": (BODY, {}, [refusing(503, Retry_After=time)], "asks to wait", 1)
        for time in AFTER_AN_HOUR
    },
    "a circle": (
        BODY, {}, [refusing(302, Location="/a.bin")] * 99, "redirects more than 5 times", 6,
    ),
    **{
        f"to {where}": (
            BODY, {}, [refusing(302, Location=where)],
            f"redirects to a {where.split(':')[0]}: address", 1,
        )
        for where in ("file:///etc/passwd", "ftp://127.0.0.1/a", "data:,x")
    },
    **{
        f"to {where[:12]}": (BODY, {}, [refusing(302, Location=where)], "valid address", 1)
        for where in NO_ADDRESSES
    },
    "never answers": (BODY, {}, [hanging] * 3, "127.0.0.1 stopped sending", 3),
    "trickles": (BODY, {}, [trickling] * 2, "bytes in", 2),
}  # fmt: skip


@fault(
    "a server that refuses, sends an HTML page or a file of another size or checksum, asks to wait "
    "for an hour, redirects in a circle, to a local file or to no address, does not answer, or "
    "sends next to nothing",
    "one line: what was tried, and what to do; nothing of it is left",
)
@pytest.mark.parametrize(("body", "says", "faults", "line", "asked"), REFUSED.values(), ids=REFUSED)
def test_what_is_not_the_file_is_one_line(demo, body, says, faults, line, asked):
    demo.site.has("/a.bin", body, **says)
    demo.site.faults = list(faults)
    message = demo.failure(timeouts=IMPATIENT.get(faults[-1] if faults else None, HASTY))
    assert f"demo: cannot fetch a.bin: {demo.url}: " in message
    assert line in message
    assert f"save it as {demo.target}" in message
    assert len(demo.site.asked) == asked
    assert demo.left == [] or trickling in faults  # what has come is kept


@fault("one place that refuses a file, or is not there", "the next place of the list is asked")
def test_one_place_that_refuses_leaves_the_next(demo):
    nowhere = "http://127.0.0.1:1/a.bin"
    refused = "no connection to 127.0.0.1: [Errno 111] Connection refused"
    assert refused in demo.failure(demo.source(nowhere))
    demo.fetch(demo.source(f"{demo.site.url}/gone", nowhere, demo.url))
    demo.check()


@fault("a download that failed", "the next run goes on where it stopped")
def test_a_download_that_failed_is_taken_up_by_the_next_run(demo):
    demo.site.faults = [serving(cut=CUT)] + [refusing(503)] * 3
    message = demo.failure()
    assert "(503)" in message
    assert f"{CUT} bytes were received and are kept: the next try resumes" in message
    [part] = demo.left
    assert part.startswith("a.bin.")
    assert part.endswith(".part")
    demo.fetch()
    demo.check()
    assert demo.site.ranges[-1] == REST
    assert demo.site.asked[-1].sent == len(BODY) - CUT


@fault("a kept part of a download that is of another file", "the same run fetches it anew")
@pytest.mark.parametrize("size", [CUT, len(BODY)])
def test_a_part_of_another_file_is_fetched_anew(demo, size):
    demo.site.faults = [serving(cut=CUT)] + [refusing(503)] * 3
    demo.failure()
    [part] = demo.left
    (demo.target.parent / part).write_bytes(b"x" * size)
    demo.fetch()
    demo.check()
    assert demo.left == ["a.bin"]


def test_a_file_of_which_nothing_is_known_is_taken_up_by_its_etag(demo):
    demo.site.faults = [serving(cut=CUT)]
    manifest = demo.fetch(demo.source(known=False))
    demo.check()
    assert demo.site.ranges == ["", REST]
    digest = hashlib.sha256(BODY).hexdigest()
    assert manifest["files"] == [{"path": "a.bin", "bytes": len(BODY), "sha256": digest}]


CHANGES = {
    "etag": ({"ETag": '"1"'}, {"ETag": '"2"'}, b""),
    "date": ({"ETag": "", "Last-Modified": "x"}, {"ETag": "", "Last-Modified": "y"}, b""),
    "size": ({"ETag": 'W/"1"', "Last-Modified": "x"},) * 2 + (b"more",),
}


@pytest.mark.parametrize(("before", "after", "more"), CHANGES.values(), ids=CHANGES)
@fault("a file that changed on the server between two attempts", "it is fetched again")
def test_an_upstream_that_changed_between_attempts_is_fetched_anew(demo, before, after, more):
    def cut_then_change(handler):
        demo.site.has("/a.bin", BODY[::-1] + more, **after)
        demo.site.files["/now"] = (BODY, before)
        handler.path = "/now"
        handler.serve(cut=CUT)

    demo.site.faults = [cut_then_change]
    demo.fetch(demo.source(known=False))
    demo.check(BODY[::-1] + more)
    assert demo.site.ranges == ["", REST, ""]
    assert any("has changed: restarting" in line for line in demo.log)


@fault("a part of a download that is longer than the file", "it is thrown away")
@pytest.mark.parametrize(("part", "sent"), [(BODY, 0), (BODY * 2, len(BODY))])
def test_a_part_that_is_whole_or_longer_than_the_file(demo, part, sent):
    demo.site.faults = [serving(cut=CUT)] + [refusing(503)] * 3
    demo.failure(demo.source(known=False))
    (demo.target.parent / demo.left[0]).write_bytes(part)
    demo.fetch(demo.source(known=False))
    demo.check()
    assert demo.site.asked[-1].sent == sent  # 0: the server said that nothing lies behind it


@fault("an HTML page in place of a file of which nothing is known", "it is never taken for it")
@pytest.mark.parametrize(("page", "kind"), PAGES)
def test_a_page_is_not_a_file_of_which_nothing_is_known(demo, page, kind):
    demo.site.has("/a.bin", page, Content_Type=kind)
    assert "a web page instead of the file" in demo.failure(demo.source(known=False))
    assert demo.left == []


def test_a_login_comes_from_netrc_and_is_in_no_message(demo, tmp_path, monkeypatch):
    (tmp_path / "netrc").write_text("machine 127.0.0.1 login me password secret\n")
    monkeypatch.setenv("NETRC", str(tmp_path / "netrc"))
    demo.site.faults = [refusing(403)]
    message = demo.failure()
    assert demo.site.asked[0].headers["Authorization"].startswith("Basic ")
    assert "secret" not in message + "".join(demo.log)


@pytest.mark.parametrize("url", ["http://me:secret@127.0.0.1:99999/a", "https://me:secret@/a"])
def test_an_address_that_is_none_is_shown_without_its_login(url):
    with pytest.raises(OSError, match=r"^not a valid address: ") as refused:
        check_url(url, Timeouts(connect=1.0, attempts=1))
    assert "secret" not in str(refused.value)


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
def test_a_certificate_that_cannot_be_trusted_is_one_line(secure, demo):
    message = demo.failure(demo.source(f"{secure[0]}/a.bin"))
    assert "127.0.0.1 has an untrusted certificate: self-signed certificate" in message
    assert "REQUESTS_CA_BUNDLE" in message
    assert not any("retrying in" in line for line in demo.log)


@fault("a redirect from a public address to this machine or its network", "it is not followed")
@pytest.mark.parametrize(
    "host", ["localhost", "127.0.0.1:80", "10.0.0.1", "169.254.169.254", "[::1]"]
)
def test_a_redirect_to_a_private_address_is_not_followed(host):
    response = requests.Response()
    response.status_code, response.raw = 302, io.BytesIO()
    response.headers["Location"] = f"http://{host}/a"
    response.url = "http://127.0.0.1/a"  # a server of one's own
    assert _Session().get_redirect_target(response) == f"http://{host}/a"
    response.url = "http://files.example/a"
    with pytest.raises(PermanentError, match="redirects to a private address"):
        _Session().get_redirect_target(response)


@fault("a redirect from https to http", "it is not followed")
def test_https_is_never_left_for_http(secure, demo, monkeypatch):
    monkeypatch.setenv("REQUESTS_CA_BUNDLE", str(secure[1]))
    assert "redirects from https to http" in demo.failure(demo.source(f"{secure[0]}/a.bin"))
    assert demo.site.asked == []


@fault("a disk that fills up during a download", "one line; what came is kept")
def test_a_full_disk_is_one_line_and_what_came_is_kept(tiny_disk, demo, tmp_path):
    """On a real file system of 256 KiB."""
    unknown = demo.source(known=False)
    message = demo.failure(unknown, data=tiny_disk)
    assert "no space: 640000 bytes to come, " in message
    assert "Free some space there" in message
    assert left(tiny_disk) == []
    (tmp_path / "mirror/demo").mkdir(parents=True)
    (tmp_path / "mirror/demo/a.bin").write_bytes(BODY)
    mirrored = {"data": tiny_disk, "mirror": tmp_path / "mirror"}
    assert "No space left" in demo.failure(demo.source("https://x/y"), **mirrored)
    assert left(tiny_disk) == []
    demo.site.faults = [serving(chunked=True)]
    assert "no space" in demo.failure(unknown, data=tiny_disk).lower()
    assert all(name.endswith(".part") for name in left(tiny_disk))
