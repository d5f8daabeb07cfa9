"""Where this library's own files are, and paths that users name."""

from __future__ import annotations

from pathlib import Path

from socialbias.errors import UserError

OPEN = "/dev/fd/"  # where what a shell has open is
PACKAGE = Path(__file__).resolve().parents[1]


def resources() -> Path:
    """Return the folder of facts that travel with the library, from a checkout or from a wheel.

    `word_lists` has the lists of the papers (`embeddings.words.of_papers` reads them), `published`
    their printed numbers, `sources.yaml` where data and models come from.
    """
    in_wheel = PACKAGE / "resources"
    return in_wheel if in_wheel.is_dir() else PACKAGE.parents[1] / "resources"


def reference_folder() -> Path:
    """Return the folder of the committed reference run, which may not be there yet."""
    in_wheel = PACKAGE / "reference"
    return in_wheel if in_wheel.is_dir() else PACKAGE.parents[1] / "results/reference"


def exists(named: str | Path) -> bool:
    """Return whether there is such a path: words with commas may be longer than one can be."""
    try:
        return Path(named).exists()
    except OSError:
        return False


def expanded(path: str | Path) -> Path:
    """Return a path with the home folder for `~`; as it is if there is no such user."""
    try:
        return Path(path).expanduser()
    except RuntimeError:
        return Path(path)


def check_file(path: Path, *, once: bool = False) -> None:
    """Refuse a pipe or device: it would be waited for, and can be read once alone.

    What the shell has open (`<(command)`) is admitted where it is read `once`.
    """
    if str(path) == "-" and not path.exists():
        raise UserError("-: standard input is not read: name a file")
    if path.is_dir() or path.is_file() or not path.exists():
        return
    if not (once and str(path).startswith(OPEN)):
        raise UserError(f"{path}: a pipe or device: save what comes from it as a file")
