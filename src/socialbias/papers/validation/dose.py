"""Dose and response: whether bias grows with a model's size, its layers, training, text and seeds.

Every dose is given to units that all of its levels share, professions or bootstrapped models, so
that what these differ by cancels out (`stats.trend`).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from socialbias.datasets.census import GENDER
from socialbias.measures.similarity import Array
from socialbias.papers.bad_seeds.factors import BANDS, PARTS_OF_SPEECH, SIZES
from socialbias.papers.bad_seeds.inputs import by_model, mean_over_models, sign_p
from socialbias.papers.evidence import estimated
from socialbias.papers.trustworthy.decodings import SOURCE as DECODINGS_SOURCE
from socialbias.papers.trustworthy.decodings import TEXTS as DECODED
from socialbias.papers.trustworthy.inputs import EVERY, read_employment
from socialbias.papers.validation.dose_evidence import LAYERS
from socialbias.pipeline.job import Job
from socialbias.reporting.values import value
from socialbias.stats.clustered import shares_of_counts
from socialbias.stats.trend import FEWEST, orders, slopes, trend

DECODINGS, FACTORS = "evidence/trustworthy/decodings", "evidence/bad_seeds/factors"
NEW = tuple(f"evidence/validation/dose_{name}" for name in ("layers", "epochs", "corpus_size"))
# Professions whose squared biases have a slope: of fewer, where there is no bias and texts grow
# from level to level, the interval covers only 90 % (4,000 simulated worlds), of so many 93 %.
FEWEST_SQUARED = 20
FEWEST_DOCUMENTS = 2  # with a profession in a text: one shows no error
SLOPE, ORDER = "slope", "order"
PER_DOUBLING, PER_LEVEL = "slope per doubling", "slope per level"
OVER_ALL = "slope over all layers"
RHO = "Spearman's rho"
LEAN, SIZE, EMPLOYMENT = "lean", "size", "employment"
SHARE, SQUARED = "female share minus 1/2", "squared bias of shares"
PER_DEVIATION = "female share by employment"
COSINES, PEARSON = "absolute difference of cosines", "Pearson's r"
ABOVE_RANDOM = "share of variance above random vectors"
# Measures of pairs of seed sets, with bounds and units; `explained` less that in random vectors,
# because more words are explained less whatever they are.
PAIRS = {
    "coherence": ((0, 1), "share of the vocabulary"),
    "explained": ((-1, 1), ABOVE_RANDOM),
    "similarity": ((-1, 1), "cosine"),
}


@dataclass(frozen=True)
class Levels:
    """The levels of a dose.

    Attributes:
        names: k, in order: texts or rows of evidence.
        doses: k numbers; logarithms to base 2 for a slope per doubling.
        labels: What readers call them.
        per: The unit of the slope; "" where they have no order.
    """

    names: tuple[str, ...]
    doses: tuple[float, ...]
    labels: tuple[str, ...]
    per: str


def _levels(per: str, levels: Iterable[tuple[str, float, str]]) -> Levels:
    """Levels by their names, doses and labels."""
    return Levels(*zip(*levels, strict=True), per)


GPT2 = (("small-117M", 117, "117M"), ("medium-345M", 345, "345M"))  # millions of parameters
GPT2 += (("large-762M", 762, "762M"), ("xl-1542M", 1542, "1.5B"))
PAIRED = {
    "cut": (("xl-1542M", "all words"), ("xl-1542M-k40", "top 40")),
    "published-cut": (("unconditional", "all words"), ("unconditional-topk40", "top 40")),
    "published-temperature": (
        ("unconditional", "temperature 1"),
        ("unconditional-t07", "temperature 0.7"),
    ),
}
DECODED_BY = {
    f"size{suffix}": _levels(
        PER_DOUBLING, ((f"{name}{suffix}", math.log2(size), label) for name, size, label in GPT2)
    )
    for suffix in ("", "-k40")
}
DECODED_BY |= {
    dose: _levels(PER_LEVEL, ((name, float(i), label) for i, (name, label) in enumerate(pair)))
    for dose, pair in PAIRED.items()
}
SEEDS_BY = {
    "set-size": _levels(PER_DOUBLING, ((f"size {n}", math.log2(n), f"{n} words") for n in SIZES)),
    "frequency": _levels(
        PER_DOUBLING,
        (
            (f"frequency {low} to {high}", math.log2(low * high) / 2, f"{low}-{high:,}")
            for low, high in BANDS
        ),
    ),
    "part-of-speech": _levels(
        "", ((f"pos {pos}", float(i), f"{pos}s") for i, pos in enumerate(PARTS_OF_SPEECH))
    ),
}


@dataclass(frozen=True)
class Grid:
    """Numbers of professions by the levels of a dose.

    Attributes:
        row: Of the artefact.
        numbers: (n, k), or (n, k, r) of r trainings.
        units: n professions.
        levels: The k levels.
        unit: What the numbers are.
    """

    row: str
    numbers: Array
    units: Sequence[str]
    levels: Levels
    unit: str


def of_texts(counts: pd.DataFrame, census: pd.DataFrame | None) -> Iterator[Grid]:
    """Shares of women in published samples, by model and decoding.

    Of professions in two documents or more of every text: how far the share is from one half,
    signed and squared (less its variance over documents, which is chance alone), and its product
    with employment: how much of a share a standard deviation of women's employment goes with.

    Args:
        counts: Evidence of `decodings`.
        census: Shares of women by profession, if any.
    """
    table = counts[counts["target"] != EVERY]
    texts = {name: _shares(part) for name, part in table.groupby("text")}
    for dose, levels in DECODED_BY.items():
        if not texts.keys() >= set(levels.names):
            continue
        grid = pd.concat([texts[name] for name in levels.names], axis=1, join="inner")
        share = grid["share"].to_numpy() - 0.5
        squared = share**2 - grid["variance"].to_numpy()
        yield Grid(f"{dose} {LEAN}", share, list(grid.index), levels, SHARE)
        yield Grid(f"{dose} {SIZE}", squared, list(grid.index), levels, SQUARED)
        if census is not None:
            known, z = _employment(grid.index, census)
            names = list(grid.index[known])
            numbers = share[known] * z[:, None]
            yield Grid(f"{dose} {EMPLOYMENT}", numbers, names, levels, PER_DEVIATION)


def _shares(table: pd.DataFrame) -> pd.DataFrame:
    """`share` of women and its `variance`, of each target in enough documents."""
    targets, owners = np.unique(table["target"].to_numpy(str), return_inverse=True)
    shares = shares_of_counts(table[list(GENDER)].to_numpy(float), owners, len(targets), 0.95)
    numbers = {"share": shares.share[:, 0], "variance": shares.variance[:, 0]}
    return pd.DataFrame(numbers, index=targets)[shares.clusters >= FEWEST_DOCUMENTS]


def _employment(professions: Sequence[str], census: pd.DataFrame) -> tuple[np.ndarray, Array]:
    """Which professions the census has, (n,), and their shares of women, standardised."""
    women = census["female"].reindex(list(professions)).to_numpy(float)
    known = ~np.isnan(women)
    return known, _standardised(women[known])


def _standardised(numbers: Array) -> Array:
    """Numbers (n, ...) less their means over the first axis, over their standard deviations."""
    spread = numbers.std(axis=0)
    return (numbers - numbers.mean(axis=0)) / np.where(spread > 0, spread, 1)


def of_vectors(table: pd.DataFrame, census: pd.DataFrame | None) -> Iterator[Grid]:
    """Differences of cosines of professions, by layer, epoch or size of text.

    Their size and, standardised at each level, their product with employment, whose mean is the
    correlation of both.

    Args:
        table: Evidence of `dose_evidence`.
        census: Shares of women by profession, if any.
    """
    for dose, part in table.groupby("column", sort=False):
        wide = part.pivot(index="unit", columns=["level", "part"], values="bias").dropna()
        rows = part.drop_duplicates("level").sort_values("level")
        level = rows["level"].to_numpy()
        if dose == LAYERS:
            # An encoder of twelve layers and one of six are alike by the share of their depth.
            doses, per = level / level.max(), OVER_ALL
        else:
            doses, per = np.log2(level), PER_DOUBLING
        labels = tuple(rows["row"])
        levels = Levels(labels, tuple(doses.tolist()), labels, per)
        bias = wide.to_numpy().reshape(len(wide), len(rows), -1)
        bias = bias[:, :, 0] if bias.shape[2] == 1 else bias
        yield Grid(f"{dose} {SIZE}", np.abs(bias), list(wide.index), levels, COSINES)
        if census is not None:
            known, z = _employment(wide.index, census)
            aligned = _standardised(bias[known]) * z.reshape(-1, *[1] * (bias.ndim - 1))
            names = list(wide.index[known])
            yield Grid(f"{dose} {EMPLOYMENT}", aligned, names, levels, PEARSON)


def records(grid: Grid, seed: int, level: float) -> list[dict]:
    """The cells of one dose of professions: each level, slope and order."""
    result = trend(grid.numbers, grid.levels.doses, grid.units, seed, level)
    fewest = FEWEST_SQUARED if grid.unit == SQUARED else FEWEST
    if result is None or result.units < fewest:
        note = f"too few: {len(grid.units)} professions at all levels, fewer than {fewest}"
        return [value(grid.row, SLOPE, np.nan, note=note)]
    counts = {"n": result.units, "n_unit": "professions"}
    cells = []
    for i, (mean, label) in enumerate(zip(result.levels, grid.levels.labels, strict=True), 1):
        fields = estimated(mean) | counts | {"unit": grid.unit, "note": label}
        del fields["p_value"]
        cells.append(value(grid.row, f"level {i}", mean.value, **fields))
    trends = [(SLOPE, result.slope, grid.levels.per)]
    if grid.unit == COSINES or _ordered(grid.levels, grid.row.rpartition(" ")[2]):
        trends.append((ORDER, result.order, RHO))
    return cells + [
        value(grid.row, column, mean.value, unit=unit, **estimated(mean), **counts)
        for column, mean, unit in trends
    ]


def of_seeds(table: pd.DataFrame, level: float) -> Iterator[dict]:
    """The cells of doses of seed sets: means over bootstrapped models, slopes in each.

    Args:
        table: Evidence of Bad Seeds' factors.
        level: Coverage of the intervals.
    """
    for dose, levels in SEEDS_BY.items():
        for name, (bounds, unit) in PAIRS.items():
            wide = _by_model(table, levels.names, name)
            kept = [i for i, row in enumerate(levels.names) if row in wide]
            row, counts = f"{dose} {name}", {"n": len(wide), "n_unit": "models"}
            for i in kept:
                numbers, fields = wide[levels.names[i]], counts | {"note": levels.labels[i]}
                column = f"level {i + 1}"
                yield from mean_over_models(row, column, numbers, level, unit, bounds, **fields)
            whole = wide[[levels.names[i] for i in kept]].dropna().to_numpy()
            if len(kept) < 2 or len(whole) < 2 or not levels.per:
                continue
            doses, counts = [levels.doses[i] for i in kept], {"n": len(whole), "n_unit": "models"}
            for column, numbers, limits, per in (
                (SLOPE, slopes(whole, doses), (-np.inf, np.inf), levels.per),
                (ORDER, orders(whole, doses), (-1, 1), RHO),
            ):
                fields = counts | {"p_value": sign_p(numbers)}
                yield from mean_over_models(row, column, numbers, level, per, limits, **fields)


def _by_model(table: pd.DataFrame, rows: Sequence[str], name: str) -> pd.DataFrame:
    """A measure of pairs by model, a column for each setting that the table has."""
    sides = {
        vectors: {row: by_model(cells, name) for row, cells in part.groupby("row") if row in rows}
        for vectors, part in table.groupby("vectors")
    }
    grid = pd.DataFrame(sides.get("", {}))
    if PAIRS[name][1] == ABOVE_RANDOM:
        grid = grid - pd.DataFrame(sides.get("random", {}))
    return grid


def of_other_source(present: set[str]) -> Iterator[dict]:
    """Empty cells of doses whose texts are in another source than the run's, with its name."""
    for dose, levels in DECODED_BY.items():
        if present and not present >= set(levels.names):
            has = next(source for source, texts in DECODED.items() if {*levels.names} <= {*texts})
            note = f"these texts are in {has}: name that in inputs.{DECODINGS_SOURCE}"
            for measure in (LEAN, SIZE, EMPLOYMENT):
                columns = [f"level {i}" for i in range(1, len(levels.names) + 1)] + [SLOPE]
                for column in columns + [ORDER] * _ordered(levels, measure):
                    row = f"{dose} {measure}"
                    yield value(row, column, np.nan, note=note)


def _ordered(levels: Levels, measure: str) -> bool:
    """Whether the order of levels is tested: two have a slope alone, and noise skews squares."""
    return len(levels.names) > 2 and measure != SIZE


def summarise(job: Job) -> Iterator[dict]:
    """All cells."""
    census = read_employment(job, job.settings["trustworthy.census_year"]).get("gender")
    grids: list[Grid] = []
    if DECODINGS in job:
        counts = job.table(DECODINGS)
        grids += of_texts(counts, census)
        yield from of_other_source(set(counts["text"]))
    for name in NEW:
        if name in job:
            grids += of_vectors(job.table(name), census)
    yield from (cell for grid in grids for cell in records(grid, job.seed, job.level))
    if FACTORS in job:
        yield from of_seeds(job.table(FACTORS), job.level)
