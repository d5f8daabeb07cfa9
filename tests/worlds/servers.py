"""A server on loopback that misbehaves as told, and a source of one file that it has."""

from __future__ import annotations

import hashlib
import socket
import threading
from dataclasses import dataclass, field, replace
from http.server import BaseHTTPRequestHandler
from pathlib import Path

import pytest

from socialbias.errors import UserError
from socialbias.sources.binding import Places
from socialbias.sources.fetch import fetch
from socialbias.sources.registry import Source
from socialbias.sources.request import Timeouts
from tests.waiting import PATIENCE

HASTE = {"connect": 60.0, "read": 60.0, "attempts": 3, "backoff": 0.01}
# As long as a few pieces of a socket's buffer, and unlike itself everywhere.
BODY = b"".join(hashlib.sha256(b"%d" % i).digest() for i in range(20_000))
FACTS = {"title": "A demonstration", "citation": "Nobody 2020", "licence": "MIT"}
KINDS = ("https", "hf", "pypi", "npm")


def described(name: str, body: bytes, *locators: str, **facts) -> dict:
    """A file of a source, of which everything is known unless said otherwise."""
    known = {"bytes": len(body), "sha256": hashlib.sha256(body).hexdigest()}
    return {"name": name, "locators": list(locators)} | known | facts


def left(folder: Path) -> list[str]:
    """Every file below a folder, by its path in it."""
    return sorted(str(p.relative_to(folder)) for p in folder.rglob("*") if p.is_file())


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

    def serve(self, ranges=True, cut=None, pause=None, chunked=False):
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


class Fetching:
    """A source of one file, `a.bin`, and what comes of fetching it into a data folder."""

    def __init__(self, site: Site, folder: Path) -> None:
        self.site, self.log = site, []
        self.url = site.has("/a.bin")
        self.places = Places(folder / "data", None, KINDS, timeouts=Timeouts(**HASTE))
        self.target = self.places.data / "demo/a.bin"

    def source(
        self, *locators: str, known: bool = True, name: str = "a.bin", format: str = "", **facts
    ) -> Source:
        """The source, of whose file nothing is known unless `known`."""
        if not known:
            facts = {"bytes": None, "sha256": "unknown"} | facts
        file = described(name, BODY, *(locators or [self.url]), **facts)
        return Source(id="demo", files=[file], format=format, **FACTS)

    def fetch(self, source: Source | None = None, **places) -> dict:
        return fetch(source or self.source(), self.at(**places), self.log.append)

    def at(self, **places) -> Places:
        """The places with some of them changed; `read`: seconds to wait for a silent server."""
        if read := places.pop("read", None):
            places["timeouts"] = replace(self.places.timeouts, read=read)
        return replace(self.places, **places)

    def failure(self, source: Source | None = None, **places) -> str:
        """The one line with which it fails."""
        with pytest.raises(UserError) as caught:
            self.fetch(source, **places)
        assert "\n" not in str(caught.value)
        assert str(caught.value).startswith("demo: ")
        return str(caught.value)

    @property
    def left(self) -> list[str]:
        return left(self.target.parent)

    def check(self, body: bytes = BODY) -> None:
        """Assert that the right bytes are there, and nothing else."""
        assert self.left == ["a.bin"]
        assert self.target.read_bytes() == body
