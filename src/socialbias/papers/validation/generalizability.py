"""What the numbers of a run vary with, and how many words, templates, terms or models they need."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pandas as pd

from socialbias.datasets.census import GENDER
from socialbias.datasets.stereoset import TASKS
from socialbias.papers.bad_seeds import figure2
from socialbias.papers.stereoset.items import DEVELOPMENT, LIKELIHOOD
from socialbias.papers.stereoset.model_tables import scores_of
from socialbias.papers.stereoset.pairs import PUBLISHED, decisions
from socialbias.papers.validation.reliability import (
    EPOCHS,
    PROBES,
    figure2_grids,
    items_of,
    probe_grids,
)
from socialbias.papers.validation.units import LISTS
from socialbias.pipeline.job import Job
from socialbias.reporting.values import value
from socialbias.stats.generalizability import Components, components
from socialbias.stats.intervals import percentile

WORDS, TABLE4 = "evidence/validation/matrix_words", "evidence/bad_seeds/table4"
FIGURE2, MATRIX = "evidence/bad_seeds/figure2", "evidence/validation/matrix_models"
PRONOUNS = "evidence/validation/matrix_pronouns_"
PARTS = 4  # of a text: its documents in turn
SENTIMENT = {
    "two classes": "evidence/fairness/sentiment_binary",
    "three classes": "evidence/fairness/sentiment_three",
}
# By effect, the columns that show its share; things are axis 0, facets 1 and 2.
COLUMNS = {(0,): "things", (1,): "first", (2,): "second"}
COLUMNS |= {(0, 1): "things by first", (0, 2): "things by second", (1, 2): "first by second"}
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
    """

    row: str
    numbers: np.ndarray
    unit: str


def of_words(table: pd.DataFrame, pairs: list[tuple[str, str]]) -> Iterator[Grid]:
    """Cosines of professions with gender words, and their lean in bootstrapped models.

    Args:
        table: Evidence of the matrix of measures.
        pairs: A female and a male word each.
    """
    grids = [
        part.pivot(index="term", columns="item", values="number")
        for _, part in items_of(table, "cosines").groupby("method")
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
        yield Grid("professions, word pairs, vectors", numbers, "professions")
    models = items_of(table, "models")
    if len(models):
        yield _by_item("professions, bootstraps", models)


def of_encoder(table: pd.DataFrame, pairs: list[tuple[str, str]]) -> Iterator[Grid]:
    """Cosines of represented professions with gender words, and sentiment of their sentences.

    Args:
        table: Evidence of models in the matrix of measures.
        pairs: A female and a male word each.
    """
    grid = items_of(table, "cosines").pivot(index="term", columns="item", values="number")
    known = [pair for pair in pairs if {*pair} <= {*grid}]
    if known:
        sides = [grid[[pair[side] for pair in known]].to_numpy(float) for side in (0, 1)]
        yield Grid("professions, word pairs, encoder", np.subtract(*sides), "professions")
    sentiment = table[(table["unit"] == "professions") & (table["method"] == "sentiment")]
    if len(sentiment):
        yield _by_item("professions, templates, sentiment", sentiment)


def _by_item(row: str, table: pd.DataFrame) -> Grid:
    """Numbers of professions by items, such as log odds by templates."""
    grid = table.pivot(index="term", columns="item", values="number")
    return Grid(row, grid.to_numpy(float), "professions")


def of_pronouns(job: Job) -> Iterator[Grid]:
    """Log odds of pronouns after professions, in templates, by each language model."""
    for model in job.below(PRONOUNS):
        rows = items_of(job.table(f"{PRONOUNS}{model}"), "log-odds")
        if len(rows):
            yield _by_item(f"professions, templates, {model}", rows)


def of_text(table: pd.DataFrame) -> Iterator[Grid]:
    """Shares of women's contexts of professions, in parts of a text that share no document.

    Args:
        table: Evidence of the matrix of measures.
    """
    rows = items_of(table, "contexts")
    if rows.empty:
        return
    part = rows["item"].astype(int) % PARTS
    sums = rows.groupby(["term", part, "pole"])["number"].sum().unstack("pole")
    shares = (sums[1] / sums.sum(axis=1)).unstack()  # NaN where a part has no context
    yield Grid("professions, parts of a text", shares.to_numpy(float), "professions")


def of_trainings(job: Job) -> Iterator[Grid]:
    """Biases by seeds of a probe, and by texts and checkpoints of skip-gram."""
    variant = job.settings["trustworthy.word_lists"][0]
    for name, path in PROBES.items():
        if path in job:
            grid = probe_grids(job.table(path), variant)[""]
            yield Grid(f"targets, seeds, {name} probe", grid.to_numpy(float), "targets")
    table = job.table(EPOCHS) if EPOCHS in job else pd.DataFrame()
    if len(table):
        grid = table.pivot(index="unit", columns=["part", "level"], values="bias")
        shape = (len(grid), *(len(level) for level in grid.columns.levels))
        numbers = grid.sort_index(axis=1).to_numpy(float).reshape(shape)
        yield Grid("professions, texts, checkpoints", numbers, "professions")


def of_sets(table: pd.DataFrame) -> Iterator[Grid]:
    """Difference of unpleasantness between the corpora, of seed sets in bootstrapped models."""
    grids = figure2_grids(table)
    if figure2.DIFFERENCE in grids:
        numbers = grids[figure2.DIFFERENCE].to_numpy(float)
        yield Grid("seed sets, bootstraps, unpleasantness", numbers, "seed sets")


def of_pairs(table: pd.DataFrame) -> Iterator[Grid]:
    """Coherence and similarity of seed pairs in bootstrapped models."""
    gathered = table[table["kind"] == "gathered"]
    for name in ("coherence", "similarity"):
        grid = gathered.pivot_table(index="row", columns="model", values=name)
        numbers = grid.to_numpy(float)
        yield Grid(f"seed pairs, bootstraps, {name}", numbers, "pairs of seed sets")


def of_stereotypes(job: Job) -> Iterator[Grid]:
    """Shares of stereotypes of each term, by released model and task, and of each model."""
    scores = [
        part.assign(row=row)
        for row, split, part in scores_of(job, LIKELIHOOD)
        if split == DEVELOPMENT and row in MODELS
    ]
    if not scores:
        return
    table = pd.concat(scores, ignore_index=True)
    shares = [
        decisions(table[table["task"] == task])["ss"].groupby(level="target").mean()
        for task in TASKS
    ]
    both = shares[0].index.intersection(shares[1].index)
    numbers = np.stack([part.loc[both].to_numpy() for part in shares], axis=-1)
    yield Grid("terms, models, tasks", numbers, "terms")
    known = numbers[~np.isnan(numbers).any(axis=(1, 2))]
    yield Grid("models, terms, tasks", known.swapaxes(0, 1), "models")


def of_sentences(job: Job) -> Iterator[Grid]:
    """Probabilities of the positive class, of identity terms in templates."""
    for task, name in SENTIMENT.items():
        if name not in job:
            continue
        for attribute, rows in job.table(name).groupby("attribute"):
            row = f"{attribute} terms, templates, {task}"
            yield Grid(row, _largest(rows), "identity terms")


def _largest(rows: pd.DataFrame) -> np.ndarray:
    """Terms by templates, of the word class with most of both: each has templates of its own."""
    grids = [
        part.pivot_table(index="term", columns="source", values="positive").dropna(axis=1)
        for _, part in rows.groupby(["kind", "word_class"])
    ]
    return max(grids, key=lambda grid: grid.size).to_numpy(float)


def records(grid: Grid, level: float) -> list[dict]:
    """The cells of one kind of number; [] where it has too few things or levels."""
    result = components(grid.numbers)
    if result is None:
        return []
    counts = {"n": result.levels[0], "n_of": len(grid.numbers), "n_unit": grid.unit}
    cells = []
    shares, drawn = result.shares()
    for effect, share, draws in zip(result.effects, shares, drawn.T, strict=True):
        column = LEFT if effect == result.effects[-1] else COLUMNS[effect]
        ends = percentile(draws, level)
        cells.append(value(grid.row, column, float(share), interval=ends, unit=SHARE, **counts))
    levels = list(result.levels[1:])
    number, draws = result.coefficient(levels)
    fields = {"unit": "reliability", "note": f"over {' by '.join(map(str, levels))}"} | counts
    ends = percentile(draws, level)
    cells.append(value(grid.row, "coefficient", number, interval=ends, **fields))
    facets = enumerate(("first needed", "second needed")[: len(levels)], 1)
    return cells + [_needed(grid.row, column, result, facet, counts) for facet, column in facets]


def _needed(row: str, column: str, result: Components, facet: int, counts: dict) -> dict:
    """How many levels of a facet give .8, or why none does."""
    number, low, high = result.needed(facet)
    if np.isinf(number):
        note = "no number of levels is enough, with as many of the other facet as there are"
        return value(row, column, np.nan, note=note)
    if np.isinf(high):
        note = f"95 % interval: from {low:.0f} to more than any number"
        return value(row, column, number, unit=LEVELS, note=note, **counts)
    return value(row, column, number, interval=(low, high), unit=LEVELS, **counts)


def summarise(job: Job) -> list[dict]:
    """All cells."""
    grids: list[Grid] = []
    lists = job.word_lists("trustworthy")["gender"][LISTS]
    pairs = list(zip(*(lists[group] for group in GENDER), strict=True))
    if WORDS in job:
        table = job.table(WORDS)
        grids += [*of_words(table, pairs), *of_text(table)]
    if MATRIX in job:
        grids += of_encoder(job.table(MATRIX), pairs)
    for name, of in ((TABLE4, of_pairs), (FIGURE2, of_sets)):
        if name in job:
            grids += of(job.table(name))
    grids += [*of_pronouns(job), *of_trainings(job), *of_stereotypes(job), *of_sentences(job)]
    return [record for grid in grids for record in records(grid, job.level)]
