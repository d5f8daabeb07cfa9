"""What to say of an error that a full disk made: where, and how much is free."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

from socialbias.files.atomic_write import DISK_FULL

# How libraries say it that pass the system's number on only as text, or not at all: pyarrow, numpy
# (`637600 requested and 76768 written`), PyTorch.
SAID = re.compile(
    r"No space left on device|Disk quota exceeded|\d+ requested and \d+ written"
    r"|PytorchStreamWriter failed writing|unexpected pos \d+ vs \d+"
)


def full_disk(error: BaseException | None, folder: Path) -> str | None:
    """Return one line on an error that a full disk made (None.

    Another), in its file or this folder.
    """
    while error is not None:
        if getattr(error, "errno", None) in DISK_FULL or SAID.search(str(error)):
            path = Path(getattr(error, "filename", None) or folder)
            near = next(x for x in (path, *path.absolute().parents) if x.is_dir())
            return (
                f"{path}: the disk is full: {shutil.disk_usage(near).free:,} bytes are free in "
                f"{near}: free some space, and start the same command again: it goes on from what "
                "is finished"
            )
        error = error.__cause__ or error.__context__
    return None
