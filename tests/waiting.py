"""Waiting for another process or thread, on a machine of any speed."""

import os
import time
from collections.abc import Callable

PATIENCE = 600.0  # seconds: a machine with much else to do takes long, and only a failure this long


def until(condition: Callable[[], object]) -> None:
    """Wait until a condition is true; after `PATIENCE` it is an error."""
    deadline = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < deadline, f"not within {PATIENCE:.0f} s"
        time.sleep(0.01)


def is_running(process: int) -> bool:
    """Whether there is a process with this id."""
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    return True
