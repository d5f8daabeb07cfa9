"""The package indexes that pip is configured with, read as data (PEP 503 HTML, PEP 691 JSON)."""

from __future__ import annotations

import ast
import html
import json
import os
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import parse_qs, unquote, urldefrag, urljoin, urlsplit, urlunsplit
from urllib.request import url2pathname

from socialbias.sources.http import describe, send
from socialbias.sources.packages import run_client
from socialbias.sources.request import Timeouts

ACCEPT = "application/vnd.pypi.simple.v1+json, text/html;q=0.5"
ARCHIVES = (".tar.gz", ".zip", ".tar.bz2", ".tar.xz", ".tgz")
LINK = re.compile(r"<a\s[^>]*?href\s*=\s*[\"']([^\"']+)", re.IGNORECASE)


@dataclass(frozen=True)
class Settings:
    """Where pip looks for packages."""

    indexes: tuple[str, ...]  # URLs or folders, the main one first
    find_links: tuple[str, ...]  # URLs or folders with archives
    certificates: str | None  # CA bundle; None for the default one


@dataclass(frozen=True)
class Link:
    """A file that an index lists: its address (http or file), and its sha256, "" if unknown."""

    name: str
    url: str
    sha256: str
    certificates: str | None


def source_archive(name: str, version: str, timeouts: Timeouts) -> Link:
    """Return the source archive of a version; OSError if no index has it."""
    for link in links(name, timeouts):
        stem = next((link.name[: -len(x)] for x in ARCHIVES if link.name.endswith(x)), "")
        project, _, release = stem.rpartition("-")
        if _normalised(project) == _normalised(name) and release == version:
            return link
    raise OSError(f"none of pip's indexes has a source archive of {name} {version}")


def links(name: str, timeouts: Timeouts) -> list[Link]:
    """Return every file that pip's indexes list; OSError if there is none and one failed."""
    settings = pip_settings()
    pages = [f"{index.rstrip('/')}/{_normalised(name)}/" for index in settings.indexes]
    listed: list[Link] = []
    problems = []
    for page in (*pages, *settings.find_links):
        try:
            found = _links_at(page, settings.certificates, timeouts)  # a folder has other projects
            listed += [x for x in found if _normalised(x.name).startswith(f"{_normalised(name)}-")]
        except OSError as error:
            problems.append(str(error))
    if problems and not listed:
        raise OSError("; ".join(problems))
    return listed


def pip_settings() -> Settings:
    """Return pip's own settings, as it reports them: from files, environment and defaults."""
    values: dict[str, str] = {}
    # Later sections take precedence: all commands, `download`, environment variables.
    sections = ("global.", "download.", ":env:.")
    lines = [line.partition("=") for line in _pip("config", "list").splitlines()]
    for section in sections:
        for key, _, value in lines:
            if key.startswith(section):
                values[key.removeprefix(section)] = str(ast.literal_eval(value))
    if not (index := values.get("index-url")):
        usage = _pip("download", "--help")
        match = re.search(r"--index-url.*?\(default:? (\S+?)\)", usage, re.DOTALL)
        if match is None:
            raise OSError("cannot tell which index pip uses: set PIP_INDEX_URL")
        index = match[1]
    indexes = [index, *values.get("extra-index-url", "").split()]
    no_index = values.get("no-index", "").lower() in ("1", "true", "yes", "on")
    find_links = tuple(values.get("find-links", "").split())
    return Settings(() if no_index else tuple(indexes), find_links, values.get("cert"))


def _pip(*arguments: str) -> str:
    """Return the output of a pip command."""
    command = [sys.executable, "-m", "pip", "--disable-pip-version-check", *arguments]
    result = run_client(command, env={**os.environ, "COLUMNS": "1000", "NO_COLOR": "1"})
    if result.returncode != 0:
        raise OSError(f"cannot read pip's settings (exit status {result.returncode})")
    return result.stdout


def _links_at(address: str, certificates: str | None, timeouts: Timeouts) -> Iterator[Link]:
    """Yield the links of a page, or the files of a folder; none if the project is not there."""
    path = path_of(address)
    if path is None:
        headers = {"Accept": ACCEPT}
        with send(address, timeouts, headers, certificates=certificates) as response:
            if response.status_code == 404:
                return
            if not response.ok:
                raise OSError(describe(response))
            base, text = response.url, response.text
    else:
        page = path / "index.html" if path.is_dir() else path
        if not page.is_file():
            files = sorted(path.iterdir()) if path.is_dir() else []
            yield from (Link(file.name, file.as_uri(), "", None) for file in files)
            return
        base, text = page.as_uri(), page.read_text("utf-8", "replace")
    listed = [(html.unescape(link), "") for link in LINK.findall(text)]
    if text.lstrip().startswith("{"):
        try:
            entries = json.loads(text)["files"]
            listed = [(each["url"], each.get("hashes", {}).get("sha256", "")) for each in entries]
        except (AttributeError, KeyError, TypeError, ValueError):
            host = urlsplit(address).hostname
            raise OSError(f"{host} sent an unreadable package list") from None
    for link, sha256 in listed:
        url, fragment = urldefrag(urljoin(base, link))
        sha256 = sha256 or parse_qs(fragment).get("sha256", [""])[0]
        name = unquote(urlsplit(url).path.rsplit("/", 1)[-1])
        yield Link(name, _with_credentials(url, address), sha256.lower(), certificates)


def _with_credentials(url: str, index: str) -> str:
    """Return an address, with user and password of the index if it is on the same server."""
    index_parts, parts = urlsplit(index), urlsplit(url)
    if "@" in parts.netloc or "@" not in index_parts.netloc:
        return url
    server = (index_parts.scheme, index_parts.hostname, index_parts.port)
    if server != (parts.scheme, parts.hostname, parts.port):
        return url
    return urlunsplit(parts._replace(netloc=index_parts.netloc))


def path_of(address: str) -> Path | None:
    """Return the path of a file: URL or a plain path; None for a URL on a server."""
    parts = urlsplit(address)
    if parts.scheme == "file":
        return Path(url2pathname(parts.path))
    return None if parts.scheme in ("http", "https") else Path(address)


def _normalised(name: str) -> str:
    """Return a project's name as indexes spell it (PEP 503)."""
    return re.sub(r"[-_.]+", "-", name).lower()
