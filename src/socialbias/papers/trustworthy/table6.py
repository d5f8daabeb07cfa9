"""Table 6, amplification: bias in training text (L1), representations (L2) and samples (L3)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from socialbias.measures.similarity import Array
from socialbias.papers.inputs import Input, joined
from socialbias.papers.trustworthy import probes
from socialbias.papers.trustworthy.directed import Directed, directed, without_contexts
from socialbias.papers.trustworthy.inputs import (
    first_gender_list,
    read_tables,
)
from socialbias.pipeline.job import Job
from socialbias.reporting.values import value
from socialbias.sources.fidelity import worst_fidelity

UNIT = "difference of female shares"
UNIFORM = "uniform"
# Each pair of the paper (section 6), the controls, and each level against the uniform reference.
PAIRS = (("L2", "L1"), ("L3", "L2"), ("L3", "L1"))
CONTROLS = ("one-hot", "random")


# Sentences of a context in L1 and L3; L2 is of single sentences. In print three against one.
SETTINGS = {"mixed": (3, probes.HARD), "one": (1, probes.HARD), "one-soft": (1, probes.SOFT)}
TEXTS = {"L1": "webtext", "L3": "samples"}
PROBES = {"L2": "given", "one-hot": "one-hot", "random": "random"}


def levels(
    found: Mapping[str, Input], variant: str, coverage: float
) -> dict[str, dict[str, Directed]]:
    """The directed bias of every level in every setting.

    Args:
        found: Of `webtext`, `samples` and `probe_gpt2` those that there are.
        variant: Of the word lists.
        coverage: Of the intervals.
    """
    result = {}
    for setting, (n, how) in SETTINGS.items():
        tables = {}
        for level, text in TEXTS.items():
            if text in found:
                table = found[text].data
                tables[level] = text, table[(table["n"] == n) & (table["variant"] == variant)]
        for level, kind in PROBES.items():
            if "probe_gpt2" in found:
                evidence = found["probe_gpt2"].data
                counts = probes.probe_counts(evidence, kind, variant, soft=how == probes.SOFT)
                tables[level] = "probe_gpt2", counts
        result[setting] = {
            level: directed(table, found[name], coverage) for level, (name, table) in tables.items()
        }
    return result


def values(settings: Mapping[str, Mapping[str, Directed]], targets: Sequence[str]) -> list[dict]:
    """Relative bias of each pair of levels, `observed;reference`, for each target.

    Above zero, the observed level is more female than its reference: whether that is
    amplification depends on the side that the reference leans to, which the columns against
    `uniform` tell.

    Args:
        settings: By setting, such as `mixed` (L1 and L3 in three sentences, L2 in one, as print)
            or `one` (one sentence throughout), the levels `L1`, `L2`, `L3` that there are, and
            the controls in L2's place: `one-hot` (a probe that knows only which word it is
            asked about) and `random` (representations by a model with random weights).
        targets: The rows.

    Returns:
        Values of the columns `L2;L1@<setting>` and so on. n is that of the smaller side. Against
        the uniform distribution the interval is that of the share. Of two levels it is made of
        both intervals (Zou and Donner 2008) as if they were independent: where they share
        contexts, as L2 and L1 do, it is rather too wide.
    """
    records = []
    for setting, measured in settings.items():
        levels = {name: found.of(targets) for name, found in measured.items()}
        pairs = [*PAIRS, *((control, "L1") for control in CONTROLS)]
        pairs += [(name, UNIFORM) for name in ("L1", "L2", "L3")]
        for observed, reference in pairs:
            if observed in levels and (reference in levels or reference == UNIFORM):
                column = f"{observed};{reference}@{setting}"
                records += _column(column, levels[observed], levels.get(reference))
    return records


def _column(column: str, observed: Directed, reference: Directed | None) -> list[dict]:
    """The cells of one column; None as the reference is the uniform distribution."""
    bias, low, high, n = observed.observed, observed.low, observed.high, observed.n
    sources, fidelity = observed.source, observed.fidelity
    if reference is not None:
        bias, low, high = _difference(observed, reference)
        n = np.minimum(n, reference.n)
        sources = joined([sources, reference.source])
        fidelity = worst_fidelity([fidelity, reference.fidelity])
    return [
        without_contexts(target, column)
        if np.isnan(bias[i])
        else value(
            target,
            column,
            bias[i],
            ci_low=low[i],
            ci_high=high[i],
            n=int(n[i]),
            n_unit="contexts",
            unit=UNIT,
            fidelity=fidelity,
            sources=sources,
        )
        for i, target in enumerate(observed.targets)
    ]


def _difference(one: Directed, other: Directed) -> tuple[Array, Array, Array]:
    """The difference of two biases and its interval, from the intervals of both."""
    bias = one.observed - other.observed
    below = np.hypot(one.observed - one.low, other.high - other.observed)
    above = np.hypot(one.high - one.observed, other.observed - other.low)
    return bias, bias - below, bias + above


def summarise(job: Job) -> list[dict]:
    """All cells."""
    variant, _ = first_gender_list(job)
    targets = job.word_lists("trustworthy")["table3_targets"]
    return values(levels(read_tables(job), variant, job.level), targets)
