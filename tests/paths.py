"""Where the tests find the repository, what it keeps and what has been fetched; a copy of it."""

import os
import shutil
import subprocess
from pathlib import Path

REPOSITORY = Path(__file__).parents[1]
RESOURCES = REPOSITORY / "resources"
FORKED_JOBS = REPOSITORY / "tests/forked_jobs.py"
PUBLISHED = RESOURCES / "published"
# Sources that a run has fetched: its `data` folder.
DATA = Path(os.environ.get("SOCIALBIAS_DATA", REPOSITORY / "data"))


def known_files() -> list[str]:
    """What git knows of or would take, without the tests."""
    listing = ["git", "ls-files", "--cached", "--others", "--exclude-standard"]
    names = subprocess.run(listing, cwd=REPOSITORY, capture_output=True, text=True, check=True)
    found = (name for name in names.stdout.splitlines() if not name.startswith("tests/"))
    return [name for name in found if (REPOSITORY / name).exists()]


def copy_checkout(target: Path) -> None:
    """Copy what git knows of, without the tests."""
    for name in known_files():
        (target / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(REPOSITORY / name, target / name, follow_symlinks=False)
