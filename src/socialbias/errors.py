"""The one exception that carries a message meant for the user, and hints for such messages."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


class UserError(Exception):
    """Something that the user can put right: one line that says what, where and what to do."""


def nearest(word: str, choices: Iterable[str]) -> str:
    """A hint with the nearest right spelling; "" where none is near."""
    close = difflib.get_close_matches(word, list(choices), n=1, cutoff=0.6)
    return f"; did you mean {close[0]!r}?" if close else ""
