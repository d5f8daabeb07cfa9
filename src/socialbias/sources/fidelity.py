"""How close an input is to that of the paper."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

Fidelity = Literal["exact", "subset", "substitute", "own", "no input"]
OR = " or "  # between the fidelities that a cell may have, before its words are looked up
FOR = "(for: "  # in a label, between what was measured and the paper's input
# From best to worst: a number with several inputs is as good as the worst of them.
FIDELITIES: tuple[Fidelity, ...] = ("exact", "subset", "substitute", "own", "no input")


def worst_fidelity(fidelities: Iterable[str]) -> str:
    """Return the fidelity of a number computed from inputs of these fidelities."""
    return max(fidelities, key=FIDELITIES.index, default="exact")
