"""The card that a run is planned for: measured by `make verify-gpu`, or a guess."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from socialbias.config import Planning
from socialbias.errors import UserError


class Card(NamedTuple):
    """A card that a run is planned for.

    Attributes:
        name: For a reader.
        mb: Megabytes of memory.
        flops: Operations a second by precision (`float32`, `tf32`, `bfloat16`).
    """

    name: str
    mb: float
    flops: Mapping[str, float]

    def rate(self, dtype: str) -> float:
        """Operations a second; of a precision that nobody measured, those of float32."""
        precision = "bfloat16" if dtype == "auto" else dtype
        return self.flops.get(precision, self.flops["float32"])


def card_of(planning: Planning, machine: Mapping[str, Any]) -> Card:
    """The card that `make verify-gpu` measured where the configuration names its file, or a guess.

    Args:
        planning: What the configuration says of the machine.
        machine: Rates of a machine in `resources/costs.yaml`.

    Raises:
        UserError: the file is missing, or lacks a key.
    """
    if planning.card is None:
        flops = {"float32": machine["card_flops"]}
        return Card(f"a card of {planning.card_gb:g} GB, assumed", planning.card_gb * 1000, flops)
    try:
        measured = json.loads(Path(planning.card).read_text("utf-8"))
        flops = {name: float(rate) for name, rate in measured["flops"].items()}
        flops["float32"]
        memory = float(measured["memory_mb"])
        if not all(number > 0 for number in (memory, *flops.values())):
            raise ValueError("a number is not above 0")
        return Card(measured["card"], memory, flops)
    except OSError as error:
        raise UserError(f"config: planning.card: {planning.card}: {error.strerror}") from None
    except (ValueError, TypeError, AttributeError, LookupError) as error:
        raise UserError(
            f"config: planning.card: {planning.card}: not a file of `make verify-gpu` ({error!r}): "
            "it has `card`, `memory_mb` and `flops` with `float32`"
        ) from None
