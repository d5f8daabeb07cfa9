"""Table 6 in a world without amplification: what its procedure makes of a planted corpus.

Each sentence's label says which group it has words of, so that the labels of a target's sentences
are all that there is to represent: no representation of them is more biased than they are. The
procedures are the paper's own (`trustworthy.table6`): with decisions, in contexts of three
sentences against one, and corrected. The groups take the places of women and men. Second-order
targets are left out: they never occur with a group.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np
import pandas as pd

from socialbias.corpora.prepared import Corpus
from socialbias.measures.datasets.census import GENDER
from socialbias.papers.trustworthy import table6, text
from socialbias.papers.trustworthy.directed import DIFFERENCE, Directed, mean_value
from socialbias.papers.validation.planted_design import DIRECT, NULL, SECOND, Design
from socialbias.papers.validation.recovery import DESIGN, share_flagged
from socialbias.pipeline.job import Job
from socialbias.stats.intervals import percentile
from socialbias.stats.similarity import Array

CORPUS, VARIANT = "planted/corpus", "planted"
# All sentences are as long as they were made, and all windows count.
LIMITS = {"shortest": 1, "longest": 1000, "windows": 0}
MODELS = ("gpt2", "bert")
ROWS = {"": DIRECT, " no association": NULL}  # kinds of targets by what is put behind a model
CALLED = {"called": "L2", "called-samples": "L3"}


def near_targets(design: Design) -> list[str]:
    """Return the targets that occur with words of groups."""
    table = design.targets
    return list(table.loc[table["kind"] != SECOND, "target"])


def of_text(corpus: Corpus, design: Design) -> pd.DataFrame:
    """Contexts of each target by document and group, as `text.evidence`."""
    groups = dict(zip(GENDER, design.groups.values(), strict=True))
    return text.evidence(corpus, near_targets(design), {VARIANT: groups}, **LIMITS)


def values(by_model: Mapping[str, Mapping], design: Design, job: Job) -> Iterator[dict]:
    """Yield how far each level is above another along what is planted, on average over targets."""
    level, table = job.level, design.targets
    for model, inputs in by_model.items():
        settings = table6.levels(inputs, VARIANT, level, job.seed)
        for suffix, kind in ROWS.items():
            rows = table[table["kind"] == kind]
            lean = np.sign(rows["truth 0"].to_numpy() - 0.5)
            row, targets = f"{model}{suffix}", list(rows["target"])
            for setting, levels in settings.items():
                chosen = {name: bias.of(targets) for name, bias in levels.biases.items()}
                for pair in [*table6.PAIRS, *((c, "L1") for c in table6.CONTROLS)]:
                    if chosen.keys() >= {*pair}:
                        sides = [chosen[name] for name in pair]
                        yield from _cells(row, ";".join(pair), setting, *sides, lean, level)
                for column, name in CALLED.items():
                    if chosen.keys() >= {name, "L1"}:
                        drawn = lean * (chosen[name].linear - chosen["L1"].linear)
                        drawn = drawn[:, ~np.isnan(drawn).any(axis=0)]
                        above = [percentile(draws, level)[0] > 0 for draws in drawn.T]
                        flags, cell = pd.Series(above, dtype=bool), (row, f"{column}@{setting}")
                        yield from share_flagged(*cell, flags, "targets", level)


def _cells(
    row: str, pair: str, setting: str, above: Directed, below: Directed, lean: Array, level: float
) -> list[dict]:
    """Return the mean over targets, and of L2 over L1 the share of targets that are above 0."""
    gaps, draws = lean * (above.observed - below.observed), lean * (above.linear - below.linear)
    known = ~np.isnan(gaps)
    if not known.any():
        return []
    fields = {"n_of": len(known), "n_unit": "targets"}
    gaps, draws, column = gaps[known], draws[:, known], f"{pair}@{setting}"
    cells = [mean_value(row, column, gaps, draws, level, unit=DIFFERENCE, **fields)]
    if pair == "L2;L1":
        column, unit = f"amplified@{setting}", "share of targets"
        cells.append(mean_value(row, column, gaps > 0, draws > 0, level, unit=unit, **fields))
    return cells


def summarise(job: Job) -> Iterator[dict]:
    """Yield all cells."""
    text_of_all = of_text(Corpus.load(job.path(CORPUS).parent), DESIGN)
    by_model = {}
    for model in MODELS:
        probes = job.table(f"planted/{model}_probe")
        by_model[model] = {"webtext": text_of_all, "probe_gpt2": probes}
        if f"planted/{model}_samples" in job:
            by_model[model]["samples"] = job.table(f"planted/{model}_samples")
    yield from values(by_model, DESIGN, job)
