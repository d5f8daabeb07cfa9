"""Which scorers differ: differences paired by item and clustered by target term."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping

import matplotlib as mpl
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.cm import ScalarMappable
from matplotlib.figure import Figure

from socialbias.measures.stereoset import CANDIDATES
from socialbias.papers.stereoset.controls import CONTROLS
from socialbias.papers.stereoset.items import DEVELOPMENT, LIKELIHOOD, PUBLISHED, SHORT
from socialbias.papers.stereoset.model_tables import scores_of
from socialbias.pipeline.job import Job
from socialbias.reporting.drawing import Drawing
from socialbias.reporting.figures import settings_of
from socialbias.reporting.heatmap import add_key, draw_squares, name_squares
from socialbias.reporting.values import value
from socialbias.stats.paired import all_pairs

LEGEND = (
    "A number: percentage points, distinguishable from 0 at 95 %, uncorrected. A dot: not "
    "distinguishable from 0. Blank: not compared."
)
# Inches around a panel, of a character of the slanted names below it, and of one of its lines.
AROUND, SLANTED, SQUARE = 0.5, 0.045, 0.19
BASELINES = ("ideal", "stereotyped", "random")


def summarise(job: Job) -> Iterator[dict]:
    """Yield every pair of scorers, on the development split."""
    for short, scores in development_scores(job, lambda row: row not in BASELINES):
        for name, decided in decisions(scores).items():
            yield from _pairs(job, decided, f"{name}-{short}")


def development_scores(
    job: Job, wanted: Callable[[str], bool] = lambda row: True
) -> Iterator[tuple[str, pd.DataFrame]]:
    """Yield the likelihoods of all wanted scorers in the development split, task by task."""
    parts = [
        part.assign(row=row)
        for row, split, part in scores_of(job, LIKELIHOOD)
        if split == DEVELOPMENT and wanted(row)
    ]
    for short, task in SHORT.items() if parts else ():
        scores = pd.concat(parts, ignore_index=True)
        yield short, scores[scores["task"] == task]


def decisions(scores: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """Return what each scorer decides of each item."""
    stereotype, anti, unrelated = (scores[name].to_numpy() for name in CANDIDATES)
    pairs = [(stereotype, anti), (stereotype, unrelated), (anti, unrelated)]
    wins = np.array([first > second for first, second in pairs], float)
    ties = np.array([first == second for first, second in pairs])
    wins[ties & scores["row"].isin(CONTROLS).to_numpy()] = np.nan
    known = ~np.isnan(wins[1:])
    with np.errstate(invalid="ignore"):
        lms = np.where(known, wins[1:], 0).sum(axis=0) / known.sum(axis=0)
    table = scores[["item", "target", "row"]].assign(ss=wins[0], lms=lms)
    return {
        name: table.pivot(index=["item", "target"], columns="row", values=name)
        for name in ("ss", "lms")
    }


def _in_order(names: Iterable[str]) -> list[str]:
    """Return a user's own models first, then the paper's, then controls."""
    names, known = list(dict.fromkeys(names)), [*PUBLISHED, *CONTROLS]
    own = [name for name in names if name not in known]
    return own + [name for name in known if name in names]


def _pairs(job: Job, decided: pd.DataFrame, column: str) -> Iterator[dict]:
    """Yield the cells of one column."""
    names = _in_order(decided.columns)
    terms = decided.index.get_level_values("target").tolist()
    pairs = all_pairs(decided[names].to_numpy(), terms, job.seed, job.level)
    for k, (i, j) in enumerate(zip(pairs.first, pairs.second, strict=True)):
        if np.isnan(pairs.error[k]) or {names[i], names[j]} <= {*CONTROLS}:
            continue
        note = [pairs.verdicts()[k], f"{pairs.items[k]:,} items"]
        if np.isfinite(pairs.items_needed[k]):
            note.append(f"{pairs.items_needed[k]:,.0f} would show this difference")
        yield value(
            f"{names[i]} - {names[j]}",
            column,
            100 * pairs.difference[k],
            ci_low=100 * pairs.low[k],
            ci_high=100 * pairs.high[k],
            draws=100 * pairs.draws[:, k],
            p_value=pairs.p_value[k],
            detectable=100 * pairs.detectable[k],
            n=pairs.terms[k],
            n_unit="terms",
            unit="percentage points",
            note="; ".join(note),
        )


def draw(drawing: Drawing) -> Figure:
    """Return a square for each pair: the difference in ss of the row's scorer less the column's.

    Differences whose own interval, uncorrected for the other pairs, has 0 within are a dot; pairs
    that were not compared stay blank.
    """
    style, values = drawing.style, drawing.values[drawing.values["value"].notna()]
    names = values["row"].str.split(" - ", expand=True)
    values = values.assign(first=names.get(0), second=names.get(1))
    labels: dict[str, str] = {}
    for row, label in drawing.artefact.rows.items():
        labels.update(zip(row.split(" - "), label.split(" minus "), strict=True))
    tables = {name: values[values["column"] == name] for name in ("ss-intra", "ss-inter")}
    tables = {name: table for name, table in tables.items() if len(table)}
    with mpl.rc_context(settings_of(style)):
        around = AROUND + SLANTED * max(map(len, labels.values()))
        heights = [around + SQUARE * len({*t["first"], *t["second"]}) for t in tables.values()]
        figure = Figure(figsize=(style["width"], sum(heights)), layout="constrained")
        grid = figure.subplots(len(tables), 1, squeeze=False, height_ratios=heights)
        # Light enough to read the numbers in.
        limit = 1.6 * max(table["value"].abs().max() for table in tables.values())
        for (name, table), axes in zip(tables.items(), grid[:, 0], strict=True):
            squares = _matrix(axes, table, limit, labels, style)
            axes.set_title(drawing.artefact.columns[name], loc="left")
        add_key(figure, grid, squares, "stereotype score, row minus column, percentage points")
        figure.supxlabel(LEGEND)
    return figure


def _matrix(
    axes: Axes, table: pd.DataFrame, limit: float, names: Mapping[str, str], style: dict
) -> ScalarMappable:
    """Draw one column of the table as squares with the names of scorers; return the squares."""
    order = _in_order([*table["first"], *table["second"]])
    place = {name: i for i, name in enumerate(order)}
    shades = np.full((len(order), len(order)), np.nan)
    texts = np.full(shades.shape, "", dtype=object)
    for cell in table.itertuples():
        i, j = place[cell.first], place[cell.second]
        differs = not cell.ci_low <= 0 <= cell.ci_high
        shades[i, j], shades[j, i] = (cell.value, -cell.value) if differs else (0, 0)
        for there in ((i, j), (j, i)):
            texts[there] = f"{shades[there]:.0f}".replace("-", "−") if differs else "·"
    squares = draw_squares(axes, shades, texts, limit, style)
    labels = [names[name] for name in order]
    name_squares(axes, labels, labels)
    return squares
