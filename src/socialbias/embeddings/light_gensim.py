"""What this package uses of gensim, imported without scipy.stats.

gensim imports scipy.stats for a few functions that training does not call; it takes as long as all
the rest of gensim.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import import_module
from types import ModuleType

STATS = "scipy.stats"


class _Later(ModuleType):
    """A module whose functions import it when they are called."""

    def __getattr__(self, name: str) -> Callable:
        if name.startswith("__"):  # Python's own, which are asked of every module
            raise AttributeError(name)
        return lambda *args, **named: getattr(import_module(self.__name__), name)(*args, **named)


@contextmanager
def _without_stats() -> Iterator[None]:
    """Put off imports of scipy.stats, unless it has been imported before."""
    if STATS in sys.modules:
        yield
        return
    sys.modules[STATS] = _Later(STATS)
    try:
        yield
    finally:
        del sys.modules[STATS]


with _without_stats():
    from gensim.models import Word2Vec

__all__ = ["Word2Vec"]
