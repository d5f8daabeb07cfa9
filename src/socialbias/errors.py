"""The one exception that carries a message meant for the user, and hints for such messages."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

# By the name that is imported, where it is not the same.
DISTRIBUTIONS = {"sklearn": "scikit-learn", "yaml": "pyyaml"}
EXTRAS = ("text", "models", "plot", "workflow")  # of those that have a package, the first is named


class UserError(Exception):
    """Something that the user can put right: one line that says what, where and what to do."""


def nearest(word: str, choices: Iterable[str]) -> str:
    """Return a hint with the nearest right spelling; "" where none is near."""
    known = {choice.casefold(): choice for choice in choices}  # WEAT means weat
    close = difflib.get_close_matches(word.casefold(), list(known), n=1, cutoff=0.6)
    return f"; did you mean {known[close[0]]!r}?" if close else ""


def mistyped(path: Path) -> str:
    """Return a hint at a path beside it, whose name is nearly the same; "" where there is none."""
    try:
        return nearest(path.name, [each.name for each in path.parent.iterdir()])
    except OSError:
        return ""


def missing_package(error: ModuleNotFoundError) -> str:
    """Return how to install a package that was not found; what Python says if no extra has it."""
    from importlib.metadata import PackageNotFoundError, requires  # slow, and seldom needed

    try:
        requirements = requires("socialbias") or []
    except PackageNotFoundError:  # used from a folder, without being installed
        requirements = []
    package = (error.name or "").partition(".")[0]
    name = DISTRIBUTIONS.get(package, package).replace("_", "[-_]")
    pattern = re.compile(rf"{name}(?![\w-]).*extra == .({'|'.join(EXTRAS)})\b")
    extras = {match[1] for line in requirements if (match := pattern.match(line))}
    if not extras:
        return str(error)
    return f"this needs {package}: pip install 'socialbias[{min(extras, key=EXTRAS.index)}]'"


@contextmanager
def naming_extras() -> Iterator[None]:
    """Name the extra that installs a package which is missing; also a decorator.

    A panic of a tokenizer, whose library is in Rust, becomes a UserError.
    """
    try:
        yield
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError(missing_package(error), name=error.name) from error
    except BaseException as error:
        if type(error).__module__ != "pyo3_runtime":  # a panic of Rust is no Exception
            raise
        advice = "its tokenizer.json may have a regular expression that backtracks"
        raise UserError(f"the model's tokenizer fails on a text: {error}; {advice}") from None
