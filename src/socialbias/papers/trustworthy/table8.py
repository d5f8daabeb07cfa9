"""Table 8, sensitivity: directed bias and magnitude under perturbed parameters, embeddings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from socialbias.artefacts.values import value
from socialbias.measures.divdist import (
    DivDist,
    l1_divergence,
    l2_divergence,
    softmax_normalize,
    sum_normalize,
)
from socialbias.measures.similarity import Array, cosine_matrix
from socialbias.papers.trustworthy.inputs import Input, concat
from socialbias.seeding import generator
from socialbias.stats.correlation import rowwise_pearson, rowwise_spearman

COLUMNS = ["row", "perturbation", "draw", "target", "direction", "magnitude", "sources", "fidelity"]
DEFAULT = "default"
UNIFORM = np.array([0.5, 0.5])


def evidence(
    embeddings: Mapping[str, Input],
    lists: Mapping[str, Sequence[str]],
    targets: Sequence[str],
    sizes: Sequence[int],
    draws: int,
    seed: int,
) -> pd.DataFrame:
    """Directed bias and magnitude of each target, by default and under each perturbation.

    Args:
        embeddings: By role, `word2vec` and `glove`.
        lists: The words for `female` and `male`.
        targets: Words of which each is a target concept.
        sizes: Numbers of words that lists are cut down to.
        draws: Random draws for each size; print has one.
        seed: The configuration's seed.

    Returns:
        Columns `row` (such as `emb word2vec`), `perturbation` (`default`, `lists-3`, `l2`,
        `softmax`), `draw`, `target`, `direction` (female share minus one half), `magnitude`,
        `sources`, `fidelity`.
    """
    parts = []
    for role, embedding in embeddings.items():
        vectors = embedding.data
        words = [vectors.known(lists[group]) for group in ("female", "male")]
        found = vectors.known(targets)
        if min(map(len, words)) < max(sizes) or not found:
            continue
        matrix, groups = vectors.rows(found), [vectors.rows(group) for group in words]
        row = f"emb {role}"
        biases = {
            DEFAULT: _biases(DivDist(), matrix, groups),
            "l2": _biases(DivDist(divergence=l2_divergence), matrix, groups),
            "softmax": _biases(DivDist(normalize=softmax_normalize), matrix, groups),
        }
        for size in sizes:
            rng = generator(seed, "table8", role, size)
            biases[f"lists-{size}"] = subsampled(matrix, groups, size, draws, rng)
        said = {"row": row, "sources": embedding.source, "fidelity": embedding.fidelity}
        parts += [_tidy(name, found, *pair).assign(**said) for name, pair in biases.items()]
    return concat(parts, COLUMNS)


def _biases(measure: DivDist, targets: Array, groups: list[Array]) -> tuple[Array, Array]:
    """Direction and magnitude, each (1, n)."""
    return measure.directed(targets, groups)[None], measure(targets, groups)[None]


def subsampled(
    targets: Array, groups: Sequence[Array], size: int, draws: int, rng: np.random.Generator
) -> tuple[Array, Array]:
    """Direction and magnitude with each list cut down to a random `size` of its words.

    Args:
        targets: (n, d).
        groups: Two matrices of (m_g, d), m_g >= size.
        size: Words in each list.
        draws: Number of draws.
        rng: Source of randomness.

    Returns:
        Direction and magnitude, each (draws, n).
    """
    means = []
    for group in groups:
        chosen = rng.permuted(np.tile(np.arange(len(group)), (draws, 1)), axis=1)[:, :size]
        means.append(group[chosen].mean(axis=1))
    strengths = np.stack([cosine_matrix(targets, m) for m in means], axis=-1)  # (n, draws, 2)
    shares = sum_normalize(strengths.reshape(-1, 2))
    direction = (shares[:, 0] - UNIFORM[0]).reshape(len(targets), draws)
    magnitude = l1_divergence(shares, UNIFORM).reshape(len(targets), draws)
    return direction.T, magnitude.T


def _tidy(name: str, targets: list[str], direction: Array, magnitude: Array) -> pd.DataFrame:
    """One row a draw and target."""
    draws = len(direction)
    return pd.DataFrame(
        {
            "perturbation": name,
            "draw": np.repeat(np.arange(draws), len(targets)),
            "target": np.tile(targets, draws),
            "direction": direction.ravel(),
            "magnitude": magnitude.ravel(),
        }
    )


def values(table: pd.DataFrame, level: float, n_targets: int) -> list[dict]:
    """Table 8's cells: correlation over the targets of the default with each perturbation.

    A perturbation with many draws gives its median and the range of the middle `level` of the
    draws, and as the variant `one-draw` the first of them, which is what print has.
    """
    records = []
    for row, part in table.groupby("row"):
        said = {
            "n": part["target"].nunique(),
            "n_of": n_targets,
            "n_unit": "targets",
            "unit": "correlation with the default",
            "fidelity": part["fidelity"].iloc[0],
            "sources": part["sources"].iloc[0],
        }
        for what in ("direction", "magnitude"):
            for column, draws in _correlations(part, what).items():
                if np.isnan(draws).any():
                    continue  # a single target, or targets without any difference
                records.append(_cell(row, f"{column}@{what}", draws, level, said))
                if what == "direction" and len(draws) > 1:
                    records.append(_cell(row, f"{column}@one-draw", draws[:1], level, said))
    return records


def _correlations(part: pd.DataFrame, what: str) -> dict[str, Array]:
    """By printed column, the correlation of each draw with the default: (draws,)."""
    grids = {
        name: cells.pivot(index="draw", columns="target", values=what).to_numpy()
        for name, cells in part.groupby("perturbation")
    }
    base = grids.pop(DEFAULT)
    columns = {}
    for name, grid in grids.items():
        default = np.broadcast_to(base, grid.shape)
        columns[f"{name} spearman_rho"] = rowwise_spearman(default, grid)
        columns[f"{name} pearson_r2"] = rowwise_pearson(default, grid) ** 2
    return columns


def _cell(row: str, column: str, draws: Array, level: float, said: dict) -> dict:
    """The median of the draws with their range; a single draw has none."""
    if len(draws) == 1:
        return value(row, column, float(draws[0]), **said)
    low, middle, high = np.quantile(draws, [(1 - level) / 2, 0.5, (1 + level) / 2])
    return value(row, column, float(middle), ci_low=low, ci_high=high, **said)
