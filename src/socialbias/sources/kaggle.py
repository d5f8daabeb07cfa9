"""Files of Kaggle data sets, by Kaggle's own client where a user has it and an account."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
from pathlib import Path

from socialbias.sources.landing import copy_stream
from socialbias.sources.order import Order
from socialbias.sources.unpack import open_member

LOCATOR = re.compile(r"^kaggle://(?P<set>[\w-][\w.-]*/[\w-][\w.-]*)/(?P<file>.+)$")
HOW = "install Kaggle's client (`kaggle`) and put an account's key where it looks for it"


def present() -> bool:
    """Whether the client is here, with an account's key where it looks for one."""
    return shutil.which("kaggle") is not None and _has_key()


def bring(locator: str, target: Path, order: Order) -> None:
    """Download one file of a data set.

    Args:
        locator: `kaggle://owner/dataset/file`.
        target: Where to write it; overwritten.
        order: What is wanted.

    Raises:
        OSError: the client could not fetch it.
        UserError: it came in an archive that may not be trusted.
    """
    match = LOCATOR.match(locator)
    if match is None:
        raise OSError("not of the form kaggle://owner/dataset/file")
    name = Path(match["file"]).name
    for old in target.parent.glob(f".{target.name}~*"):
        shutil.rmtree(old, ignore_errors=True)
    with tempfile.TemporaryDirectory(dir=target.parent, prefix=f".{target.name}~") as folder:
        _download(match["set"], match["file"], folder)
        plain, packed = Path(folder, name), Path(folder, f"{name}.zip")
        if plain.exists():
            plain.replace(target)
        elif packed.exists():  # the client packs what is large
            with open_member(packed, name) as stream:
                copy_stream(stream, target, order.bytes)
        else:
            raise OSError(f"the client brought no file called {name}")


def _has_key() -> bool:
    """Whether an account's key lies in one of the client's places."""
    names = os.environ.get
    if names("KAGGLE_API_TOKEN") or (names("KAGGLE_USERNAME") and names("KAGGLE_KEY")):
        return True
    home = Path(names("HOME") or "/")
    folders = [home / ".kaggle", Path(names("XDG_CONFIG_HOME") or home / ".config") / "kaggle"]
    folders += [Path(folder)] if (folder := names("KAGGLE_CONFIG_DIR")) else []
    return any((f / name).exists() for f in folders for name in ("kaggle.json", "access_token"))


def _download(dataset: str, file: str, folder: str) -> None:
    """Let the client fetch one file into a folder."""
    command = ["kaggle", "datasets", "download", "--quiet", "-d", dataset, "-f", file, "-p", folder]
    try:
        result = subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            check=False,
        )
    except FileNotFoundError:
        raise OSError(HOW) from None
    if result.returncode != 0:
        lines = (result.stderr + result.stdout).strip().splitlines()
        raise OSError(f"kaggle: {lines[-1] if lines else f'it failed with {result.returncode}'}")
