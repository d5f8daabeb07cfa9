"""Into how many jobs a long training is divided: a chain, of which each hands its checkpoint on.

The number is of the configuration and the model's size alone, and not of the machine: what a run
has to do does not depend on where it is planned. Nor does the result depend on the number.
"""

from __future__ import annotations

from functools import cache
from math import ceil
from pathlib import Path
from typing import Any

from socialbias.pipeline.declarations import Step
from socialbias.pipeline.plan import Plan
from socialbias.yaml_files import read_yaml

LINK = "train_part"  # the rule of all jobs of a chain but the last
MODELS = Path("resources/costs.yaml")
UNKNOWN_MODEL = 85  # million weights of a model of unknown size, without embeddings: as BERT base
ALL_PAIRS = 9_500_000  # of the paper: at most so many where a run takes all
EPOCHS, PIECES, PADDING = 10, 60, 1.25  # of a pair of sentences
# Passes over a trained piece: forward, backward (two), and forward again where layers are
# checkpointed. Operations a second of a card of 2020 in float32, half of what it has.
PASSES, FLOPS = 4, 1e13
WAITS = 0.0024  # seconds that a card waits for a text


def links_of(plan: Plan, step: Step) -> int:
    """The number of jobs that share the training of a step; 1 for a step that trains nothing."""
    if not step.chain:
        return 1
    section = plan.config.stereoset.next_sentence
    if not section.fine_tune:
        return 1
    roles = [name for name in step.needs if name in plan.bindings]
    known: Any = _models(plan.root / MODELS).get(plan.bindings[roles[0]].source, {})
    return links(known.get("layers", UNKNOWN_MODEL), section.train, section.hours_per_job)


def links(weights: float, pairs: int, hours_per_job: float) -> int:
    """The number of jobs, each of about so many hours at most on a card.

    Args:
        weights: Millions of them, without embeddings.
        pairs: Pairs of sentences to train on; 0 for all.
        hours_per_job: Hours of a job.
    """
    seen = (pairs or ALL_PAIRS) * EPOCHS
    seconds = 2 * weights * 1e6 * PASSES * seen * PIECES * PADDING / FLOPS + seen * WAITS
    return max(1, ceil(seconds / (3600 * hours_per_job)))


@cache
def _models(path: Path) -> dict[str, dict]:
    return read_yaml(path)["models"]
