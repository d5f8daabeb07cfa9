"""Table 6 in worlds without and with amplification: what its procedure makes of planted corpora.

Each sentence's label says which group it has words of, so that the labels of a target's sentences
are all that there is to represent: no representation of them is more biased than they are. The
procedures are the paper's own (`trustworthy.table6`): with decisions, in contexts of three
sentences against one, and corrected. The groups take the places of women and men. Second-order
targets are left out: they never occur with a group. In the second world (`planted_probes`) a
known amount is amplified.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

import numpy as np
import pandas as pd

from socialbias.corpora.prepared import Corpus
from socialbias.measures.datasets.census import GENDER
from socialbias.papers.trustworthy import table6, text
from socialbias.papers.trustworthy.directed import DIFFERENCE, Directed, mean_value
from socialbias.papers.validation.planted_corpus import write
from socialbias.papers.validation.planted_design import DIRECT, NULL, SECOND, Design
from socialbias.papers.validation.recovery import DESIGN, share_flagged
from socialbias.pipeline.job import Job
from socialbias.reporting.values import value
from socialbias.stats.intervals import percentile
from socialbias.stats.seeding import generator
from socialbias.stats.similarity import Array

CORPUS, VARIANT = "planted/corpus", "planted"
# All sentences are as long as they were made, and all windows count.
LIMITS = {"shortest": 1, "longest": 1000, "windows": 0}
MODELS = ("gpt2", "bert")
ROWS = {"": DIRECT, " no association": NULL}  # kinds of targets by what is put behind a model
CALLED = {"called": "L2", "called-samples": "L3"}
EVIDENCE = "evidence/validation/planted_amplified"
WORLD = "gpt2 amplified"  # begins the rows of the second world
HALF = replace(DESIGN, most=DESIGN.most / 2)


def near_targets(design: Design) -> list[str]:
    """Return the targets that occur with words of groups."""
    table = design.targets
    return list(table.loc[table["kind"] != SECOND, "target"])


def of_text(corpus: Corpus, design: Design) -> pd.DataFrame:
    """Contexts of each target by document and group, as `text.evidence`."""
    groups = dict(zip(GENDER, design.groups.values(), strict=True))
    return text.evidence(corpus, near_targets(design), {VARIANT: groups}, **LIMITS)


def other_text(tokens: int, seed: int) -> Corpus:
    """Return the text that leans by half, of about this number of tokens."""
    return write(HALF, tokens, generator(seed, "recovery", "amplified")).prepared()


def values(
    by_model: Mapping[str, Mapping], design: Design, job: Job, learnt: Design | None = None
) -> Iterator[dict]:
    """Yield how far each level is above another along what is planted, on average over targets."""
    level, table, further = job.level, design.targets, (learnt or design).targets["truth 0"]
    for model, inputs in by_model.items():
        settings = table6.levels(inputs, VARIANT, level, job.seed)
        for suffix, kind in ROWS.items():
            rows = table[table["kind"] == kind]
            lean = np.sign(rows["truth 0"].to_numpy() - 0.5)
            row, targets = f"{model}{suffix}", list(rows["target"])
            # How much further the text that the model has learnt leans.
            planted = lean * (further[rows.index] - rows["truth 0"]).to_numpy()
            counts = {"n": len(planted), "n_unit": "targets"}
            yield value(row, "planted", planted.mean(), unit=DIFFERENCE, **counts)
            tested = planted > 0 if (planted > 0).any() else np.full(len(planted), True)
            for setting, levels in settings.items():
                chosen = {name: bias.of(targets) for name, bias in levels.biases.items()}
                for pair in [*table6.PAIRS, *((c, "L1") for c in table6.CONTROLS)]:
                    if chosen.keys() >= {*pair}:
                        sides = [chosen[name] for name in pair]
                        yield from _cells(row, ";".join(pair), setting, *sides, lean, level)
                for column, name in CALLED.items():
                    if chosen.keys() >= {name, "L1"}:
                        drawn = lean * (chosen[name].linear - chosen["L1"].linear)
                        drawn = drawn[:, tested & ~np.isnan(drawn).any(axis=0)]
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
    own = of_text(Corpus.load(job.path(CORPUS).parent), DESIGN)
    by_model = {
        model: _inputs(job, own, model, job.table(f"planted/{model}_probe")) for model in MODELS
    }
    yield from values(by_model, DESIGN, job)
    if EVIDENCE in job:
        half = of_text(other_text(job.settings["trustworthy.recovery.tokens"], job.seed), HALF)
        for row, probes in job.table(EVIDENCE).groupby("row"):
            amplified = row.startswith(WORLD)
            text, design = (half, HALF) if amplified else (own, DESIGN)
            world = {row: _inputs(job, text, "gpt2", probes)}
            yield from values(world, design, job, learnt=DESIGN)


def _inputs(
    job: Job, text: pd.DataFrame, model: str, probes: pd.DataFrame
) -> dict[str, pd.DataFrame]:
    """Return the levels of a model, with the text that it is compared with."""
    tables = {"webtext": text, "probe_gpt2": probes}
    if f"planted/{model}_samples" in job:
        tables["samples"] = job.table(f"planted/{model}_samples")
    return tables
