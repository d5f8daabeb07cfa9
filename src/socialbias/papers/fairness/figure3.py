"""Figure 3: metrics of named entities by the GDP of countries, of places."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from socialbias.measures.fairness.data import Predictions, predictions, span_counts
from socialbias.measures.fairness.table import fairness_draws
from socialbias.papers.fairness.heat import Panel, heat_maps
from socialbias.papers.fairness.metrics import (
    ALL_GROUPS,
    CORRECTED,
    Cell,
    of_cell,
    records_of,
    row_of,
    terms_of,
)
from socialbias.papers.fairness.terms import NATIONALITY
from socialbias.pipeline.job import Job
from socialbias.reporting.drawing import Drawing

PLACES, COUNTRY = "LOC", "country"
# By variant, the evidence. The first that is there is drawn.
RECOGNISERS = {"crf": "evidence/fairness/entities_crf", "tagger": "evidence/fairness/entities"}
ROWS = {
    "FNED": Cell("FNED", class_=PLACES),
    "FNED*": Cell("FNED", CORRECTED, PLACES),
    "FNR Ratio": Cell("FNR Ratio", class_=PLACES),
    "Disparity Score": Cell("Disparity Score", class_=PLACES),
    "Disparity Score*": Cell("Disparity Score", CORRECTED, PLACES),
    "TPR Gap": Cell("TPR Gap", class_=PLACES),
    "Parity Gap": Cell("Parity Gap", class_=PLACES),
    "AvgGF (TC)": Cell("AvgGF (TC)", class_=PLACES),
    "AvgEG (TC)": Cell("AvgEG", class_=PLACES),
    "CFGap (TC)": Cell("CFGap (TC)", class_=PLACES),
    "AvgIF (TC)": Cell("AvgIF (TC)", class_=PLACES),
}
OF_PROBABILITIES = [row for row in ROWS if row.endswith("(TC)")]
BY_GROUP = ("FNED", "FNR Ratio", "Disparity Score*", "TPR Gap", "Parity Gap", *OF_PROBABILITIES)
RATIOS, VECTORS = ("FNR Ratio",), ("FNR Ratio", "AvgEG (TC)")  # vectors have no value of all
ALL = "all"
UNIT = "metric"


def data_of(counts: pd.DataFrame) -> Predictions:
    """Spans of places in templates of nationality, as `entities.measure` counts them."""
    counts = counts[(counts["attribute"] == NATIONALITY) & (counts["class"] == PLACES)]
    found = counts[["found"]].to_numpy()
    return span_counts(
        found,
        counts[["predicted"]].to_numpy() - found,
        counts[["gold"]].to_numpy() - found,
        classes=[PLACES],
        groups=sorted(counts["group"].unique()),
        group=counts["group"],
        source=counts["source"],
        term=terms_of(counts),
        word_class=counts["word_class"],
    )


def probabilities_of(counts: pd.DataFrame) -> Predictions:
    """How probable it is that a country's name is a place: one decision for each template.

    All of them are places, so that metrics are those of the true class.
    """
    counts = counts[
        (counts["attribute"] == NATIONALITY)
        & (counts["class"] == PLACES)
        & (counts["word_class"] == COUNTRY)
    ]
    p = counts["probability"].to_numpy().clip(0, 1)  # sums of a beam's shares
    return predictions(
        np.full(len(counts), PLACES),
        probabilities=np.column_stack([1 - p, p]),
        classes=["other", PLACES],
        groups=sorted(counts["group"].unique()),
        group=counts["group"],
        source=counts["source"],
        term=terms_of(counts),
        word_class=counts["word_class"],
    )


def _rows(job: Job, data: Predictions, names: Iterable[str]) -> list[dict]:
    """All metrics of some rows of the figure."""
    drawn = fairness_draws(
        data, dict.fromkeys(ROWS[name].metric for name in names), seed=job.seed, level=job.level,
        bootstraps=job.settings["fairness.bootstraps"], null_deals=job.settings["fairness.deals"],
        classes=[PLACES],
    )  # fmt: skip
    return [row_of(each, data, job.level, "entities", NATIONALITY) for each in drawn]


def summarise(job: Job) -> list[dict]:
    """All cells, of all sixths of countries and of each."""
    there = [variant for variant, evidence in RECOGNISERS.items() if evidence in job]
    return [record for variant in there for record in _of_variant(job, variant)]


def _of_variant(job: Job, variant: str) -> list[dict]:
    """The cells of one recogniser."""
    counts = job.table(RECOGNISERS[variant])
    if not (counts["attribute"] == NATIONALITY).any():
        return []
    data, of_spans = data_of(counts), [row for row in ROWS if row not in OF_PROBABILITIES]
    rows = _rows(job, data, of_spans) + _rows(job, probabilities_of(counts), OF_PROBABILITIES)
    rows, records = pd.DataFrame(rows), []
    for row, cell in ROWS.items():
        for group in (ALL_GROUPS, *data.groups):
            each = of_cell(rows, cell, group)
            shown = row not in VECTORS if group == ALL_GROUPS else row in BY_GROUP
            if each is not None and shown:
                records += records_of(each, (row, group or ALL, variant), UNIT)
    return records


def draw(drawing: Drawing) -> Figure:
    """One heat map, of the paper's recogniser where it is there; "all" is not shaded."""
    parts = drawing.values["column"].str.split("@", expand=True)
    values = drawing.values.assign(column=parts[0], variant=parts[1])
    there = values.loc[values["value"].notna(), "variant"]
    chosen = next(variant for variant in RECOGNISERS if (there == variant).any())
    values = values[values["variant"] == chosen]
    panel = Panel("", values, list(drawing.artefact.rows), list(drawing.artefact.columns))
    return heat_maps(drawing, [panel], ratios=RATIOS, plain=[ALL])
