"""What a locator needs to know to fetch a file: which file, how long to wait, where to keep things.

Each kind of locator is a module with one function, `download(locator, target, request)`: it writes
the file at `target` or raises a one-line `OSError`. `fetch` verifies what it wrote.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from socialbias.files.atomic_write import Log

MAX_BYTES = 64 << 30  # of a file of unknown size, also when it is unpacked


@dataclass(frozen=True)
class Timeouts:
    """How long to wait for servers, in seconds, and how often to retry."""

    connect: float = 10.0  # until a server must have accepted a connection
    read: float = 60.0  # until the next chunk must have arrived
    attempts: int = 5  # in a row without progress
    backoff: float = 1.0  # doubled with each attempt
    max_wait: float = 600.0  # the longest that a server may ask for
    stall: float = 120.0  # over which fewer than `min_rate` bytes a second are a failure
    min_rate: int = 256


@dataclass(frozen=True)
class FetchRequest:
    """One file to fetch."""

    source: str
    name: str
    bytes: int | None
    pinned: bool  # whether its checksum is known, so that a wrong file is always detected
    packages: Path  # folder in which whole packages are kept, as one may have several files
    log: Log
    timeouts: Timeouts = Timeouts()


def parts_of(locator: str, form: re.Pattern[str], example: str) -> re.Match[str]:
    """Return the parts of a locator; OSError if it has another form than the example."""
    if match := form.match(locator):
        return match
    raise OSError(f"not of the form {example}")
