"""What this project measures in the worlds, by the functions and the defaults that users have."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from time import perf_counter

import numpy as np

import socialbias
from bench.referee.worlds import sides
from socialbias.commands.measure_items import decider, read_items
from socialbias.commands.subjects import open_subject
from socialbias.embeddings.vectors import WordVectors
from socialbias.measures.stereoset import summary, term_scores
from socialbias.papers.validation.planted_design import Design

# Those with an estimand that the peers have too, and one of scores.
METRICS = ("Parity Gap", "TPR Gap", "Average Score Difference")


def of_predictions(columns: Mapping[str, np.ndarray], seed: int) -> list[dict]:
    """Return some metrics of the one table that `measure_predictions` makes."""
    names = {"label": "label", "prediction": "predicted", "group": "group", "source": "source"}
    table = {name: columns[key] for name, key in names.items() if key in columns}
    if "source" in columns:
        table |= {"term": columns["term"], "probability": columns["chance"]}
    start = perf_counter()
    result = socialbias.measure_predictions(table, seed=seed)
    seconds = perf_counter() - start
    found = [
        _row(row["metric"], row["value"], (row["low"], row["high"]), row["p_value"], seconds)
        for row in result.rows
        if row["metric"] in METRICS and row["version"] == "published" and not row["group"]
    ]
    # Of the two groups that are compared, the one with the lower rate has the ratio.
    [lower] = (row for row in result.rates if row["reference"] not in ("", row["group"]))
    ends = (lower["impact_low"], lower["impact_high"])
    return [_row("impact ratio", lower["impact_ratio"], ends, np.nan, seconds), *found]


def of_vectors(vectors: WordVectors, design: Design, seed: int) -> list[dict]:
    """Return the WEAT of both sides' targets, and the mean of the first beside control sets."""
    first, second = sides(design)
    shared = {"groups": design.groups, "seed": seed}
    rows = []
    for name, targets in (("weat", {"first": first, "second": second}), ("directed", first)):
        start = perf_counter()
        result = socialbias.measure(vectors, targets=targets, measure=name, **shared)
        none = result.null if name == "directed" else 0.0
        ends = (result.low - none, result.high - none)
        rows.append(_row(name, result.value - none, ends, result.p_value, perf_counter() - start))
    return rows


def of_model(folder: Path, items: Path, seed: int) -> list[dict]:
    """StereoSet's ss of a causal model on items of a CSV file, from its folder on."""
    start = perf_counter()
    read = read_items(items)
    preferred = decider(open_subject(str(folder)))(read.items)
    scores = np.column_stack([preferred, 1 - preferred, np.zeros(len(preferred))])
    ss = summary(term_scores(scores, read.labels["term"]), seed)["ss"]
    return [_row("ss", ss.value, (ss.low, ss.high), np.nan, perf_counter() - start)]


def _row(measure: str, value: float, ends: tuple, p: float, seconds: float) -> dict:
    low, high = ends
    row = {"tool": "socialbias", "measure": measure, "value": value, "low": low, "high": high}
    return row | {"p": p, "seconds": seconds}
