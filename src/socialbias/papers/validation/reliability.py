"""How reliable the numbers of each measured table are, by what they are a sample of.

The estimates are those that stand beside the numbers themselves (`papers.reliability`), here with
their intervals and all together.
"""

from __future__ import annotations

import numpy as np
import pandas as pd

from socialbias.annotation.items import NONE
from socialbias.datasets.census import GENDER
from socialbias.papers.bad_seeds import figure2, figure4, spread, table4
from socialbias.papers.inputs import provenance
from socialbias.papers.reliability import agreement_of_ranks, retested
from socialbias.papers.trustworthy import professions, table3
from socialbias.pipeline.job import Job
from socialbias.reporting.values import value
from socialbias.seeding import generator
from socialbias.stats.agreement import krippendorff_alpha
from socialbias.stats.reliability import Reliability

TRUSTWORTHY, BAD_SEEDS = "evidence/trustworthy/", "evidence/bad_seeds/"
TABLE5, DIACHRONIC = f"{TRUSTWORTHY}table5", f"{TRUSTWORTHY}diachronic"
ALPHA, HALVES, RETEST, ANEW, AGREEMENT = COLUMNS = (
    *("alpha", "split-half", "test-retest", "another-sample", "agreement"),
)
RETESTED = {"figure2": figure2, "table4": table4, "figure4": figure4, "spread": spread}
BY_ROW = ("figure4", "spread")  # what is measured stands in their columns


def record(row: str, column: str, found: Reliability, unit: str, about: dict) -> list[dict]:
    """One reliability as a value; [] where there is none.

    Args:
        row: The measured table.
        column: The kind, with its variant.
        found: The reliability.
        unit: What was measured, such as `professions`.
        about: `sources` and `fidelity`.
    """
    if np.isnan(found.value):
        return []
    ends = {"ci_low": found.low, "ci_high": found.high}
    said = {"n": found.n, "n_unit": unit, "unit": "reliability", **about}
    return [value(row, column, found.value, **ends, **said)]


def _about(job: Job, name: str) -> dict[str, str]:
    return dict(zip(("sources", "fidelity"), provenance(job, name), strict=True))


def _variant(column: str) -> str:
    """The word list of a column: its variant, or that of race, which has one list."""
    base, _, variant = column.partition("@")
    return variant or base.rpartition("-")[2]


def of_evidence(table: pd.DataFrame, prefix: str, unit: str, about: dict) -> list[dict]:
    """Split halves that stand in evidence with the columns `column` and `row`.

    Args:
        table: Also with `reliability`, `reliability_low` and `reliability_high`.
        prefix: Of the rows.
        unit: Name of the column with what is measured, such as `profession`.
        about: `sources` and `fidelity`.
    """
    records = []
    for (column, row), cells in table.groupby(["column", "row"]):
        found = _read(cells, "reliability", cells[unit].nunique())
        said = (f"{HALVES}@{_variant(column)}", found, f"{unit}s", about)
        records += record(f"{prefix} {row}", *said)
    return records


def _read(cells: pd.DataFrame, name: str, n: int) -> Reliability:
    """A reliability that is the same in all rows of evidence."""
    first = cells.iloc[0]
    return Reliability(first[name], first[f"{name}_low"], first[f"{name}_high"], n, 0)


def of_measures(table: pd.DataFrame, level: float, about: dict) -> list[dict]:
    """Alpha of the words of each list, and agreement of Table 5's measures on professions.

    Agreement is Krippendorff's alpha of the ranks. A measure on a centred component is left out:
    the uncentred one is the measure as it is defined.
    """
    records = []
    for column, cells in table.groupby("column"):
        grid = cells.pivot(index="profession", columns="row", values="bias").dropna()
        rules = [name for name in grid if name not in ("bolukbasi", "ethayarajh")]
        alpha = _read(cells, "alpha", len(grid))
        agreeing = agreement_of_ranks(grid[rules].to_numpy(), list(grid.index), level)
        said = ("professions", about)
        records += record("table5 words", f"{ALPHA}@{_variant(column)}", alpha, *said)
        records += record("table5 measures", f"{AGREEMENT}@{_variant(column)}", agreeing, *said)
    return records


def of_models(records: list[dict], name: str, level: float, about: dict) -> list[dict]:
    """Test-retest of numbers over bootstrapped models: of one model, and of the mean."""
    found = retested(records, level, "row" if name in BY_ROW else "column")
    return [
        each
        for key, pair in found.items()
        for column, one in zip((RETEST, ANEW), pair, strict=True)
        for each in record(f"{name} {key}", column, one, "numbers", about)
    ]


def of_table3(job: Job) -> list[dict]:
    """Table 3's eight professions: group words or documents resampled, or halves of documents."""
    name = f"{TRUSTWORTHY}table3"
    resampled = retested(table3.values(job.table(name), job.level), job.level)
    records = []
    for column, (_, anew) in resampled.items():
        base, _, variant = column.partition("@")
        source = {
            "emb-word2vec": "vectors/lists/word2vec",
            "emb-glove": "vectors/lists/glove",
            "cr-reduction": "representation/bert/given",
        }[base]
        said = ("professions", _about(job, source))
        records += record(f"table3 {base}", f"{ANEW}@{variant}", anew, *said)
    return records


def of_professions(job: Job) -> list[dict]:
    """Every profession that a text mentions often enough."""
    found, employment = professions.read(job)
    if employment is None:
        return []
    records = []
    for row, reliable in professions.reliabilities(found, employment, job.level).items():
        about = {"sources": found[row].source, "fidelity": found[row].fidelity}
        column = HALVES if found[row].halves is not None else ANEW
        records += record(f"professions {row}", column, reliable, "professions", about)
    return records


def of_annotators(job: Job) -> list[dict]:
    """Krippendorff's alpha of the labels that people gave."""
    labels = job.table("annotations/labels")
    rng = generator(job.seed, "agreement")
    names = [*GENDER, NONE]
    found = krippendorff_alpha(labels, names, job.replicates, job.level, rng)
    reliable = Reliability(found.value, found.low, found.high, found.n, 0)
    about = _about(job, "annotations/labels")
    return record("annotators", AGREEMENT, reliable, "contexts", about)


def summarise(job: Job) -> list[dict]:
    """All cells."""
    records = of_professions(job)
    if f"{TRUSTWORTHY}table3" in job:
        records += of_table3(job)
    if TABLE5 in job:
        table, about = job.table(TABLE5), _about(job, TABLE5)
        records += of_evidence(table, "table5", "profession", about)
        records += of_measures(table, job.level, about)
    if DIACHRONIC in job:
        table, about = job.table(DIACHRONIC), _about(job, DIACHRONIC)
        records += of_evidence(table, "diachronic", "decade", about)
    for name, module in RETESTED.items():
        path = f"{BAD_SEEDS}{name}"
        if path in job:
            found = module.values(job.table(path), job.level)
            records += of_models(found, name, job.level, _about(job, path))
    if "annotations/labels" in job:
        records += of_annotators(job)
    return records
