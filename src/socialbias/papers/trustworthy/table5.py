"""Table 5, predictive validity: bias in word vectors against bias in employment."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import pandas as pd

from socialbias.datasets.census import bias_from_uniform
from socialbias.papers.inputs import Input, concat, joined, read_vectors
from socialbias.papers.trustworthy import diachronic
from socialbias.papers.trustworthy.inputs import (
    gender_lists,
    read_employment,
)
from socialbias.papers.trustworthy.measured import MEASURES, measured_words
from socialbias.pipeline.job import Job
from socialbias.reporting.values import value
from socialbias.seeding import generator
from socialbias.sources.fidelity import worst_fidelity
from socialbias.stats.correlation import spearman


def evidence(
    embeddings: Mapping[str, Input],
    shares: Mapping[str, Input],
    gender_lists: Mapping[str, Mapping[str, Sequence[str]]],
    race_lists: Mapping[str, Sequence[str]],
) -> pd.DataFrame:
    """Bias in word2vec and in employment, profession by profession (section 6, contemporary).

    Words that GloVe lacks are left out as well, as in the authors' code.

    Args:
        embeddings: By role; `word2vec` measures gender, `word2vec_surnames` race, and `glove`
            only restricts the vocabulary.
        shares: By group set (`gender`, `race`), shares of the groups in each profession.
        gender_lists: By variant, the words for `female` and `male`.
        race_lists: The words for each race or ethnicity.

    Returns:
        Columns `column` (such as `contemporary-gender@appendix`), `row` (the measure),
        `profession`, `bias`, `employment_bias`, `n_of` (professions with labour statistics),
        `sources`, `fidelity`. A column is left out where an input is missing or a group has no
        word with a vector.
    """
    wanted = [("gender", "word2vec", f"@{name}", lists) for name, lists in gender_lists.items()]
    wanted += [("race", "word2vec_surnames", "", race_lists)]
    parts = []
    for group_set, role, variant, lists in wanted:
        if group_set not in shares or role not in embeddings:
            continue
        others = [e for name, e in embeddings.items() if name == "glove"]
        part = _profession_biases(embeddings[role], others, shares[group_set], lists.values())
        parts.append(part.assign(column=f"contemporary-{group_set}{variant}"))
    columns = ["column", "row", "profession", "bias", "employment_bias"]
    return concat(parts, [*columns, "n_of", "sources", "fidelity"])


def _profession_biases(
    measured: Input, others: Sequence[Input], shares: Input, lists: Iterable[Sequence[str]]
) -> pd.DataFrame:
    """Every measure's bias of every profession that has vectors and labour statistics."""
    lists = list(lists)
    common = set.intersection(*(set(e.data.words) for e in [measured, *others]))
    vectors = measured.data.only(sorted(common))
    employment = bias_from_uniform(shares.data)
    professions = vectors.known(employment.index)
    groups = [vectors.known(words) for words in lists]
    if not professions or not all(groups):
        return pd.DataFrame()
    biases = {
        name: MEASURES[name](vectors.rows(professions), [vectors.rows(group) for group in words])
        for name, words in measured_words(vectors, lists)
    }
    table = pd.DataFrame(biases, index=pd.Index(professions, name="profession")).reset_index()
    table = table.melt("profession", var_name="row", value_name="bias")
    return table.assign(
        employment_bias=employment[table["profession"]].to_numpy(),
        n_of=len(employment),
        sources=joined(i.source for i in [measured, *others, shares]),
        # The other embeddings only say which words are left out: their numbers enter nowhere.
        fidelity=worst_fidelity([measured.fidelity, shares.fidelity]),
    )


def values(table: pd.DataFrame, replicates: int, level: float, seed: int) -> list[dict]:
    """Table 5's cells: Spearman's correlation over professions, with a bootstrap over them."""
    records = []
    for (column, row), cell in table.groupby(["column", "row"]):
        estimate = spearman(
            cell["bias"],
            cell["employment_bias"],
            replicates,
            level,
            generator(seed, "table5", column, row),
        )
        if pd.isna(estimate.value):
            continue  # too few professions, or a measure that gives them all the same
        first = cell.iloc[0]
        records.append(
            value(
                row,
                column,
                estimate.value,
                ci_low=estimate.low,
                ci_high=estimate.high,
                p_value=estimate.p_value,
                n=estimate.n,
                n_of=first["n_of"],
                n_unit="professions",
                unit="Spearman's rho",
                fidelity=first["fidelity"],
                sources=first["sources"],
            )
        )
    return records


def measure(job: Job) -> pd.DataFrame:
    """The evidence of the contemporary columns."""
    return evidence(
        read_vectors(job, "professions"),
        read_employment(job, job.settings["trustworthy.census_year"]),
        gender_lists(job),
        job.word_lists("trustworthy")["race"],
    )


def summarise(job: Job) -> list[dict]:
    """All columns."""
    how = (job.replicates, job.level, job.seed)
    records = values(job.table("evidence/trustworthy/table5"), *how)
    decades = "evidence/trustworthy/diachronic"
    return records + (diachronic.values(job.table(decades), *how) if decades in job else [])
