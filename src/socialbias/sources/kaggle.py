"""Files of Kaggle data sets, downloaded by Kaggle's own client."""

from __future__ import annotations

import os
import re
import shutil
import tempfile
from pathlib import Path

from socialbias.files.atomic_write import copy_stream
from socialbias.files.unpack import open_member
from socialbias.sources.packages import run_client
from socialbias.sources.request import FetchRequest, parts_of

LOCATOR = re.compile(r"^kaggle://(?P<set>[\w-][\w.-]*/[\w-][\w.-]*)/(?P<file>.+)$")
INSTALL = "install Kaggle's client (`kaggle`) and put an account's key where it looks for one"


def installed() -> bool:
    """Return whether the client is installed and can find an account's key."""
    if shutil.which("kaggle") is None:
        return False
    env = os.environ.get
    if env("KAGGLE_API_TOKEN") or (env("KAGGLE_USERNAME") and env("KAGGLE_KEY")):
        return True
    home = Path(env("HOME") or "/")
    folders = [home / ".kaggle", Path(env("XDG_CONFIG_HOME") or home / ".config") / "kaggle"]
    folders += [Path(folder)] if (folder := env("KAGGLE_CONFIG_DIR")) else []
    return any((f / name).exists() for f in folders for name in ("kaggle.json", "access_token"))


def download(locator: str, target: Path, request: FetchRequest) -> None:
    """Download one file of a data set: `kaggle://owner/dataset/file`."""
    match = parts_of(locator, LOCATOR, "kaggle://owner/dataset/file")
    name = Path(match["file"]).name
    for old in target.parent.glob(f".{target.name}~*"):
        shutil.rmtree(old, ignore_errors=True)
    with tempfile.TemporaryDirectory(dir=target.parent, prefix=f".{target.name}~") as folder:
        command = ["kaggle", "datasets", "download", "--quiet", "-d", match["set"]]
        try:
            result = run_client([*command, "-f", match["file"], "-p", folder])
        except FileNotFoundError:
            raise OSError(INSTALL) from None
        if result.returncode != 0:
            lines = (result.stderr + result.stdout).strip().splitlines()
            raise OSError(f"kaggle: {lines[-1] if lines else f'failed ({result.returncode})'}")
        plain, zipped = Path(folder, name), Path(folder, f"{name}.zip")
        if plain.exists():
            plain.replace(target)
        elif zipped.exists():  # the client zips large files
            with open_member(zipped, name) as stream:
                copy_stream(stream, target, request.bytes)
        else:
            raise OSError(f"kaggle downloaded no file called {name}")
