"""The indexes that pip is set to, read as data (PEP 503 pages and PEP 691 JSON)."""

from __future__ import annotations

import ast
import hashlib
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import parse_qsl, unquote, urljoin, urlsplit, urlunsplit
from urllib.request import url2pathname

from socialbias.sources.asking import Asking, describe
from socialbias.sources.https import download
from socialbias.sources.order import Order, Patience

ACCEPT = "application/vnd.pypi.simple.v1+json, text/html;q=0.5"
ARCHIVES = (".tar.gz", ".zip", ".tar.bz2", ".tar.xz", ".tgz")
LARGEST_PAGE = 64 << 20


@dataclass(frozen=True)
class Settings:
    """Where pip looks.

    Attributes:
        indexes: Addresses or folders of indexes, the main one first.
        find_links: Addresses or folders with archives.
        certificates: File with the authorities that pip trusts; None for the usual ones.
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
        algorithm, checksum: What the index says of its content; "" where it says nothing.
        certificates: As in `Settings`.
    """

    name: str
    url: str
    algorithm: str
    checksum: str
    certificates: str | None


def source_archive(name: str, version: str, patience: Patience) -> Link:
    """The source archive of a version.

    Raises:
        OSError: no index could be read, or none has such an archive.
    """
    for link in links(name, patience):
        stem = next((link.name[: -len(x)] for x in ARCHIVES if link.name.endswith(x)), "")
        project, _, release = stem.rpartition("-")
        if _normalised(project) == _normalised(name) and release == version:
            return link
    raise OSError(f"no index that pip is set to has a source archive of {name} {version}")


def links(name: str, patience: Patience) -> list[Link]:
    """Every file that pip's indexes list for a project.

    Raises:
        OSError: nothing was found and an index could not be read.
    """
    settings = pip_settings()
    pages = [f"{index.rstrip('/')}/{_normalised(name)}/" for index in settings.indexes]
    found: list[Link] = []
    problems = []
    for page in (*pages, *settings.find_links):
        try:
            found += _links_at(page, settings, patience)
        except OSError as error:
            problems.append(str(error))
    if problems and not found:
        raise OSError("; ".join(problems))
    return found


def fetch_link(link: Link, target: Path, order: Order) -> None:
    """Fetch what an index lists.

    Raises:
        OSError: it could not be fetched.
    """
    if (path := _path_of(link.url)) is not None:
        shutil.copyfile(path, target)
        return
    wanted = replace(order, name=link.name, bytes=None, pinned=bool(link.checksum))
    download(link.url, target, wanted, certificates=link.certificates)


def pip_settings() -> Settings:
    """What pip is set to, by its own account: files, environment and defaults.

    Raises:
        OSError: pip could not be asked.
    """
    values: dict[str, str] = {}
    # Later sections win: what holds for all commands, for `download`, and the environment.
    sections = ("global.", "download.", ":env:.")
    lines = [line.partition("=") for line in _pip("config", "list").splitlines()]
    for section in sections:
        for key, _, value in lines:
            if key.startswith(section):
                values[key.removeprefix(section)] = str(ast.literal_eval(value))
    indexes = [values.get("index-url") or _default_index()]
    indexes += values.get("extra-index-url", "").split()
    none = values.get("no-index", "").lower() in ("1", "true", "yes", "on")
    find_links = tuple(values.get("find-links", "").split())
    return Settings(() if none else tuple(indexes), find_links, values.get("cert"))


def _default_index() -> str:
    """The index that pip uses when it is told of none, as its help says."""
    match = re.search(r"--index-url.*?\(default:? (\S+?)\)", _pip("download", "--help"), re.DOTALL)
    if match is None:
        raise OSError("pip does not say which index it uses: set PIP_INDEX_URL")
    return match[1]


def _pip(*arguments: str) -> str:
    """What a command of pip prints."""
    result = subprocess.run(
        [sys.executable, "-m", "pip", "--disable-pip-version-check", *arguments],
        env={**os.environ, "COLUMNS": "1000", "NO_COLOR": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    if result.returncode != 0:
        raise OSError(f"pip could not be asked for its settings ({result.returncode})")
    return result.stdout


def _links_at(address: str, settings: Settings, patience: Patience) -> Iterator[Link]:
    """The links of a page, or the files of a folder."""
    path = _path_of(address)
    if path is None:
        yield from _links_on_page(address, settings, patience)
        return
    page = path / "index.html" if path.is_dir() else path
    if page.is_file():
        yield from _links_in_html(page.read_text("utf-8", "replace"), page.as_uri(), settings)
    elif path.is_dir():
        for file in sorted(path.iterdir()):
            yield Link(file.name, file.as_uri(), "", "", None)


def _links_on_page(url: str, settings: Settings, patience: Patience) -> Iterator[Link]:
    """The links of a page on a server; none where the server has no such project."""
    asking = Asking(url, patience, {}, settings.certificates)
    with asking.send("GET", {"Accept": ACCEPT}) as answer:
        if answer.status_code == 404:
            return
        if not answer.ok:
            raise OSError(describe(answer))
        text = _text_of(answer)
        if "json" not in answer.headers.get("Content-Type", ""):
            yield from _links_in_html(text, answer.url, settings)
            return
        try:
            files = answer.json()["files"]
            found = [(f["filename"], f["url"], f.get("hashes", {})) for f in files]
        except (KeyError, TypeError, ValueError):
            raise OSError(f"{urlsplit(url).hostname} sent a list that cannot be read") from None
    for name, address, hashes in found:
        address = _with_password(urljoin(answer.url, address), url)
        yield Link(name, address, *_best_hash(hashes), settings.certificates)


def _text_of(answer) -> str:
    """A page's text; an index page has megabytes, not gigabytes."""
    length = answer.headers.get("Content-Length", "0")
    if length.isdigit() and int(length) > LARGEST_PAGE:
        raise OSError("the index page is too large to be one")
    return answer.text


def _links_in_html(text: str, base: str, settings: Settings) -> Iterator[Link]:
    """The links of a page in HTML."""
    parser = _Links()
    parser.feed(text)
    for href in parser.found:
        address = urlsplit(urljoin(base, href))
        hashes = dict(parse_qsl(address.fragment))
        url = _with_password(urlunsplit(address._replace(fragment="")), base)
        name = unquote(address.path.rsplit("/", 1)[-1])
        yield Link(name, url, *_best_hash(hashes), settings.certificates)


class _Links(HTMLParser):
    """Collects where a page's links lead."""

    def __init__(self):
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Keep the address of a link."""
        if tag == "a" and (href := dict(attrs).get("href")):
            self.found.append(href)


def _best_hash(hashes: dict[str, str]) -> tuple[str, str]:
    """The strongest checksum that we can compute."""
    for algorithm in ("sha512", "sha256", "sha384", "sha224", "sha1", "md5"):
        if hashes.get(algorithm) and algorithm in hashlib.algorithms_available:
            return algorithm, hashes[algorithm].lower()
    return "", ""


def _with_password(url: str, index: str) -> str:
    """An address with the user and password of the index, if it is on the same server."""
    ours, theirs = urlsplit(index), urlsplit(url)
    if "@" in theirs.netloc or "@" not in ours.netloc:
        return url
    if (ours.scheme, ours.hostname, ours.port) != (theirs.scheme, theirs.hostname, theirs.port):
        return url
    return urlunsplit(theirs._replace(netloc=ours.netloc))


def _path_of(address: str) -> Path | None:
    """The path of a file: address or a plain path; None for an address on a server."""
    parts = urlsplit(address)
    if parts.scheme == "file":
        return Path(url2pathname(parts.path))
    return None if parts.scheme in ("http", "https") else Path(address)


def _normalised(name: str) -> str:
    """A project's name as the indexes spell it."""
    return re.sub(r"[-_.]+", "-", name).lower()
