"""Table 7, mitigation: bias before and after debiasing, over a grid of settings.

No code was released for this table, and print does not say which words and parameters it rests
on. So every combination is measured, and shown are the defaults of the paper and, for each kind
of column, the setting that comes nearest to print.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain, product
from typing import NamedTuple

import numpy as np
import pandas as pd

from socialbias.debias.subspace import bias_subspace, hard_debias, soft_debias, soft_transform
from socialbias.embeddings.vectors import WordVectors
from socialbias.measures.divdist import ASSOCIATIONS, DivDist, negative_note
from socialbias.measures.prior import pair_direction
from socialbias.measures.similarity import Array, cosine_matrix, unit_rows
from socialbias.papers.inputs import concat
from socialbias.papers.reliability import FIELDS, fields, over_words, with_reliability
from socialbias.pipeline.job import Job
from socialbias.reporting.values import read_csv, value
from socialbias.stats.draws import resampled_mean, widened
from socialbias.stats.intervals import percentile

COLUMNS = ["row", "metric", "state", "setting", "value", "low", "high", "n", "n_of"]
COLUMNS += ["draws", "note", *FIELDS]
NORMALIZERS = ("sum", "clipped-sum", "softmax")
DIVERGENCES = ("l1", "l2", "linf", "js")
# By metric and variant, the settings that are shown beside the one nearest to print.
NAMED = {
    "divdist": {
        "default": "professions, default lists, cosine, sum, l1, soft sums",
        "clipped-sum": "professions, default lists, cosine, clipped-sum, l1, soft sums",
    },
    "targeted": {"default": "professions, method's lists, soft sums"},
}


@dataclass(frozen=True)
class Method:
    """One row of Table 7.

    Attributes:
        row: Its key in print.
        sets: Words that define the bias subspace, one a group in each set.
        equal: Sets of words to equalize.
        keep: Words that are not neutralized.
        soft: Whether the debiasing is soft.
        lists: By name (`default lists`: the paper's, or the method's where the paper prints none;
            `method's lists`), the words of each group.
        targets: By name (`professions`, `stereotyped words`), the target words.
        projection: Whether the targeted metric is the projection on the direction (Bolukbasi et
            al.) instead of the mean cosine with all group words (Manzini et al.).
    """

    row: str
    sets: Sequence[Sequence[str]]
    equal: Sequence[Sequence[str]]
    keep: Sequence[str]
    soft: bool
    lists: Mapping[str, Sequence[Sequence[str]]]
    targets: Mapping[str, Sequence[str]]
    projection: bool = False


def evidence(
    vectors: WordVectors | None,
    methods: Sequence[Method],
    published: Mapping[str, tuple[Method, WordVectors, WordVectors]],
    level: float,
    seed: int,
) -> pd.DataFrame:
    """Both metrics before and after each method, in every setting.

    Args:
        vectors: The vocabulary that is debiased, with all words of the methods; None where there
            is no input.
        methods: Rows of the table that are debiased here.
        published: By row, the method with vectors published before and after it.
        level: Coverage of the intervals over targets.
        seed: The configuration's seed.

    Returns:
        Columns `row`, `metric` (`targeted` or `divdist`), `state` (`original` or `debiased`),
        `setting`, `value` (mean over targets), `low`, `high`, `draws` (of named settings), `n`,
        `n_of` (targets found and asked for), `note` (on negative associations),
        `reliability`, `reliability_low`, `reliability_high` (of the default
        setting). A method whose sets have no two whole sets is left out.
    """
    parts = []
    for method in methods if vectors is not None else ():
        if sum(all(w in vectors.index for w in words) for words in method.sets) < 2:
            continue
        for soft in ("sums", "means") if method.soft else ("sums",):
            after = debiased(vectors, method, means=soft == "means")
            parts += _states(method, vectors, after, soft, level, seed)
    for method, before, after in published.values():
        parts += _states(method, before, after, "sums", level, seed)
    return concat(parts, COLUMNS)


def _states(
    method: Method, before: WordVectors, after: WordVectors, soft: str, level: float, seed: int
) -> list[pd.DataFrame]:
    """Both metrics in every setting, before and after."""
    parts = []
    for state, space in (("original", before), ("debiased", after)):
        cells = [
            *_divdist_cells(space, method, soft, level, seed),
            *_targeted_cells(before, space, method, soft, level, seed),
        ]
        parts.append(pd.DataFrame(cells).assign(row=method.row, state=state))
    return parts


def debiased(data: WordVectors, method: Method, means: bool) -> WordVectors:
    """What the metrics ask for after a method; words that the vocabulary lacks are left out."""
    sets = [data.rows(words) for words in method.sets if all(w in data.index for w in words)]
    subspace = bias_subspace([unit_rows(words) for words in sets], len(method.sets[0]) - 1)
    special = {word for words in [*method.sets, *method.equal, method.keep] for word in words}
    groups = [group for groups in method.lists.values() for group in groups]
    asked = data.only(chain(*method.targets.values(), *groups, *method.equal))
    matrix = asked.rows(asked.words)
    if method.soft:
        unit = unit_rows(data.rows(data.words))
        neutral = unit[[word not in special for word in data.words]]
        transform = soft_transform(unit, neutral, subspace, means=means)
        return WordVectors(asked.words, soft_debias(matrix, transform))
    equal = [[asked.index[w] for w in words] for words in method.equal
             if all(w in asked.index for w in words)]  # fmt: skip
    keep = [asked.index[word] for word in special if word in asked.index]
    return WordVectors(asked.words, hard_debias(matrix, subspace, keep, equal))


class _Setting(NamedTuple):
    """Targets and group lists.

    Attributes:
        name: Of both.
        targets: The targets that have a vector.
        n_of: How many there are, with those that have none.
        known: The words of each group that have a vector.
        groups: All words of each.
    """

    name: str
    targets: list[str]
    n_of: int
    known: list[list[str]]
    groups: Sequence[Sequence[str]]


def _settings(space: WordVectors, method: Method) -> Iterator[_Setting]:
    """Targets with group lists, where both have vectors."""
    for (targets, words), (lists, groups) in product(method.targets.items(), method.lists.items()):
        found, known = space.known(words), [space.known(group) for group in groups]
        if found and all(known):
            yield _Setting(f"{targets}, {lists}", found, len(words), known, groups)


def _divdist_cells(
    space: WordVectors, method: Method, soft: str, level: float, seed: int
) -> list[dict]:
    """DivDist in every setting."""
    cells = []
    for setting, found, n_of, known, _ in _settings(space, method):
        matrix, rows = space.rows(found), [space.rows(group) for group in known]
        for association, normalize, divergence in product(ASSOCIATIONS, NORMALIZERS, DIVERGENCES):
            measure = DivDist.named(association, normalize, divergence)
            bias = measure(matrix, rows)
            named = f"{setting}, {association}, {normalize}, {divergence}, soft {soft}"
            cell = _cell("divdist", named, found, bias, n_of, level, seed)
            finite = np.isfinite(bias)
            negative = measure.negative(matrix, rows)[finite]
            cell |= {"note": negative_note(negative, bias[finite], "targets")}
            cells.append(cell | _reliable(cell, partial(measure, matrix), rows, found, level))
    return cells


def _targeted_cells(
    original: WordVectors,
    space: WordVectors,
    method: Method,
    soft: str,
    level: float,
    seed: int,
) -> list[dict]:
    """The metric that the method aims at, in every setting."""
    cells = []
    for setting, found, n_of, known, groups in _settings(space, method):
        matrix, named = space.rows(found), f"{setting}, soft {soft}"
        if not method.projection:
            cosines = cosine_matrix(matrix, space.rows([w for group in known for w in group]))
            bias = cosines.mean(axis=1)
            cell = _cell("targeted", named, found, bias, n_of, level, seed)
            rows = [space.rows(group) for group in known]
            how = partial(_mean_cosine, matrix)
            cells.append(cell | _reliable(cell, how, rows, found, level))
            continue
        for name, source in (("", space), (", direction of the original", original)):
            pairs = source.known_pairs(*groups) if len(groups[0]) == len(groups[1]) else [[], []]
            if len(pairs[0]) < 2:
                continue
            direction = pair_direction(*(source.rows(group) for group in pairs))
            bias = np.abs(cosine_matrix(matrix, direction[None]))[:, 0]
            cell = _cell("targeted", named + name, found, bias, n_of, level, seed)
            rows = [source.rows(group) for group in pairs]
            how = partial(_projection, matrix)
            cells.append(cell | _reliable(cell, how, rows, found, level, paired=True))
    return cells


def _mean_cosine(targets: Array, groups: Sequence[Array]) -> Array:
    """The mean cosine of each target with the words of all groups."""
    return cosine_matrix(targets, np.vstack(groups)).mean(axis=1)


def _projection(targets: Array, pairs: Sequence[Array]) -> Array:
    """The size of each target's projection on the direction of the pairs."""
    return np.abs(cosine_matrix(targets, pair_direction(*pairs)[None]))[:, 0]


def _reliable(
    cell: dict,
    measure: Callable[[Sequence[Array]], Array],
    groups: Sequence[Array],
    targets: Sequence[str],
    level: float,
    paired: bool = False,
) -> dict:
    """The reliability of the targets' biases over group words, of the default settings alone."""
    if cell["setting"] not in (NAMED["targeted"]["default"], NAMED["divdist"]["default"]):
        return fields(None)
    return fields(over_words(measure, groups, targets, level, paired))


def _is_named(setting: str) -> bool:
    return setting in {*NAMED["targeted"].values(), *NAMED["divdist"].values()}


def _cell(
    metric: str,
    setting: str,
    targets: Sequence[str],
    bias: Array,
    n_of: int,
    level: float,
    seed: int,
) -> dict:
    """Mean over targets with a percentile bootstrap; targets without a bias are left out.

    The same targets are drawn in all states and settings.
    """
    finite = np.isfinite(bias)
    words, bias = [word for word, is_ in zip(targets, finite, strict=True) if is_], bias[finite]
    cell = {"metric": metric, "setting": setting, "n": len(bias), "n_of": n_of, "note": ""}
    if not len(bias):
        return cell | dict.fromkeys(("value", "low", "high"), np.nan) | {"draws": None}
    draws = widened(resampled_mean(bias, words, seed), bias.mean(), len(bias))
    low, high = percentile(draws, level)
    # The draws of hundreds of settings that nothing is said about would fill the evidence.
    kept = draws if _is_named(setting) else None
    return cell | {"value": bias.mean(), "low": low, "high": high, "draws": kept}


def values(table: pd.DataFrame, published: pd.DataFrame) -> list[dict]:
    """Table 7's cells in the paper's default setting, with a clipped sum, and as fits print best.

    Args:
        table: The evidence.
        published: The printed cells: columns `row`, `column`, `value`.
    """
    printed = published.set_index(["row", "column"])["value"].astype(float)
    table = table.assign(column=table["metric"] + "-" + table["state"])
    records = []
    # The two targeted metrics are different measures: each is fitted on its own rows.
    aims = np.where(table["row"].str.contains("manzini"), "targeted", "targeted-projection")
    families = aims.astype(object)
    families[table["metric"] == "divdist"] = "divdist"
    for family, cells in table.groupby(families):
        tried, best = cells["setting"].nunique(), best_setting(cells, printed)
        shown = {name: (one, one) for name, one in NAMED[family.split("-")[0]].items()}
        shown["fitted"] = best, f"{best} (of {tried} settings)"
        for variant, (setting, said) in shown.items():
            rows = cells[cells["setting"] == setting].dropna(subset="value")
            for cell in rows.to_dict("records"):
                note = "; ".join(filter(None, [said, cell["note"]]))
                records.append(_record(cell, variant, note))
    return records


def best_setting(cells: pd.DataFrame, printed: pd.Series) -> str:
    """The setting with the least mean absolute error, among those that most cells have."""
    keys = list(zip(cells["row"], cells["column"], strict=True))
    error = (cells["value"] - printed.reindex(keys).to_numpy()).abs()
    scores = error.groupby(cells["setting"]).agg(["count", "mean"])
    return scores[scores["count"] == scores["count"].max()]["mean"].idxmin()


def _record(cell: dict, variant: str, note: str) -> dict:
    record = value(
        cell["row"],
        f"{cell['column']}@{variant}",
        cell["value"],
        ci_low=cell["low"],
        ci_high=cell["high"],
        draws=np.nan if cell["draws"] is None else cell["draws"],
        n=cell["n"],
        n_of=cell["n_of"],
        n_unit="targets",
        unit="mean bias over targets",
        note=note,
    )
    return with_reliability(record, cell["reliability"])


def summarise(job: Job) -> list[dict]:
    """All cells; the fitted ones are those nearest to print."""
    published = read_csv(job.path("published/trustworthy_table7"))
    return values(job.table("evidence/trustworthy/table7"), published)
