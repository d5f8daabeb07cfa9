"""Output into a pipe whose reader, such as `head`, may leave before its end."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def reader_may_leave() -> Iterator[None]:
    """End what is printed within when nobody reads it any more, without an error."""
    try:
        yield
        if sys.stdout is not None:  # a daemon may have closed it
            sys.stdout.flush()
    except BrokenPipeError:
        # What is still held back would fail once more when Python ends.
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)
