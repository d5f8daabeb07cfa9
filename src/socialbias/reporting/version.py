"""Which code wrote a file."""

from __future__ import annotations

import subprocess
from pathlib import Path

from socialbias import __version__
from socialbias.files.paths import resources

CHECKOUT = resources().parent  # without a checkout the folder of the package


def code_version(checkout: Path = CHECKOUT) -> str:
    """Return the version of this package and, where it runs from a git checkout, the commit."""
    version = f"socialbias {__version__}"
    if not (checkout / ".git").exists():
        return version
    here = [f"--git-dir={checkout / '.git'}", f"--work-tree={checkout}"]
    describe = ["describe", "--always", "--dirty", "--abbrev=12", "--exclude=*"]
    command = ["git", "--no-optional-locks", *here, *describe]
    try:
        result = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60)
    except (OSError, subprocess.SubprocessError):
        return version  # no git, or one that may not read this checkout
    commit, dirty, _ = result.stdout.strip().partition("-dirty")
    return f"{version}, commit {commit}" + " with uncommitted changes" * bool(dirty)
