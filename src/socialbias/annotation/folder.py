"""The folder with completed annotations."""

from __future__ import annotations

from pathlib import Path

from socialbias.annotation.items import SAMPLE
from socialbias.errors import UserError

READABLE = (".csv", ".json")
SAVE_AS_CSV = "save it as CSV in UTF-8, and delete it"
# Files that may contain labels but cannot be read, and what to do with them.
UNREADABLE = dict.fromkeys((".xlsx", ".xlsm", ".xlsb", ".xls", ".ods", ".numbers"), SAVE_AS_CSV)
UNREADABLE |= dict.fromkeys((".tsv", ".txt"), SAVE_AS_CSV)
UNREADABLE |= {".jsonl": "export it as JSON, and delete it", ".zip": "unpack it, and delete it"}


def completed_files(folder: Path) -> list[Path]:
    """All files in a folder and its subfolders that may contain labels, sorted."""
    suffixes = (*READABLE, *UNREADABLE)
    return sorted(
        path
        for path in folder.rglob("*")
        if path.suffix.lower() in suffixes and path.name != SAMPLE and path.is_file()
    )


def check_folder(folder: Path, results: Path) -> None:
    """Check that a folder holds a sample, and is in a place where labels are safe.

    Args:
        folder: As named in the configuration.
        results: The output folder of runs. The sample is drawn there, and a new draw would
            overwrite what people have filled in.

    Raises:
        UserError: the folder is in `results`, or has no sample.
    """
    if folder.resolve().is_relative_to(results.resolve()):
        raise UserError(
            f"config: trustworthy.annotations.folder: {folder} is in {results}, where a run "
            "would overwrite it: copy the folder elsewhere, and name the copy"
        )
    if not (folder / SAMPLE).is_file():
        raise UserError(
            f"config: trustworthy.annotations.folder: {folder} has no {SAMPLE}: put the one that "
            "was drawn for these annotations beside the completed files"
        )
