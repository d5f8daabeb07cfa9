"""Tables 3 and 5 of Bommasani and Liang 2022, Trustworthy Social Bias Measurement.

An `Input` carries its source and fidelity beside the data, so that both travel into every value.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

from socialbias.artefacts.values import value
from socialbias.census import GENDER, RACE, bias_from_uniform, read_shares
from socialbias.embeddings.vectors import WordVectors
from socialbias.measures import prior
from socialbias.measures.divdist import DivDist, sum_normalize
from socialbias.measures.similarity import Array, cosine_matrix
from socialbias.seeding import generator
from socialbias.sources.fetch import read_manifest
from socialbias.sources.registry import worst_fidelity
from socialbias.stats.correlation import spearman
from socialbias.stats.resampling import resampled_means

EMBEDDINGS = ("word2vec", "glove", "word2vec_surnames")

# The rows of Table 5. Those that are defined for any number of groups also have a race column;
# those that take a principal component need aligned pairs of words.
MEASURES: Mapping[str, Callable[[Array, Sequence[Array]], Array]] = {
    "bolukbasi": prior.bolukbasi,
    "caliskan": prior.caliskan,
    "garg-cosine": prior.garg_cosine,
    "garg-euclidean": prior.garg_euclidean,
    "manzini": prior.manzini,
    "ethayarajh": prior.ethayarajh,
    "divdist": DivDist(),
}
NEED_PAIRS = ("bolukbasi", "ethayarajh")
ANY_NUMBER_OF_GROUPS = ("manzini", "divdist")


@dataclass(frozen=True)
class Input:
    """Data with where it is from.

    Attributes:
        data: Word vectors, or shares of groups by profession.
        source: Id in the source registry.
        fidelity: How near the source is to what the paper used.
    """

    data: WordVectors | pd.DataFrame
    source: str
    fidelity: str


def read_embeddings(inputs: Mapping[str, str]) -> dict[str, Input]:
    """The aligned vectors among a rule's named inputs, by role.

    Args:
        inputs: Paths by name; those of the roles in `EMBEDDINGS` are the `info.json` beside the
            vectors.
    """
    embeddings = {}
    for role in EMBEDDINGS:
        if role in inputs:
            path = Path(inputs[role])
            info = json.loads(path.read_text("utf-8"))
            vectors = WordVectors.load(path.parent)
            embeddings[role] = Input(vectors, info["source"], info["fidelity"])
    return embeddings


def read_employment(inputs: Mapping[str, str], year: int) -> dict[str, Input]:
    """Shares of gender and race by profession among a rule's named inputs, by group set.

    Args:
        inputs: Paths by name; `census_gender` and `census_race` are manifests of sources.
        year: Census year.
    """
    shares = {}
    for group_set, groups in (("gender", GENDER), ("race", RACE)):
        if f"census_{group_set}" in inputs:
            folder, manifest = read_manifest(Path(inputs[f"census_{group_set}"]))
            table = read_shares(folder, manifest, groups, year)
            shares[group_set] = Input(table, manifest["source"], manifest["fidelity"])
    return shares


def table3_evidence(
    embeddings: Mapping[str, Input],
    gender_lists: Mapping[str, Mapping[str, Sequence[str]]],
    targets: Sequence[str],
    draws: int,
    seed: int,
) -> pd.DataFrame:
    """Directed gender bias of each target, and of resamples of the group words (section 6).

    Args:
        embeddings: By role, such as `word2vec`; those that have no input are left out.
        gender_lists: By variant, the words for `female` and `male`.
        targets: Words of which each is a target concept.
        draws: Resamples of each group's words.
        seed: The configuration's seed.

    Returns:
        Columns `column` (such as `emb-word2vec@appendix`), `row` (the target), `draw`, `bias`
        (female share minus one half), `n`, `n_of` (group words found and asked for), `sources`,
        `fidelity`. Draw -1 is the list itself.
    """
    parts = []
    for role, embedding in embeddings.items():
        vectors = embedding.data
        for variant, lists in gender_lists.items():
            words = [vectors.known(lists[group]) for group in ("female", "male")]
            if not all(words):
                continue
            rng = generator(seed, "table3", role, variant)
            found = vectors.known(targets)
            groups = [vectors.rows(group) for group in words]
            table = _directed_bias(vectors.rows(found), groups, draws, rng)
            part = pd.DataFrame(table, columns=found).rename_axis("draw").reset_index()
            part = part.melt("draw", var_name="row", value_name="bias")
            part["draw"] -= 1
            part["column"] = f"emb-{role}@{variant}"
            part["n"] = sum(map(len, words))
            part["n_of"] = sum(len(lists[group]) for group in ("female", "male"))
            part["sources"] = embedding.source
            part["fidelity"] = embedding.fidelity
            parts.append(part)
    return _concat(parts, ["column", "row", "draw", "bias", "n", "n_of", "sources", "fidelity"])


def _concat(parts: list[pd.DataFrame], columns: list[str]) -> pd.DataFrame:
    """The parts that have rows below each other, in these columns."""
    filled = [part[columns] for part in parts if len(part)]
    return pd.concat(filled, ignore_index=True) if filled else pd.DataFrame(columns=columns)


def _directed_bias(
    targets: Array, groups: list[Array], draws: int, rng: np.random.Generator
) -> Array:
    """Female share minus one half, (1 + draws, n): the lists themselves, then their resamples."""
    observed = DivDist().directed(targets, groups)
    means = [resampled_means(group, draws, rng) for group in groups]
    strengths = np.stack([cosine_matrix(targets, m) for m in means], axis=-1)  # (n, draws, 2)
    shares = sum_normalize(strengths.reshape(-1, 2)).reshape(strengths.shape)
    return np.vstack([observed, shares[:, :, 0].T - 0.5])


def table3_values(evidence: pd.DataFrame, level: float) -> list[dict]:
    """Table 3's cells from its evidence, with intervals over the resampled group words."""
    tail = (1 - level) / 2
    records = []
    for (column, row), cell in evidence.groupby(["column", "row"]):
        draws = cell.loc[cell["draw"] >= 0, "bias"]
        first = cell.iloc[0]
        records.append(
            value(
                row,
                column,
                cell.loc[cell["draw"] == -1, "bias"].item(),
                ci_low=draws.quantile(tail),
                ci_high=draws.quantile(1 - tail),
                n=first["n"],
                n_of=first["n_of"],
                n_unit="group words",
                unit="female share minus 1/2",
                fidelity=first["fidelity"],
                sources=first["sources"],
            )
        )
    return records


def table5_evidence(
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
    return _concat(parts, [*columns, "n_of", "sources", "fidelity"])


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
    biases = {}
    for name, measure in MEASURES.items():
        if len(lists) != 2 and name not in ANY_NUMBER_OF_GROUPS:
            continue
        used = vectors.known_pairs(*lists) if name in NEED_PAIRS else groups
        if name in NEED_PAIRS and len(used[0]) < 2:
            continue
        biases[name] = measure(vectors.rows(professions), [vectors.rows(g) for g in used])
    table = pd.DataFrame(biases, index=pd.Index(professions, name="profession")).reset_index()
    table = table.melt("profession", var_name="row", value_name="bias")
    return table.assign(
        employment_bias=employment[table["profession"]].to_numpy(),
        n_of=len(employment),
        sources=";".join(sorted({i.source for i in [measured, *others, shares]})),
        # The other embeddings only say which words are left out: their numbers enter nowhere.
        fidelity=worst_fidelity([measured.fidelity, shares.fidelity]),
    )


def table5_values(evidence: pd.DataFrame, replicates: int, level: float, seed: int) -> list[dict]:
    """Table 5's cells: Spearman's correlation over professions, with a bootstrap over them."""
    records = []
    for (column, row), cell in evidence.groupby(["column", "row"]):
        estimate = spearman(
            cell["bias"],
            cell["employment_bias"],
            replicates,
            level,
            generator(seed, "table5", column, row),
        )
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
