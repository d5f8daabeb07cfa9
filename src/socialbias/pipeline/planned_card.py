"""The card that a run is planned for: measured by `make verify-gpu`, or a guess."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from socialbias.config import Planning
from socialbias.errors import UserError

MEASURED = Path("results/verify-gpu.json")  # where `make verify-gpu` writes


class Card(NamedTuple):
    """A card that a run is planned for.

    Attributes:
        name: For a reader.
        mb: Megabytes of memory.
        flops: Operations a second by precision (`float32`, `tf32`, `bfloat16`).
        training: The same in a training, where that was measured; padding is not counted.
        seconds_per_text: What the card waits for a text; 0 where `flops` has that in it.
    """

    name: str
    mb: float
    flops: Mapping[str, float]
    training: Mapping[str, float]
    seconds_per_text: float

    def rate(self, dtype: str, trained: bool = False) -> float:
        """Operations a second; of a precision that nobody measured, those of float32."""
        precision = "bfloat16" if dtype == "auto" else dtype
        flops = {**self.flops, **(self.training if trained else {})}
        return flops.get(precision, flops["float32"])


def card_of(planning: Planning, machine: Mapping[str, Any]) -> Card:
    """The card that `make verify-gpu` measured, or a guess where it measured none.

    Args:
        planning: What the configuration says of the machine.
        machine: Rates of a machine in `resources/costs.yaml`.

    Raises:
        UserError: the file is missing, or lacks a key.
    """
    gb, flops = planning.card_gb, {"float32": machine["card_flops"]}
    guess = Card(f"a card of {gb:g} GB, assumed", gb * 1000, flops, {}, machine["seconds_per_text"])
    path = Path(planning.card or MEASURED)
    if not (planning.card or path.exists()):
        return guess
    try:
        measured = json.loads(path.read_text("utf-8"))
        if measured["card"] is None and not planning.card:  # only a CPU was verified
            return guess
        return _measured(measured, machine)
    except OSError as error:
        raise UserError(f"{path}: {error.strerror}") from None
    except (ValueError, TypeError, AttributeError, LookupError) as error:
        raise UserError(
            f"{path}: not a file of `make verify-gpu` ({error!r}), which has `card`, `memory_mb` "
            "and `flops` with `float32`: run it again, remove the file, or name another in "
            "planning.card"
        ) from None


def _measured(content: Mapping[str, Any], machine: Mapping[str, Any]) -> Card:
    """The card in a file of `make verify-gpu`: rates of BERT-base, else of products of matrices."""
    flops, training = {k: float(x) for k, x in content["flops"].items()}, {}
    waits = machine["seconds_per_text"]
    for name, rate in content.get("rates", {}).items():
        if name.startswith("extraction"):
            flops[rate["dtype"]], waits = float(rate["flops"]), 0
        elif "training" in name:
            training[rate["dtype"]] = float(rate["flops"]) * machine["padding"]
    memory = float(content["memory_mb"])
    if not all(x > 0 for x in (memory, flops["float32"], *flops.values(), *training.values())):
        raise ValueError("a number is not above 0")
    return Card(str(content["card"]), memory, flops, training, waits)
