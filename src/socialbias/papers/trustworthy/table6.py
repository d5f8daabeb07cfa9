"""Table 6, amplification: bias in training text (L1), representations (L2) and samples (L3)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from socialbias.papers.trustworthy import probes
from socialbias.papers.trustworthy.directed import (
    UNIFORM,
    Difference,
    Directed,
    apart,
    cells,
    difference_cells,
    directed,
    of_text,
    references,
    same_contexts,
)
from socialbias.papers.trustworthy.inputs import first_gender_list, read_employment, read_tables
from socialbias.pipeline.job import Job

# Each pair of the paper (section 6), and the controls in L2's place.
PAIRS = (("L2", "L1"), ("L3", "L2"), ("L3", "L1"))
CONTROLS = ("one-hot", "random", "shuffled")
# What amplification must go beyond: a probe repeats what chance there is in its training labels.
BEYOND = (*CONTROLS, "majority")
LEVELS = ("L1", "L2", "L3")

# Sentences of a context in L1 and L3; L2 is of single sentences. In print three against one.
SETTINGS = {"mixed": (3, probes.HARD), "one": (1, probes.HARD), "one-soft": (1, probes.SOFT)}
TEXTS = {"L1": "webtext", "L3": "samples"}
PROBES = {"L2": "given", **{kind: kind for kind in CONTROLS}}
PAIRED = "paired"  # the setting in which L1 and L2 are of the same contexts, by probabilities
AMPLIFICATION = "amplification"


@dataclass(frozen=True)
class Levels:
    """The directed biases of a setting."""

    biases: Mapping[str, Directed]  # by level (`L1`, `L2`, `L3`) and control, those that there are
    paired: bool = False  # whether L1, L2 and the controls are of the same contexts
    # By target, the side that training text leans to: 1 is female, -1 male.
    lean: Mapping[str, float] = field(default_factory=dict)


def levels(
    tables: Mapping[str, pd.DataFrame], variant: str, coverage: float, seed: int = 0
) -> dict[str, Levels]:
    """Return the directed bias of every level in every setting."""
    result, probe, weak = {}, tables.get("probe_gpt2"), ""
    if probe is not None:
        weak = probes.weakness(probe, variant, coverage, seed)
    for setting, (n, how) in SETTINGS.items():
        biases = {
            level: of_text(tables[text], text, n, variant, coverage)
            for level, text in TEXTS.items()
            if text in tables
        }
        for level, kind in PROBES.items():
            if probe is not None and (probe["kind"] == kind).any():
                counts = probes.probe_counts(probe, kind, variant, soft=how == probes.SOFT)
                # The probe reads the training text: its documents are that text's.
                biases[level] = directed(counts, coverage, TEXTS["L1"], weak)
        result[setting] = Levels(biases)
    if probe is not None:
        result[PAIRED] = of_same_contexts(probe, variant, coverage, weak)
        if "L3" in result["one"].biases:
            result[PAIRED].biases["L3"] = result["one"].biases["L3"]
    return result


def of_same_contexts(
    probe: pd.DataFrame, variant: str, coverage: float, weak: str = "", text: str = TEXTS["L1"]
) -> Levels:
    """L1, L2 and the controls in the contexts that the probe was not trained on."""
    counts = probes.same_contexts(probe, variant)
    biases = {"L1": directed(counts.pop("labels"), coverage, text)}
    for kind, table in counts.items():
        biases["L2" if kind == "given" else kind] = directed(table, coverage, text, weak)
    lean = probes.trained_lean(probe, variant).to_dict()
    return Levels(biases, paired=True, lean=lean)


def values(
    settings: Mapping[str, Levels],
    targets: Sequence[str],
    coverage: float,
    census: pd.DataFrame | None = None,
) -> Iterator[dict]:
    """Relative bias of each pair of levels, `observed;reference`, for each target.

    Above zero, the observed level is more female than its reference: whether that is amplification
    depends on the side that the reference leans to, which `amplified` takes into account.
    """
    for setting, measured in settings.items():
        chosen = {name: biases.of(targets) for name, biases in measured.biases.items()}
        differences = [
            (
                f"{level};{reference}@{setting}", level, reference,
                between(chosen, level, reference, measured.paired, coverage),
            )
            for level, reference in [*PAIRS, *((control, "L1") for control in CONTROLS)]
            if level in chosen and reference in chosen
        ]  # fmt: skip
        if measured.paired:
            differences += amplified(measured, targets, coverage)
        for column, level, reference, difference in differences:
            sides = chosen[level], difference, range(len(targets)), chosen[reference]
            yield from difference_cells(column, *sides)
        for level in LEVELS if not measured.paired else ():  # against what is no level
            if level in chosen:
                biases, text = chosen[level], measured.biases.get("L1" if level == "L2" else level)
                others = {"uniform": UNIFORM} | references(text, census, biases.targets)
                for name, reference in others.items():
                    column = f"{level};{name}@{setting}"
                    yield from cells(column, biases, coverage, reference)


def between(
    chosen: Mapping[str, Directed], level: str, reference: str, paired: bool, coverage: float
) -> Difference:
    """Return how far one level is above another."""
    of_the_same = paired and "L3" not in (level, reference)
    return (same_contexts if of_the_same else apart)(chosen[level], chosen[reference], coverage)


def amplified(
    measured: Levels, targets: Sequence[str], coverage: float
) -> Iterator[tuple[str, str, str, Difference]]:
    """Yield how much further one level goes to the training text's side than another."""
    chosen = {name: biases.of(targets) for name, biases in measured.biases.items()}
    # 1 leaves a difference, -1 turns it round, NaN takes it out.
    lean = np.array([measured.lean.get(target, np.nan) for target in targets])
    pairs = {"text": ("L2", "L1")} | {control: ("L2", control) for control in BEYOND}
    for variant, (level, reference) in (pairs | {"samples": ("L3", "L2")}).items():
        if level in chosen and reference in chosen:
            apart_by = between(chosen, level, reference, True, coverage)
            low, high = lean * apart_by.low, lean * apart_by.high
            ends = np.minimum(low, high), np.maximum(low, high)
            further = Difference(lean * apart_by.value, *ends, lean * apart_by.draws)
            yield f"{AMPLIFICATION}@{variant}", level, reference, further


def summarise(job: Job) -> Iterable[dict]:
    """Return all cells."""
    variant, _ = first_gender_list(job)
    targets = job.word_lists("trustworthy")["table3_targets"]
    census = read_employment(job, job.settings["trustworthy.census_year"]).get("gender")
    settings = levels(read_tables(job), variant, job.level, job.seed)
    return values(settings, targets, job.level, census)
