"""The package indexes that pip is configured with, read as data (PEP 503 HTML, PEP 691 JSON)."""

from __future__ import annotations

import ast
import hashlib
import os
import re
import shutil
import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import parse_qsl, unquote, urljoin, urlsplit, urlunsplit
from urllib.request import url2pathname

from socialbias.sources.http import Client, describe
from socialbias.sources.https import download
from socialbias.sources.packages import run_client
from socialbias.sources.request import FetchRequest, Timeouts

ACCEPT = "application/vnd.pypi.simple.v1+json, text/html;q=0.5"
ARCHIVES = (".tar.gz", ".zip", ".tar.bz2", ".tar.xz", ".tgz")
MAX_PAGE_BYTES = 64 << 20  # the page of a project has megabytes


@dataclass(frozen=True)
class Settings:
    """Where pip looks for packages.

    Attributes:
        indexes: URLs or folders of indexes, the main one first.
        find_links: URLs or folders with archives.
        certificates: CA bundle that pip uses; None for the default one.
    """

    indexes: tuple[str, ...]
    find_links: tuple[str, ...]
    certificates: str | None


@dataclass(frozen=True)
class Link:
    """A file that an index lists.

    Attributes:
        name: The file's name.
        url: Its address, http(s) or file.
        algorithm, checksum: Its checksum according to the index; "" if the index has none.
        certificates: As in `Settings`.
    """

    name: str
    url: str
    algorithm: str
    checksum: str
    certificates: str | None


def source_archive(name: str, version: str, timeouts: Timeouts) -> Link:
    """The source archive of a version.

    Raises:
        OSError: no index could be read, or none has such an archive.
    """
    for link in links(name, timeouts):
        stem = next((link.name[: -len(x)] for x in ARCHIVES if link.name.endswith(x)), "")
        project, _, release = stem.rpartition("-")
        if _normalised(project) == _normalised(name) and release == version:
            return link
    raise OSError(f"none of pip's indexes has a source archive of {name} {version}")


def links(name: str, timeouts: Timeouts) -> list[Link]:
    """Every file that pip's indexes list for a project.

    Raises:
        OSError: no file was listed and an index could not be read.
    """
    settings = pip_settings()
    pages = [f"{index.rstrip('/')}/{_normalised(name)}/" for index in settings.indexes]
    listed: list[Link] = []
    problems = []
    for page in (*pages, *settings.find_links):
        try:
            listed += _links_at(page, settings, timeouts)
        except OSError as error:
            problems.append(str(error))
    if problems and not listed:
        raise OSError("; ".join(problems))
    return listed


def fetch_link(link: Link, target: Path, request: FetchRequest) -> None:
    """Download a file that an index lists.

    Raises:
        OSError: it could not be downloaded.
    """
    if (path := _path_of(link.url)) is not None:
        shutil.copyfile(path, target)
        return
    archive = replace(request, name=link.name, bytes=None, pinned=bool(link.checksum))
    download(link.url, target, archive, certificates=link.certificates)


def pip_settings() -> Settings:
    """Pip's own settings, as it reports them: from files, environment and defaults.

    Raises:
        OSError: pip could not be run.
    """
    values: dict[str, str] = {}
    # Later sections take precedence: all commands, `download`, environment variables.
    sections = ("global.", "download.", ":env:.")
    lines = [line.partition("=") for line in _pip("config", "list").splitlines()]
    for section in sections:
        for key, _, value in lines:
            if key.startswith(section):
                values[key.removeprefix(section)] = str(ast.literal_eval(value))
    indexes = [values.get("index-url") or _default_index()]
    indexes += values.get("extra-index-url", "").split()
    no_index = values.get("no-index", "").lower() in ("1", "true", "yes", "on")
    find_links = tuple(values.get("find-links", "").split())
    return Settings(() if no_index else tuple(indexes), find_links, values.get("cert"))


def _default_index() -> str:
    """The index that pip uses unless it is configured otherwise, according to its help text."""
    match = re.search(r"--index-url.*?\(default:? (\S+?)\)", _pip("download", "--help"), re.DOTALL)
    if match is None:
        raise OSError("cannot tell which index pip uses: set PIP_INDEX_URL")
    return match[1]


def _pip(*arguments: str) -> str:
    """The output of a pip command."""
    command = [sys.executable, "-m", "pip", "--disable-pip-version-check", *arguments]
    result = run_client(command, env={**os.environ, "COLUMNS": "1000", "NO_COLOR": "1"})
    if result.returncode != 0:
        raise OSError(f"cannot read pip's settings (exit status {result.returncode})")
    return result.stdout


def _links_at(address: str, settings: Settings, timeouts: Timeouts) -> Iterator[Link]:
    """The links of a page, or the files of a folder."""
    path = _path_of(address)
    if path is None:
        yield from _links_on_page(address, settings, timeouts)
        return
    page = path / "index.html" if path.is_dir() else path
    if page.is_file():
        yield from _links_in_html(page.read_text("utf-8", "replace"), page.as_uri(), settings)
    elif path.is_dir():
        for file in sorted(path.iterdir()):
            yield Link(file.name, file.as_uri(), "", "", None)


def _links_on_page(url: str, settings: Settings, timeouts: Timeouts) -> Iterator[Link]:
    """The links of a page on a server; none if the server does not have the project."""
    client = Client(url, timeouts, {}, settings.certificates)
    with client.send("GET", {"Accept": ACCEPT}) as response:
        if response.status_code == 404:
            return
        if not response.ok:
            raise OSError(describe(response))
        length = response.headers.get("Content-Length", "0")
        if length.isdigit() and int(length) > MAX_PAGE_BYTES:
            raise OSError(f"the index page is larger than {MAX_PAGE_BYTES >> 20} MiB")
        text = response.text
        if "json" not in response.headers.get("Content-Type", ""):
            yield from _links_in_html(text, response.url, settings)
            return
        try:
            files = response.json()["files"]
            listed = [(f["filename"], f["url"], f.get("hashes", {})) for f in files]
        except (KeyError, TypeError, ValueError):
            raise OSError(f"{urlsplit(url).hostname} sent an unreadable package list") from None
    for name, address, hashes in listed:
        address = _with_credentials(urljoin(response.url, address), url)
        yield Link(name, address, *_best_hash(hashes), settings.certificates)


def _links_in_html(text: str, base: str, settings: Settings) -> Iterator[Link]:
    """The links of an HTML page."""
    parser = _Links()
    parser.feed(text)
    for href in parser.addresses:
        address = urlsplit(urljoin(base, href))
        hashes = dict(parse_qsl(address.fragment))
        url = _with_credentials(urlunsplit(address._replace(fragment="")), base)
        name = unquote(address.path.rsplit("/", 1)[-1])
        yield Link(name, url, *_best_hash(hashes), settings.certificates)


class _Links(HTMLParser):
    """Collects the addresses of a page's links."""

    def __init__(self):
        super().__init__()
        self.addresses: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Keep the address of a link."""
        if tag == "a" and (href := dict(attrs).get("href")):
            self.addresses.append(href)


def _best_hash(hashes: dict[str, str]) -> tuple[str, str]:
    """The strongest checksum that this Python can compute."""
    for algorithm in ("sha512", "sha256", "sha384", "sha224", "sha1", "md5"):
        if hashes.get(algorithm) and algorithm in hashlib.algorithms_available:
            return algorithm, hashes[algorithm].lower()
    return "", ""


def _with_credentials(url: str, index: str) -> str:
    """An address with the user and password of the index, if it is on the same server."""
    index_parts, parts = urlsplit(index), urlsplit(url)
    if "@" in parts.netloc or "@" not in index_parts.netloc:
        return url
    server = (index_parts.scheme, index_parts.hostname, index_parts.port)
    if server != (parts.scheme, parts.hostname, parts.port):
        return url
    return urlunsplit(parts._replace(netloc=index_parts.netloc))


def _path_of(address: str) -> Path | None:
    """The path of a file: URL or a plain path; None for a URL on a server."""
    parts = urlsplit(address)
    if parts.scheme == "file":
        return Path(url2pathname(parts.path))
    return None if parts.scheme in ("http", "https") else Path(address)


def _normalised(name: str) -> str:
    """A project's name as indexes spell it (PEP 503)."""
    return re.sub(r"[-_.]+", "-", name).lower()
