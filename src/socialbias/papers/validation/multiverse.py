"""The multiverse of Table 5: the headline correlation under every defensible setting.

A specification curve (Simonsohn, Simmons and Nelson 2020): all settings that a researcher could
have chosen without being asked why, their correlations in order, and what each setting was.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product

import numpy as np
import pandas as pd

from socialbias.datasets.census import bias_from_uniform
from socialbias.measures.divdist import ASSOCIATIONS, DIVERGENCES, NORMALIZERS, DivDist
from socialbias.papers.inputs import Input, concat, joined, read_vectors
from socialbias.papers.trustworthy.inputs import (
    read_employment,
)
from socialbias.pipeline.job import Job
from socialbias.reporting.values import value
from socialbias.seeding import generator
from socialbias.sources.fidelity import worst_fidelity
from socialbias.stats.correlation import (
    midranks,
    percentile_interval,
    rowwise_pearson,
    spearman_test,
)

AXES = ("vectors", "lists", "targets", "association", "normalize", "divergence")
COLUMNS = ["column", *AXES, "rho", "ci_low", "ci_high", "p_value", "n", "n_of", "headline"]
COLUMNS += ["sources", "fidelity"]
MOST_REPLICATES = 500  # behind the interval of each of some hundred specifications
VECTORS = ("word2vec", "glove")  # the headline's first
DUPLICATES = (
    "with two groups all divergences rank alike: specifications are counted more than once, and "
    "nothing tests them together"
)
HEADLINE = ("cosine", "sum", "l1")  # the paper's parameters


def evidence(
    embeddings: Mapping[str, Input],
    shares: Mapping[str, Input],
    lists: Mapping[str, Mapping[str, Sequence[Sequence[str]]]],
    replicates: int,
    level: float,
    seed: int,
) -> pd.DataFrame:
    """DivDist's correlation with employment in every combination of settings.

    Args:
        embeddings: Word vectors by name, the headline's first. Vectors of a source that stands
            earlier already are left out.
        shares: By group set (`gender`, `race`), shares of the groups in each profession.
        lists: By group set, the words of each group by name of the list, the headline's first.
        replicates: Bootstrap samples of the professions.
        level: Coverage of the intervals.
        seed: The configuration's seed.

    Returns:
        One row a specification: `column` (such as `contemporary-gender`), the six settings,
        `rho`, `ci_low`, `ci_high`, `p_value`, `n` and `n_of` (professions), `headline` (whether it
        is the paper's), `sources`, `fidelity`. A combination whose correlation is not defined
        (negative shares under a divergence for distributions) is left out.
    """
    parts = []
    for group_set, statistics in shares.items():
        rng = generator(seed, "multiverse", group_set)
        spaces = _distinct(embeddings)
        for (name, vectors), (variant, groups) in product(spaces.items(), lists[group_set].items()):
            for targets, professions in _targets(spaces, vectors, statistics).items():
                part = _specifications(
                    vectors, statistics, groups, professions, replicates, level, rng
                )
                said = {"vectors": name, "lists": variant, "targets": targets}
                parts.append(part.assign(column=f"contemporary-{group_set}", **said))
    table = concat([p.reindex(columns=COLUMNS) for p in parts], COLUMNS)
    table["headline"] = _is_headline(table)
    return table


def _distinct(embeddings: Mapping[str, Input]) -> dict[str, Input]:
    """Each source once, under its first name."""
    first: dict[str, str] = {}
    for name, vectors in embeddings.items():
        first.setdefault(vectors.source, name)
    return {name: embeddings[name] for name in first.values()}


def _is_headline(table: pd.DataFrame) -> np.ndarray:
    """The first specification of each column that has the paper's parameters."""
    ours = (table["association"] == HEADLINE[0]) & (table["normalize"] == HEADLINE[1])
    ours &= table["divergence"] == HEADLINE[2]
    first = table[ours].drop_duplicates("column").index
    return table.index.isin(first)


def _targets(
    embeddings: Mapping[str, Input], vectors: Input, shares: Input
) -> dict[str, list[str]]:
    """The professions that all vectors have, as the paper does, and those that these have."""
    own = vectors.data.known(shares.data.index)
    common = [p for p in own if all(p in e.data.index for e in embeddings.values())]
    return {"in all vectors": common} | ({"in these vectors": own} if own != common else {})


def _specifications(
    vectors: Input,
    shares: Input,
    groups: Sequence[Sequence[str]],
    professions: list[str],
    replicates: int,
    level: float,
    rng: np.random.Generator,
) -> pd.DataFrame:
    """Every choice of parameters for one choice of vectors, lists and professions."""
    words = [vectors.data.known(group) for group in groups]
    if len(professions) < 5 or not all(map(vectors.data.covers, groups)):
        return pd.DataFrame(columns=COLUMNS)
    targets = vectors.data.rows(professions)
    rows = [vectors.data.rows(group) for group in words]
    employment = bias_from_uniform(shares.data)[professions].to_numpy()
    n = len(professions)
    chosen = rng.integers(n, size=(min(replicates, MOST_REPLICATES), n))
    ranked = midranks(employment[chosen])  # the same for every specification
    cells = []
    for names in product(ASSOCIATIONS, NORMALIZERS, DIVERGENCES):
        bias = DivDist.named(*names)(targets, rows)
        if not np.isfinite(bias).all() or np.ptp(bias) == 0:
            continue
        rho, p_value = spearman_test(bias, employment)
        draws = rowwise_pearson(midranks(bias[chosen]), ranked)
        cells.append((*names, rho, *percentile_interval(draws, level, n), p_value))
    columns = ["association", "normalize", "divergence", "rho", "ci_low", "ci_high", "p_value"]
    return pd.DataFrame(cells, columns=columns).assign(
        n=n,
        n_of=len(shares.data),
        sources=joined([vectors.source, shares.source]),
        fidelity=worst_fidelity([vectors.fidelity, shares.fidelity]),
    )


def values(table: pd.DataFrame) -> list[dict]:
    """Summary of the curve: in all, and for each choice on each axis.

    Columns `<column>` with the variants `median` (with the range of all specifications), `share
    positive` and `share significant` (positive at 0.05), one row for `all`, the `headline`, and
    each choice such as `normalize: softmax`.
    """
    records = []
    for column, specifications in table.groupby("column"):
        records += _summary("all", column, specifications)
        records += _summary("headline", column, specifications[specifications["headline"]])
        # What vectors one choice can be made in depends on the others: all stand for all vectors.
        of_all = worst_fidelity(list(specifications["fidelity"]))
        for axis in AXES:
            for choice, part in specifications.groupby(axis):
                found = _summary(f"{axis}: {choice}", column, part)
                records += found if axis == "vectors" else [r | {"fidelity": of_all} for r in found]
    return records


def _summary(row: str, column: str, part: pd.DataFrame) -> list[dict]:
    """Median, share positive and share significant of some specifications."""
    if part.empty:
        return []
    positive = part["rho"] > 0
    said = {
        "n": len(part),
        "n_unit": "specifications",
        "fidelity": worst_fidelity(list(part["fidelity"])),
        "sources": joined(part["sources"]),
        "weak": DUPLICATES,
    }
    spread = {"ci_low": part["rho"].min(), "ci_high": part["rho"].max()}
    significant = float((positive & (part["p_value"] <= 0.05)).mean())
    share = {"unit": "share of specifications"} | said
    rho = {"unit": "Spearman's rho"} | spread | said
    return [
        value(row, f"{column}@median", part["rho"].median(), **rho),
        value(row, f"{column}@positive", float(positive.mean()), **share),
        value(row, f"{column}@significant", significant, **share),
    ]


def measure(job: Job) -> pd.DataFrame:
    """The evidence of every specification."""
    lists, vectors = job.word_lists("trustworthy"), read_vectors(job, "professions")
    gender = {
        f"{name} lists": list(lists["gender"][variant].values())
        for name, variant in (("code", "released-code"), ("appendix", "appendix"))
    }
    return evidence(
        {role: vectors[role] for role in VECTORS if role in vectors},
        read_employment(job, job.settings["trustworthy.census_year"]),
        {"gender": gender, "race": {"printed lists": list(lists["race"].values())}},
        job.replicates,
        job.level,
        job.seed,
    )


def summarise(job: Job) -> list[dict]:
    """All cells."""
    return values(job.table("evidence/validation/multiverse"))
