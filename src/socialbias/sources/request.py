"""What a locator needs to know to fetch a file: which file, how long to wait, where to keep things.

Each kind of locator is a module with one function, `download(locator, target, request)`: it writes
the file at `target` or raises a one-line `OSError`. `fetch` verifies what it wrote.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from socialbias.files.atomic_write import Log


@dataclass(frozen=True)
class Timeouts:
    """How long to wait for servers, and how often to retry.

    Attributes:
        connect: Seconds until a server must have accepted a connection.
        read: Seconds until the next chunk must have arrived.
        attempts: Attempts in a row without progress.
        backoff: Seconds before the second attempt; doubled before each further one.
        max_wait: Longest wait in seconds that a server may ask for.
        stall: Seconds over which fewer than `min_rate` bytes a second count as a failure.
        min_rate: Bytes a second.
    """

    connect: float = 10.0
    read: float = 60.0
    attempts: int = 5
    backoff: float = 1.0
    max_wait: float = 600.0
    stall: float = 120.0
    min_rate: int = 256


@dataclass(frozen=True)
class FetchRequest:
    """One file to fetch.

    Attributes:
        source: The source's id.
        name: The file's name.
        bytes: Its size; None if it is unknown.
        pinned: Whether its checksum is known, so that a wrong file is always detected.
        packages: Folder in which whole packages are kept, as one may hold several files.
        log: Called with one line for each step.
        timeouts: How long to wait.
    """

    source: str
    name: str
    bytes: int | None
    pinned: bool
    packages: Path
    log: Log
    timeouts: Timeouts = Timeouts()


def parts_of(locator: str, form: re.Pattern[str], example: str) -> re.Match[str]:
    """The parts of a locator.

    Raises:
        OSError: it has another form than the example.
    """
    if match := form.match(locator):
        return match
    raise OSError(f"not of the form {example}")
