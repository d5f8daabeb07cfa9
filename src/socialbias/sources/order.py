"""What every locator is told: what is wanted, how long to wait, where to keep things.

Each kind of locator is a module with one function, `bring(locator, target, order)`: it writes the
file at `target` or raises an `OSError` of one line. What it wrote is checked by `fetch`.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from socialbias.sources.landing import Log


@dataclass(frozen=True)
class Patience:
    """How long to wait for others.

    Attributes:
        connect: Seconds until a server must have answered a call.
        read: Seconds until the next piece must have come.
        attempts: Attempts in a row that bring nothing new.
        pause: Seconds before the second attempt; doubled before each further one.
        longest: Longest pause that a server may ask for.
        stall: Seconds over which less than `slowest` bytes a second count as a fault.
        slowest: Bytes a second.
    """

    connect: float = 10.0
    read: float = 60.0
    attempts: int = 5
    pause: float = 1.0
    longest: float = 600.0
    stall: float = 120.0
    slowest: int = 256


@dataclass(frozen=True)
class Order:
    """One file that is wanted.

    Attributes:
        source: The source's id.
        name: The file's name.
        bytes: Its size; None where nobody knows it.
        pinned: Whether its checksum is known, so that a wrong file cannot pass.
        packages: Folder in which whole packages are kept, as one may carry several files.
        log: Called with one line for each step.
        patience: How long to wait.
    """

    source: str
    name: str
    bytes: int | None
    pinned: bool
    packages: Path
    log: Log
    patience: Patience = Patience()
