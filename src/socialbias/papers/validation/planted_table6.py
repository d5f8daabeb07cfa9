"""Table 6 in a world without amplification: what its procedure makes of a planted corpus.

Each sentence's label says which group it has words of, so that the labels of a target's sentences
are all that there is to represent: no representation of them is more biased than they are. The
procedures are the paper's own (`trustworthy.table6`): with decisions, in contexts of three
sentences against one, and corrected. The groups take the places of women and men. Second-order
targets are left out: they never stand with a group.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd

from socialbias.corpora.prepared import Corpus
from socialbias.datasets.census import GENDER
from socialbias.measures.similarity import Array
from socialbias.papers.inputs import Input
from socialbias.papers.trustworthy import table6, text
from socialbias.papers.trustworthy.directed import DIFFERENCE, Directed, interval
from socialbias.papers.validation.planted_design import DIRECT, NULL, SECOND, Design
from socialbias.papers.validation.recovery import DESIGN, FIDELITY, SOURCE
from socialbias.pipeline.job import Job
from socialbias.reporting.values import value

CORPUS, VARIANT = "planted/corpus", "planted"
# All sentences are as long as they were made, and all windows count.
LIMITS = {"shortest": 1, "longest": 1000, "windows": 0}
MODELS = ("gpt2", "bert")
ROWS = {"": DIRECT, " no association": NULL}  # kinds of targets by what is put behind a model
AMPLIFIED = "amplified"


def near_targets(design: Design) -> list[str]:
    """The targets that stand with words of groups."""
    table = design.targets
    return list(table.loc[table["kind"] != SECOND, "target"])


def of_text(corpus: Corpus, design: Design) -> pd.DataFrame:
    """Contexts of each target by document and group, as `text.evidence`."""
    groups = dict(zip(GENDER, design.groups.values(), strict=True))
    return text.evidence(corpus, near_targets(design), {VARIANT: groups}, **LIMITS)


def values(
    found: Mapping[str, Mapping[str, Input]], design: Design, level: float, seed: int
) -> list[dict]:
    """How far each level is above another along what is planted, on average over targets.

    Args:
        found: By model, `webtext`, `samples` and `probe_gpt2`, as `table6.levels` takes them.
        design: What is planted.
        level: Coverage of the intervals, over documents of the one corpus.
        seed: The configuration's seed.

    Returns:
        Values of the columns `L2;L1@<setting>` and so on, in which 0 is true, along the side of
        the larger planted share; and of `amplified@<setting>`, the share of the targets of which
        L2 is further to it than L1: one half where nothing is amplified.
    """
    table = design.targets
    records = []
    for model, inputs in found.items():
        settings = table6.levels(inputs, VARIANT, level, seed)
        for suffix, kind in ROWS.items():
            rows = table[table["kind"] == kind]
            lean = np.sign(rows["truth 0"].to_numpy() - 0.5)
            row, targets = f"{model}{suffix}", list(rows["target"])
            for setting, levels in settings.items():
                chosen = {name: found.of(targets) for name, found in levels.biases.items()}
                for one, other in [*table6.PAIRS, *((c, "L1") for c in table6.CONTROLS)]:
                    if one in chosen and other in chosen:
                        sides = chosen[one], chosen[other]
                        records += _cells(row, f"{one};{other}", setting, *sides, lean, level)
    return records


def _cells(
    row: str,
    pair: str,
    setting: str,
    one: Directed,
    other: Directed,
    lean: Array,
    level: float,
) -> list[dict]:
    """The mean over targets, and of L2 over L1 the share of targets that are above 0."""
    number, draws = lean * (one.observed - other.observed), lean * (one.linear - other.linear)
    known = ~np.isnan(number)
    if not known.any():
        return []
    said = {"n": int(known.sum()), "n_of": len(known), "n_unit": "targets"}
    said |= {"sources": SOURCE, "fidelity": FIDELITY}
    number, draws = number[known], draws[:, known]
    numbers = {f"{pair}@{setting}": (number.mean(), draws.mean(axis=1), DIFFERENCE)}
    if pair == "L2;L1":
        share = (number > 0).mean(), (draws > 0).mean(axis=1), "share of targets"
        numbers[f"{AMPLIFIED}@{setting}"] = share
    return [
        value(row, column, mean, unit=unit, draws=drawn, **interval(drawn, level), **said)
        for column, (mean, drawn, unit) in numbers.items()
    ]


def summarise(job: Job) -> list[dict]:
    """All cells."""
    corpus = of_text(Corpus.load(job.path(CORPUS).parent), DESIGN)
    found = {}
    for model in MODELS:
        names = {"probe_gpt2": f"planted/{model}_probe", "samples": f"planted/{model}_samples"}
        tables = {role: job.table(name) for role, name in names.items() if name in job}
        tables["webtext"] = corpus
        found[model] = {role: Input(table, SOURCE, FIDELITY) for role, table in tables.items()}
    return values(found, DESIGN, job.level, job.seed)
