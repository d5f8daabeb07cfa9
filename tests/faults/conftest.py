"""A server on loopback that misbehaves as told, and processes that really fetch from it."""

import hashlib
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import threading
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from socialbias.sources.binding import Places
from socialbias.sources.registry import Source
from socialbias.sources.request import Timeouts
from tests.waiting import PATIENCE, until

CHILD = Path(__file__).with_name("fetch_child.py")
HASTE = {"connect": 60.0, "read": 60.0, "attempts": 3, "backoff": 0.01}
# As long as a few pieces of a socket's buffer, and unlike itself everywhere.
BODY = b"".join(hashlib.sha256(b"%d" % i).digest() for i in range(20_000))


@dataclass
class Asked:
    """One request that came, and how many bytes of a body went out for it."""

    method: str
    path: str
    range: str
    headers: dict
    sent: int = 0


@dataclass
class Site:
    """What the server has, and how it will misbehave."""

    url: str = ""
    files: dict = field(default_factory=dict)  # path: (body, headers)
    faults: list = field(default_factory=list)  # done one for each request, then all is well
    asked: list = field(default_factory=list)
    waiting: threading.Event = field(default_factory=threading.Event)  # set when a fault waits
    go: threading.Event = field(default_factory=threading.Event)  # lets a waiting fault go on

    def has(self, path, body=BODY, **headers):
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        self.files[path] = (body, {"ETag": f'"{hashlib.md5(body).hexdigest()}"'} | named)
        return self.url + path

    @property
    def ranges(self):
        return [asked.range for asked in self.asked]


class Handler(BaseHTTPRequestHandler):
    """Serves the site's files, with ranges."""

    protocol_version = "HTTP/1.1"

    @property
    def site(self) -> Site:
        return self.server.site

    def log_message(self, *arguments):
        pass

    def do_GET(self):
        headers = dict(self.headers)
        self.asked = Asked(self.command, self.path, self.headers.get("Range", ""), headers)
        self.site.asked.append(self.asked)
        fault = self.site.faults.pop(0) if self.site.faults else None
        try:
            (fault or Handler.serve)(self)
        except (BrokenPipeError, ConnectionResetError):
            self.close_connection = True

    do_HEAD = do_GET

    def serve(self, ranges=True, cut=None, pause=None, chunked=False, encoding=""):
        """Answer with the file, or a part of it; `cut` and `pause` after so many bytes."""
        if self.path not in self.site.files:
            return self.refuse(404)
        body, headers = self.site.files[self.path]
        start = 0
        if ranges and self.asked.range:
            start = int(self.asked.range.removeprefix("bytes=").removesuffix("-"))
            if start >= len(body):
                headers = headers | {"Content-Range": f"bytes */{len(body)}"}
                return self.refuse(416, **headers)
            extent = f"bytes {start}-{len(body) - 1}/{len(body)}"
            headers = headers | {"Content-Range": extent}
        self.send_response(206 if "Content-Range" in headers else 200)
        for name, value in headers.items():
            self.send_header(name, value)
        if chunked:
            self.send_header("Connection", "close")
        else:
            self.send_header("Content-Length", str(len(body) - start))
        self.end_headers()
        if self.command == "HEAD":
            return None
        rest = body[start:]
        first = cut if cut is not None else pause if pause is not None else len(rest)
        self.send(rest[:first])
        if pause is not None:
            self.site.waiting.set()
            self.site.go.wait(PATIENCE)
            self.send(rest[first:])
        if cut is not None:
            self.connection.shutdown(socket.SHUT_RDWR)
        if cut is not None or chunked:
            self.close_connection = True
        return None

    def send(self, data):
        self.wfile.write(data)
        self.wfile.flush()
        self.asked.sent += len(data)

    def refuse(self, status, body=b"", **headers):
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


def serving(**options):
    return lambda handler: handler.serve(**options)


def refusing(status, body=b"", **headers):
    return lambda handler: handler.refuse(status, body, **headers)


def hanging(handler):
    """Answer nothing until told to go on."""
    handler.site.waiting.set()
    handler.site.go.wait(PATIENCE)
    handler.close_connection = True


@pytest.fixture
def fault():
    """The ways in which a server can misbehave."""
    return type("Faults", (), {"serving": serving, "refusing": refusing, "hanging": hanging})


@pytest.fixture(autouse=True)
def alone(monkeypatch):
    """No proxy, no mirror, no cache and no account of whoever runs the tests."""
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy"):
        monkeypatch.delenv(name, raising=False)
    for name in ("SOCIALBIAS_MIRROR", "SOCIALBIAS_CACHE", "SOCIALBIAS_CACHE_WRITE", "HF_TOKEN"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("NO_PROXY", "*")


@pytest.fixture
def site():
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    server.handle_error = lambda *arguments: None  # a client that is killed resets its connection
    server.site = Site(url=f"http://127.0.0.1:{server.server_port}")
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    yield server.site
    server.site.go.set()
    server.shutdown()
    server.server_close()


@pytest.fixture
def body():
    return BODY


@pytest.fixture
def source():
    """A source of one file, of which everything is known unless said otherwise."""

    right = {"name": "a.bin", "bytes": len(BODY), "sha256": hashlib.sha256(BODY).hexdigest()}

    def of(*locators, **facts):
        said = {"title": "A demonstration", "citation": "Nobody 2020", "licence": "MIT"}
        file = right | facts | {"locators": list(locators)}
        return Source(id="demo", files=[file], **said)

    return of


@pytest.fixture
def unknown(source):
    """A source of one file of which nothing is known."""
    return lambda *locators, **said: source(
        *locators, **({"bytes": None, "sha256": "unknown"} | said)
    )


@pytest.fixture
def places(tmp_path):
    kinds = ("https", "hf", "pypi", "npm", "kaggle")
    return Places(tmp_path / "data", None, kinds, timeouts=Timeouts(**HASTE))


@pytest.fixture
def log():
    return []


@pytest.fixture
def left():
    """Every file below a folder, by its path in it."""
    return lambda folder: sorted(
        str(p.relative_to(folder)) for p in folder.rglob("*") if p.is_file()
    )


@dataclass
class Child:
    """A process that fetches, and stops where it is told to."""

    process: subprocess.Popen
    mark: Path
    output: Path

    def wait_for_mark(self):
        self.wait(self.mark.exists)

    def wait_for(self, words):
        self.wait(lambda: words in self.text)

    def wait(self, condition):
        until(lambda: condition() or self.process.poll() is not None)
        assert condition(), self.text

    def kill(self):
        os.kill(self.process.pid, signal.SIGKILL)
        self.process.wait()

    def finish(self):
        return self.process.wait(PATIENCE)

    @property
    def text(self):
        return self.output.read_text()


@pytest.fixture
def start(tmp_path):
    """Start a process that fetches a source, stopped at a phase."""
    children = []

    def of(source, places, stop=""):
        number = len(children)
        mark, output = tmp_path / f"mark{number}", tmp_path / f"output{number}"
        task = {"stop": stop, "mark": str(mark)}
        task |= {"source": source.model_dump(), "data": str(places.data)}
        task |= {"cache": str(places.cache or ""), "cache_write": places.cache_write}
        task |= {"locators": places.locators, "haste": HASTE | {"read": PATIENCE}}
        with output.open("w") as stream:
            command = [sys.executable, "-u", str(CHILD), json.dumps(task)]
            process = subprocess.Popen(command, stdout=stream, stderr=stream)
        children.append(Child(process, mark, output))
        return children[-1]

    yield of
    for child in children:
        if child.process.poll() is None:
            child.kill()


@pytest.fixture
def tiny_disk(tmp_path):
    """A file system with room for 256 KiB; skipped where none can be mounted."""
    folder = tmp_path / "tiny"
    folder.mkdir()
    mount = shutil.which("mount")
    command = [mount or "mount", "-t", "tmpfs", "-o", "size=256k", "none", str(folder)]
    if os.geteuid() or not mount or subprocess.run(command, capture_output=True).returncode:
        pytest.skip("no right to mount a small file system; the patched test covers the rest")
    yield folder
    # Not at once: what was being written when the disk was full may still be open.
    subprocess.run(["umount", "--lazy", str(folder)], check=True)
