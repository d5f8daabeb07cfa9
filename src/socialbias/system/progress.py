"""Progress of what takes long: which lines are due, how much time is left, and who shows them."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from time import monotonic

from socialbias.files.text import shown

Log = Callable[[str], None]
FIRST = 5.0  # seconds before the first line
EVERY = 10.0  # seconds between lines
ON_TERMINAL = 1.0  # the same where a line replaces the one before it
CLEARED = "\r\x1b[K"

_terminal: ContextVar[Log | None] = ContextVar("terminal", default=None)


class Pace:
    """Decides when a line of progress is due, and estimates the time left.

    Attributes:
        seconds: From the start to the last look.
    """

    def __init__(self, log: Log | None):
        """`log` is called with lines; if it is None they go to the terminal of `on_terminal`."""
        shown = _terminal.get()
        self.log, self._every = log or shown, EVERY if log else ON_TERMINAL
        self._started, self._next, self.seconds = monotonic(), FIRST, 0.0

    def due(self) -> bool:
        """Return whether a line should be logged now."""
        self.seconds = monotonic() - self._started
        if self.log is None or self.seconds < self._next:
            return False
        self._next = self.seconds + self._every
        return True

    def left(self, done: float, whole: float) -> str:
        """Return the minutes and seconds that the rest takes, such as `1:05 left`."""
        return time_left(self.seconds, done, whole)


def time_left(seconds: float, done: float, whole: float) -> str:
    """Return the minutes and seconds that the rest takes if all takes as long as what is done."""
    minutes, seconds = divmod(round(seconds / max(1, done) * (whole - done)), 60)
    return f"{minutes}:{seconds:02d} left"


@contextmanager
def on_terminal() -> Iterator[Log]:
    """Show lines of progress on stderr if it is a terminal, each in the place of the one before."""
    terminal = sys.stderr is not None and sys.stderr.isatty()

    def replace(line: str) -> None:
        width = shutil.get_terminal_size().columns - 1
        print(f"{CLEARED}{shown(line)[:width]}", end="", file=sys.stderr, flush=True)

    def keep(line: str) -> None:
        if sys.stderr is not None:  # a daemon may have closed it
            print(f"{CLEARED if terminal else ''}{shown(line)}", file=sys.stderr, flush=True)

    token = _terminal.set(replace if terminal else None)
    try:
        yield keep
    finally:
        _terminal.reset(token)
        if terminal:
            print(CLEARED, end="", file=sys.stderr, flush=True)
