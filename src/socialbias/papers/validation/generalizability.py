"""What the numbers of a run vary with, and how many words, templates, terms or models they need."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pandas as pd

from socialbias.datasets.census import GENDER
from socialbias.datasets.stereoset import TASKS
from socialbias.papers.inputs import joined, provenance
from socialbias.papers.stereoset.items import DEVELOPMENT, LIKELIHOOD
from socialbias.papers.stereoset.model_tables import scores_of
from socialbias.papers.stereoset.pairs import PUBLISHED, decisions
from socialbias.papers.validation.units import LISTS
from socialbias.pipeline.job import Job
from socialbias.reporting.values import NO_INPUT, value
from socialbias.sources.fidelity import worst_fidelity
from socialbias.stats.generalizability import Components, components, ends

WORDS, TABLE4 = "evidence/validation/matrix_words", "evidence/bad_seeds/table4"
SENTIMENT = {
    "two classes": "evidence/fairness/sentiment_binary",
    "three classes": "evidence/fairness/sentiment_three",
}
# By effect, the columns that show its share; things are axis 0, facets 1 and 2.
COLUMNS = {
    (0,): "things",
    (1,): "first",
    (2,): "second",
    (0, 1): "things by first",
    (0, 2): "things by second",
    (1, 2): "first by second",
}
LEFT = "left over"
SHARE, LEVELS = "share of variance", "levels for a coefficient of .8"
MODELS = tuple(name for name in PUBLISHED if name != "ensemble")  # it is made of the others


@dataclass(frozen=True)
class Grid:
    """Numbers of things by facets.

    Attributes:
        row: Of the artefact.
        numbers: (n, a) or (n, a, b); NaN where there is none.
        unit: What the things are.
        sources, fidelity: Where the numbers are from.
    """

    row: str
    numbers: np.ndarray
    unit: str
    sources: str
    fidelity: str


def of_words(table: pd.DataFrame, pairs: list[tuple[str, str]]) -> Iterator[Grid]:
    """Cosines of professions with gender words, and their lean in bootstrapped models.

    Args:
        table: Evidence of the matrix of measures.
        pairs: A female and a male word each.
    """
    rows = table[(table["unit"] == "professions") & (table["trait"] == "gender")]
    cosines = rows[rows["how"] == "cosines"]
    grids = [
        part.pivot(index="term", columns="item", values="number")
        for _, part in cosines.groupby("method")
    ]
    if len(grids) > 1:
        known = [pair for pair in pairs if all({*pair} <= {*grid} for grid in grids)]
        terms = sorted(set.intersection(*({*grid.index} for grid in grids)))
        sides = [
            [grid.loc[terms, [pair[side] for pair in known]].to_numpy() for grid in grids]
            for side in (0, 1)
        ]
        numbers = np.subtract(*(np.stack(side, axis=-1) for side in sides))
        # Vectors differ in how large their cosines are, which is no bias of a profession.
        numbers = numbers / np.nanstd(numbers, axis=(0, 1), keepdims=True)
        yield Grid("professions, word pairs, vectors", numbers, "professions", *_about(cosines))
    models = rows[rows["how"] == "models"]
    if len(models):
        grid = models.pivot(index="term", columns="item", values="number")
        about = ("professions", *_about(models))
        yield Grid("professions, bootstraps", grid.to_numpy(float), *about)


def of_pairs(table: pd.DataFrame) -> Iterator[Grid]:
    """Coherence and similarity of seed pairs in bootstrapped models."""
    gathered = table[table["kind"] == "gathered"]
    for name in ("coherence", "similarity"):
        grid = gathered.pivot_table(index="row", columns="model", values=name)
        about = ("pairs of seed sets", *_about(gathered))
        yield Grid(f"seed pairs, bootstraps, {name}", grid.to_numpy(float), *about)


def of_stereotypes(job: Job) -> Iterator[Grid]:
    """Shares of stereotypes of each term, by released model and task, and of each model."""
    found = [(row, part) for row, split, part in scores_of(job, LIKELIHOOD) if split == DEVELOPMENT]
    scores = [part.assign(row=row) for row, part in found if row in MODELS]
    if not scores:
        return
    table = pd.concat(scores, ignore_index=True)
    shares = [
        decisions(table[table["task"] == task])["ss"].groupby(level="target").mean()
        for task in TASKS
    ]
    both = shares[0].index.intersection(shares[1].index)
    numbers = np.stack([part.loc[both].to_numpy() for part in shares], axis=-1)
    about = _about(table)
    yield Grid("terms, models, tasks", numbers, "terms", *about)
    known = numbers[~np.isnan(numbers).any(axis=(1, 2))]
    yield Grid("models, terms, tasks", known.swapaxes(0, 1), "models", *about)


def of_sentences(job: Job) -> Iterator[Grid]:
    """Probabilities of the positive class, of identity terms in templates."""
    for task, name in SENTIMENT.items():
        if name not in job:
            continue
        sources, fidelity = provenance(job, name)
        for attribute, rows in job.table(name).groupby("attribute"):
            row = f"{attribute} terms, templates, {task}"
            numbers = _largest(rows)
            yield Grid(row, numbers, "identity terms", sources, fidelity)


def _largest(rows: pd.DataFrame) -> np.ndarray:
    """Terms by templates, of the word class that has most of both: others have other templates."""
    grids = [
        part.pivot_table(index="term", columns="source", values="positive").dropna(axis=1)
        for _, part in rows.groupby(["kind", "word_class"])
    ]
    return max(grids, key=lambda grid: grid.size).to_numpy(float)


def _about(rows: pd.DataFrame) -> tuple[str, str]:
    """Sources and fidelity of rows of evidence."""
    return joined(rows["sources"].unique()), worst_fidelity(rows["fidelity"].unique().tolist())


def records(grid: Grid, level: float) -> list[dict]:
    """The cells of one kind of number; [] where it has too few things or levels."""
    found = components(grid.numbers)
    if found is None:
        return []
    said = {"sources": grid.sources, "fidelity": grid.fidelity, "n_unit": grid.unit}
    said |= {"n": found.levels[0], "n_of": len(grid.numbers)}
    cells = []
    shares, drawn = found.shares()
    whole = found.effects[-1]
    for effect, share, draws in zip(found.effects, shares, drawn.T, strict=True):
        column = LEFT if effect == whole else COLUMNS[effect]
        low, high = ends(draws, level)
        between = {"ci_low": low, "ci_high": high, "unit": SHARE}
        cells.append(value(grid.row, column, float(share), **between, **said))
    counts = list(found.levels[1:])
    number, draws = found.coefficient(counts)
    low, high = ends(draws, level)
    over = "over " + " by ".join(f"{count}" for count in counts)
    between = {"ci_low": low, "ci_high": high, "unit": "reliability", "note": over}
    cells.append(value(grid.row, "coefficient", number, **between, **said))
    names = ("first needed", "second needed")
    return cells + [
        _needed(grid.row, names[f - 1], found, f, said) for f in range(1, len(counts) + 1)
    ]


def _needed(row: str, column: str, found: Components, facet: int, said: dict) -> dict:
    """How many levels of a facet give .8, or why none does."""
    number, low, high = found.needed(facet)
    if np.isinf(number):
        note = "no number of levels is enough, with as many of the other facet as there are"
        return value(row, column, np.nan, fidelity=NO_INPUT, note=note)
    if np.isinf(high):
        note = f"95 % interval: from {low:.0f} to more than any number"
        return value(row, column, number, unit=LEVELS, note=note, **said)
    return value(row, column, number, ci_low=low, ci_high=high, unit=LEVELS, **said)


def summarise(job: Job) -> list[dict]:
    """All cells."""
    grids: list[Grid] = []
    if WORDS in job:
        lists = job.word_lists("trustworthy")["gender"][LISTS]
        pairs = list(zip(*(lists[group] for group in GENDER), strict=True))
        grids += of_words(job.table(WORDS), pairs)
    if TABLE4 in job:
        grids += of_pairs(job.table(TABLE4))
    grids += [*of_stereotypes(job), *of_sentences(job)]
    return [record for grid in grids for record in records(grid, job.level)]
