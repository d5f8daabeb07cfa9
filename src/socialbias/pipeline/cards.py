"""Whether this machine has a GPU, told without loading PyTorch, which takes seconds."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

VISIBLE = "CUDA_VISIBLE_DEVICES"  # "" or -1 where a person hides all of them


def has_card(environment: Mapping[str, str], devices: Path = Path("/dev")) -> bool:
    """Whether there is an NVIDIA card that a job would take.

    Args:
        environment: Variables.
        devices: The folder of the system's devices, in which each card is `nvidia<number>`.
    """
    if environment.get(VISIBLE, "all") in ("", "-1"):
        return False
    return any(path.name[6:].isdigit() for path in devices.glob("nvidia*"))


def count_of(name: str, resources: Mapping[str, object]) -> float:
    """How many of a resource Snakemake was given; 0 where it was given none, or 0.

    Args:
        name: Such as `gpu`.
        resources: `workflow.global_resources`, numbers or objects with a `value`.
    """
    given = resources.get(name)
    return getattr(given, "value", given) or 0
