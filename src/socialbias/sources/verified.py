"""What a job reads is what was written: of sources by their manifest, of results by a record.

A description of a file is `{"path", "bytes", "sha256"}`. Its size is compared whenever a job reads
the file, its checksum once per stamp: size, inode and the time of its last change as the system
keeps it, which no program can set back. A file with a known stamp is the one that was checked
before. Known stamps are empty files in a folder `.checked` beside the files, each named after a
digest of path, stamp and checksum: any number of jobs may add one at once, a killed one leaves
nothing unfinished, and where none can be written, every job checks again.

Every job records its outputs, each in `.checked/NAME.json` beside it, and checks its inputs.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from pathlib import Path

from socialbias.errors import UserError
from socialbias.files.atomic_write import write_text
from socialbias.sources.checksums import sha256_of

FOLDER = ".checked"
AGAIN = "and run the same command again"


def described(path: Path, base: Path) -> dict:
    """Return a file's path below a folder, its size and its checksum."""
    size, checksum = path.stat().st_size, sha256_of(path)
    return {"path": path.relative_to(base).as_posix(), "bytes": size, "sha256": checksum}


def mark(folder: Path, file: Mapping) -> None:
    """Note that a file has, with its present stamp, the checksum of its description.

    Its path is relative to the folder; where nothing can be written, nothing is.
    """
    marker = _marker(folder, file)
    try:
        marker.parent.mkdir(exist_ok=True)
        marker.touch()
    except OSError:
        pass  # a folder that is only read


def check(folder: Path, files: Iterable[Mapping], remedy: str) -> None:
    """Compare files below a folder with their descriptions; one that differs is a UserError.

    A description without size and checksum, of a manifest by hand, is passed over. The remedy is
    what to do about a file that differs, to be read after "remove".
    """
    for file in files:
        path = folder / file["path"]
        if problem := _problem(folder, path, file):
            raise UserError(f"{path}: {problem}: remove {remedy} {AGAIN}")


def record(output: Path) -> None:
    """Describe what a job has written, a file or a whole folder, in `.checked` beside it."""
    others = {FOLDER, ".snakemake_timestamp"}  # not written by the job
    files = [path for path in output.rglob("*") if path.is_file() and not others & {*path.parts}]
    files = sorted(files) if output.is_dir() else [output]
    folder = output.parent
    descriptions = [described(path, folder) for path in files]
    kept = _record_of(output)
    kept.parent.mkdir(parents=True, exist_ok=True)
    write_text(kept, json.dumps({"of": str(output), "files": descriptions}) + "\n")
    for description in descriptions:
        mark(folder, description)


def forget(output: Path) -> None:
    """Remove the record of an output that is about to be written anew."""
    _record_of(output).unlink(missing_ok=True)


def check_result(path: Path) -> None:
    """Compare what a job reads with what an earlier job has recorded of it, if one has."""
    try:
        kept = json.loads(_record_of(path).read_text("utf-8"))
    except (OSError, ValueError):
        return  # not a job's output, or not by this version
    if kept["of"] == str(path):  # a copy elsewhere is the user's own, who may edit it
        check(path.parent, kept["files"], str(path))


def known_checksums(results: Path) -> dict[Path, str]:
    """Return, by file of a run, the recorded checksum of each that was not touched since."""
    known = {}
    for kept in results.rglob(f"{FOLDER}/*.json"):
        folder = kept.parent.parent
        for file in json.loads(kept.read_text("utf-8"))["files"]:
            path = folder / file["path"]
            if path.is_file() and _marker(folder, file).exists():
                known[path] = file["sha256"]
    return known


def check_folders(results: Path) -> None:
    """Compare every folder that a job of a run has written with its record.

    Snakemake sees neither a change nor a loss inside a folder. Most files need not be read.
    """
    for kept in results.rglob(f"{FOLDER}/*.json"):
        output = kept.parent.parent / kept.name.removesuffix(".json")
        if output.is_dir():
            check_result(output)


def _problem(folder: Path, path: Path, file: Mapping) -> str:
    """Return how a file differs from its description; "" if it does not."""
    if "sha256" not in file:
        return ""
    try:
        size = path.stat().st_size
        if size != file["bytes"]:
            return f"{size:,} bytes, where {file['bytes']:,} were written"
        if _marker(folder, file).exists():
            return ""
        if sha256_of(path) != file["sha256"]:
            return "changed after it was written"
    except FileNotFoundError:
        return "is no longer there"
    mark(folder, file)
    return ""


def _marker(folder: Path, file: Mapping) -> Path:
    """Return the empty file that says that a file with its present stamp has this checksum."""
    stat = (folder / file["path"]).stat()
    stamp = (file["path"], stat.st_size, stat.st_ctime_ns, stat.st_ino, file["sha256"])
    return folder / FOLDER / hashlib.sha256(repr(stamp).encode()).hexdigest()[:32]


def _record_of(output: Path) -> Path:
    return output.parent / FOLDER / f"{output.name}.json"
