"""Table 5, predictive validity: bias in word vectors against bias in employment."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np
import pandas as pd

from socialbias.datasets.census import bias_from_uniform
from socialbias.embeddings.vectors import WordVectors
from socialbias.measures.divdist import negative_note
from socialbias.papers.inputs import concat, read_vectors
from socialbias.papers.reliability import CENSUS, alpha_of_words, fields, with_reliability
from socialbias.papers.trustworthy import diachronic
from socialbias.papers.trustworthy.inputs import (
    gender_lists,
    read_employment,
)
from socialbias.papers.trustworthy.measured import measured_words, word_reliability
from socialbias.pipeline.job import Job
from socialbias.reporting.values import value
from socialbias.stats.correlation import paired_spearman
from socialbias.stats.multiplicity import max_t

SAME = "these vectors have unit length, on which this is the measure of Bolukbasi et al."


def evidence(
    embeddings: Mapping[str, WordVectors],
    shares: Mapping[str, pd.DataFrame],
    gender_lists: Mapping[str, Mapping[str, Sequence[str]]],
    race_lists: Mapping[str, Sequence[str]],
    level: float,
) -> pd.DataFrame:
    """Bias in word2vec and in employment, profession by profession (section 6, contemporary).

    Words that GloVe lacks are left out as well, as in the authors' code.

    Args:
        embeddings: By role; `word2vec` measures, and `glove` only restricts the vocabulary.
        shares: By group set (`gender`, `race`), shares of the groups in each profession.
        gender_lists: By variant, the words for `female` and `male`.
        race_lists: The words for each race or ethnicity.
        level: Coverage of the intervals of reliabilities.

    Returns:
        Columns `column` (such as `contemporary-gender@appendix`), `row` (the measure),
        `profession`, `bias`, `negative` (whether it is of a negative association, of which
        DivDist makes no shares), `employment_bias`, `n_of` (professions with labour statistics),
        `reliability` of the measure over group words, `alpha` of the words themselves, both with
        `_low` and `_high`, `whole` (whether vectors of more words would give the same). A column is
        left out where an input is missing or less than half of a group's words have a vector.
    """
    wanted = [("gender", f"@{name}", lists) for name, lists in gender_lists.items()]
    wanted += [("race", "", race_lists)]
    parts = []
    for group_set, variant, lists in wanted:
        if group_set not in shares or "word2vec" not in embeddings:
            continue
        others = [e for name, e in embeddings.items() if name == "glove"]
        measured = embeddings["word2vec"]
        part = _profession_biases(measured, others, shares[group_set], lists.values(), level)
        parts.append(part.assign(column=f"contemporary-{group_set}{variant}"))
    columns = ["column", "row", "profession", "bias", "negative", "employment_bias"]
    columns += [*fields(None), *fields(None, "alpha")]
    return concat(parts, [*columns, "n_of", "whole"])


def _profession_biases(
    measured: WordVectors,
    others: Sequence[WordVectors],
    shares: pd.DataFrame,
    lists: Iterable[Sequence[str]],
    level: float,
) -> pd.DataFrame:
    """Every measure's bias of every profession that has vectors and labour statistics."""
    lists = list(lists)
    common = set.intersection(*(set(e.words) for e in [measured, *others]))
    vectors = measured.only(sorted(common))
    employment = bias_from_uniform(shares)
    professions = vectors.known(employment.index)
    if not professions or not all(map(vectors.covers, lists)):
        return pd.DataFrame()
    # Professions that another embedding lacks are not asked for.
    asked = [w for w in employment.index if all(w in e.index for e in others)]
    asked += [word for words in lists for word in words]
    targets, parts = vectors.rows(professions), []
    for measure, words in measured_words(vectors, lists):
        matrices = [vectors.rows(group) for group in words]
        columns = {"bias": measure.function(targets, matrices)}
        columns["negative"] = measure.negative(targets, matrices)
        columns |= fields(word_reliability(measure, targets, matrices, professions, level))
        parts.append(pd.DataFrame({"profession": professions, "row": measure.name} | columns))
    table = pd.concat(parts, ignore_index=True)
    return table.assign(
        **fields(alpha_of_words(targets, [vectors.rows(w) for w in words], level), "alpha"),
        employment_bias=employment[table["profession"]].to_numpy(),
        n_of=len(employment),
        whole=vectors.has_whole(asked),
    )


def values(table: pd.DataFrame, level: float, seed: int) -> list[dict]:
    """Table 5's cells: Spearman's correlation over professions, with a bootstrap over them.

    The same professions are drawn for all measures, and permuted for all alike: q-values are those
    of the largest correlation of the column (`max_t`).
    """
    records = []
    for _, part in table.groupby("column"):
        records += with_max_t(_column(part, level, seed))
    return records


def with_max_t(records: list[dict]) -> list[dict]:
    """The records of one family with `q_value`, from their draws with units permuted."""
    if not records:
        return []
    null = np.column_stack([record["null"] for record in records])
    adjusted = max_t([record["value"] for record in records], null)
    return [r | {"q_value": q} for r, q in zip(records, adjusted, strict=True)]


def _column(table: pd.DataFrame, level: float, seed: int) -> list[dict]:
    """The cells of one column."""
    records = []
    for (column, row), cell in table.groupby(["column", "row"]):
        estimate = paired_spearman(
            cell["bias"], cell["employment_bias"], cell["profession"], level, seed
        )
        if pd.isna(estimate.value):
            continue  # too few professions, or a measure that gives them all the same
        first = cell.iloc[0]
        notes = [SAME] if _is_bolukbasis(cell, table) else []
        notes.append(negative_note(cell["negative"], cell["bias"], "professions"))
        record = value(
            row,
            column,
            estimate.value,
            ci_low=estimate.low,
            ci_high=estimate.high,
            p_value=estimate.p_value,
            draws=estimate.draws,
            null=estimate.null,
            n=estimate.n,
            n_of=first["n_of"],
            n_unit="professions",
            unit="Spearman's rho",
            whole=first["whole"],
            note="; ".join(filter(None, notes)),
        )
        records.append(with_reliability(record, first["reliability"], CENSUS))
    return records


def _is_bolukbasis(cell: pd.DataFrame, table: pd.DataFrame) -> bool:
    """Whether a measure of Ethayarajh et al. gives each profession what Bolukbasi's gives it."""
    column, row = cell.iloc[0][["column", "row"]]
    if not row.startswith("ethayarajh"):
        return False
    other = row.replace("ethayarajh", "bolukbasi")
    other = table[(table["column"] == column) & (table["row"] == other)]
    pairs = cell[["profession", "bias"]].merge(other, on="profession")
    return len(pairs) == len(cell) and np.allclose(pairs["bias_x"], pairs["bias_y"], atol=1e-6)


def measure(job: Job) -> pd.DataFrame:
    """The evidence of the contemporary columns."""
    return evidence(
        read_vectors(job, "professions"),
        read_employment(job, job.settings["trustworthy.census_year"]),
        gender_lists(job),
        job.word_lists("trustworthy")["race"],
        job.level,
    )


def summarise(job: Job) -> list[dict]:
    """All columns."""
    records = values(job.table("evidence/trustworthy/table5"), job.level, job.seed)
    how = (job.level, job.seed)
    decades = "evidence/trustworthy/diachronic"
    return records + (diachronic.values(job.table(decades), *how) if decades in job else [])
