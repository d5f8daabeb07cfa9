"""Computation in a fixed number of threads: sums of floats depend on how threads divide them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager

import torch


def one_thread() -> AbstractContextManager[None]:
    """Make torch use a single thread, so that the same input gives the same bytes everywhere."""
    return threads(1)


@contextmanager
def threads(number: int) -> Iterator[None]:
    """Make torch use so many threads, whatever the number of cores.

    The same number gives the same bytes on any number of cores, which take turns where there are
    fewer; another number gives others.
    """
    before = torch.get_num_threads()
    torch.set_num_threads(number)
    try:
        yield
    finally:
        torch.set_num_threads(before)
