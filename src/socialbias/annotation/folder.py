"""The folder in which completed annotations come back."""

from __future__ import annotations

from pathlib import Path

from socialbias.annotation.items import SAMPLE
from socialbias.errors import UserError

READ = (".csv", ".json")
AS_CSV = "save it as CSV in UTF-8, and remove it"
# Files that may hold labels and that nothing here reads, and what to do with them.
UNREAD = dict.fromkeys((".xlsx", ".xlsm", ".xlsb", ".xls", ".ods", ".numbers"), AS_CSV)
UNREAD |= dict.fromkeys((".tsv", ".txt"), AS_CSV)
UNREAD |= {".jsonl": "export it as JSON, and remove it", ".zip": "unpack it, and remove it"}


def handed_in(folder: Path) -> list[Path]:
    """All files of a folder that may hold labels, in subfolders or not, sorted."""
    suffixes = (*READ, *UNREAD)
    return sorted(
        path
        for path in folder.rglob("*")
        if path.suffix.lower() in suffixes and path.name != SAMPLE and path.is_file()
    )


def check_folder(folder: Path, results: Path) -> None:
    """Check that a folder is one from which labels can be read, and in which they are safe.

    Args:
        folder: As the configuration names it.
        results: Where runs write. The sample is drawn there, and drawn anew it would take the
            place of what people have filled in.

    Raises:
        UserError: the folder is in `results`, or has no sample.
    """
    if folder.resolve().is_relative_to(results.resolve()):
        raise UserError(
            f"config: trustworthy.annotations.folder: {folder} is in {results}, where a run "
            "overwrites what people have filled in: copy the folder to another place, and name that"
        )
    if not (folder / SAMPLE).is_file():
        raise UserError(
            f"config: trustworthy.annotations.folder: {folder} has no {SAMPLE}: put the one that "
            "was drawn beside the completed files"
        )
