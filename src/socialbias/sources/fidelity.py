"""How near an input is to the paper's own."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

Fidelity = Literal["exact", "subset", "substitute", "no input"]
# From the best to the worst: what rests on several inputs is as good as the worst of them.
FIDELITIES: tuple[Fidelity, ...] = ("exact", "subset", "substitute", "no input")


def worst_fidelity(fidelities: Iterable[str]) -> str:
    """The fidelity of a number that rests on inputs of these fidelities."""
    return max(fidelities, key=FIDELITIES.index, default="exact")
