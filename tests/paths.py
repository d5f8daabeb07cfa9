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


def copy_checkout(target: Path) -> None:
    """Copy what git knows of, without the tests."""
    listing = ["git", "ls-files", "--cached", "--others", "--exclude-standard"]
    names = subprocess.run(listing, cwd=REPOSITORY, capture_output=True, text=True, check=True)
    for name in names.stdout.splitlines():
        source = REPOSITORY / name
        if source.exists() and not name.startswith("tests/"):
            (target / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(source, target / name, follow_symlinks=False)
