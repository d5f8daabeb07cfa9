"""Checks of the arguments of public functions: each must be what its annotation says."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping
from functools import wraps
from numbers import Integral, Real
from os import PathLike

import numpy as np

from socialbias.embeddings.words.lists import WordLists
from socialbias.errors import UserError
from socialbias.files.text import printable

WORDS = "words, a file or a list's name"
MAX_CHARACTERS = 80  # characters of a value in an error


def _is_list(value: object) -> bool:
    """Return whether a value is a list, or another sequence such as an array or a series."""
    sized = hasattr(value, "__len__") and hasattr(value, "__iter__")
    return sized and not isinstance(value, str | bytes | Mapping | set)


def _has_columns(value: object) -> bool:
    """Return whether a value is a mapping, or a data frame, of lists."""
    return hasattr(value, "keys") and all(_is_list(value[key]) for key in value)


# By part of an annotation, a test of values, and its name in errors. An annotation with another
# part is not checked.
KINDS: dict[str, tuple[Callable[[object], bool], str]] = {
    "None": (lambda value: value is None, ""),
    "bool": (lambda value: isinstance(value, bool | np.bool_), "True or False"),
    "int": (lambda value: isinstance(value, Integral), "a whole number"),
    "float": (lambda value: isinstance(value, Real), "a number"),
    "str": (lambda value: isinstance(value, str), "text"),
    "Path": (lambda value: isinstance(value, PathLike), "a path"),
    "Say": (callable, "a function"),
    "Words": (lambda value: isinstance(value, str | PathLike | Mapping | WordLists), WORDS),
    "Sequence[Words]": (_is_list, WORDS),
    "Iterable[str]": (lambda value: isinstance(value, Iterable), WORDS),
    "Sequence[str]": (_is_list, "a list"),
    "Sequence[int]": (
        lambda value: _is_list(value) and all(isinstance(each, Integral) for each in value),
        "a list of whole numbers",
    ),
    "tuple[str, str]": (lambda value: _is_list(value) and len(value) == 2, "a list of two"),
    "Labels": (_has_columns, "lists by name"),
    "Mapping[str, Sequence]": (_has_columns, "columns by name"),
    "Mapping[str, float]": (lambda value: isinstance(value, Mapping), "numbers by name"),
}


def check(name: str, value: object, annotation: str) -> None:
    """Raise UserError for an argument that is not what its annotation says."""
    parts = annotation.split(" | ")
    if not set(parts) <= KINDS.keys() or any(KINDS[part][0](value) for part in parts):
        return
    kinds = " or ".join(dict.fromkeys(KINDS[part][1] for part in parts if part != "None"))
    raise UserError(f"{name}: must be {kinds}, not {printable(repr(value), MAX_CHARACTERS)}")


def checked(function: Callable) -> Callable:
    """Check the arguments of each call of a function, as a decorator."""
    signature = inspect.signature(function)

    @wraps(function)
    def call(*args, **kwargs):
        for name, value in signature.bind(*args, **kwargs).arguments.items():
            check(name, value, signature.parameters[name].annotation)
        return function(*args, **kwargs)

    # Completion and `help` show the options by name.
    shown = dict(signature.parameters)
    if shown.pop("options", None):
        for name, annotation in function.__globals__["Options"].__annotations__.items():
            kind, kept = inspect.Parameter.KEYWORD_ONLY, annotation.__forward_arg__
            shown[name] = inspect.Parameter(name, kind, default=None, annotation=kept)
    call.__signature__ = signature.replace(parameters=shown.values())
    return call
