"""Figure 3: metrics of named entities by the GDP of countries, of places."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from socialbias.measures.fairness.data import Predictions, predictions, span_counts
from socialbias.papers.fairness.heat import Panel, by_variant, heat_maps
from socialbias.papers.fairness.metrics import (
    ALL_GROUPS,
    CORRECTED,
    Cell,
    of_cells,
    records_of,
    rows_of,
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
ALL_COUNTRIES = "all"


def data_of(counts: pd.DataFrame) -> Predictions:
    """Spans of places, from the rows of places in templates of nationality."""
    found = counts[["found"]].to_numpy()
    return span_counts(
        found,
        counts[["predicted"]].to_numpy() - found,
        counts[["gold"]].to_numpy() - found,
        classes=[PLACES],
        **_examples(counts),
    )


def probabilities_of(counts: pd.DataFrame) -> Predictions:
    """Return how probable it is that a country's name is a place: one decision for each template.

    All of them are places, so that metrics are those of the true class.
    """
    counts = counts[counts["word_class"] == COUNTRY]
    p = counts["probability"].to_numpy().clip(0, 1)  # sums of a beam's shares
    return predictions(
        np.full(len(counts), PLACES),
        probabilities=np.column_stack([1 - p, p]),
        classes=["other", PLACES],
        **_examples(counts),
    )


def _examples(counts: pd.DataFrame) -> dict:
    """Return what examples are of, as keywords of `predictions` and `span_counts`."""
    columns = {name: counts[name] for name in ("group", "source", "word_class")}
    return columns | {"term": terms_of(counts)}


def summarise(job: Job) -> Iterator[dict]:
    """Yield all cells, of all sixths of countries and of each."""
    for variant, evidence in RECOGNISERS.items():
        if evidence not in job:
            continue
        counts = job.table(evidence)
        counts = counts[(counts["attribute"] == NATIONALITY) & (counts["class"] == PLACES)]
        if counts.empty:
            continue
        rows = []
        for data, names in (
            (data_of(counts), [name for name in ROWS if name not in OF_PROBABILITIES]),
            (probabilities_of(counts), OF_PROBABILITIES),
        ):
            metrics = dict.fromkeys(ROWS[name].metric for name in names)
            rows += rows_of(job, data, metrics, PLACES)
        groups = [ALL_GROUPS, *sorted(counts["group"].unique())]
        cells = {group: of_cells(pd.DataFrame(rows), ROWS, group) for group in groups}
        for name, (group, shown) in product(ROWS, cells.items()):
            declared = name not in VECTORS if group == ALL_GROUPS else name in BY_GROUP
            if name in shown and declared:
                yield from records_of(shown[name], name, f"{group or ALL_COUNTRIES}@{variant}")


def draw(drawing: Drawing) -> Figure:
    """Return one heat map, of the paper's recogniser where it is there; "all" is not shaded."""
    values = by_variant(drawing)
    known = values.loc[values["value"].notna(), "variant"]
    chosen = next(variant for variant in RECOGNISERS if (known == variant).any())
    values = values[values["variant"] == chosen]
    panel = Panel("", values, list(drawing.artefact.rows), list(drawing.artefact.columns))
    return heat_maps(drawing, [panel], ratios=RATIOS, plain=[ALL_COUNTRIES])
