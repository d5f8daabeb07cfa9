"""Section 3, Generality: earlier measures as DivDist with a scale, computed on random draws."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from socialbias.measures import embedding_measures, weat
from socialbias.measures.divdist import DivDist, cosine_association, l2_divergence, linf_divergence
from socialbias.pipeline.job import Job
from socialbias.reporting.values import value
from socialbias.stats.seeding import generator
from socialbias.stats.similarity import Array, cosine_matrix

TARGETS, WORDS, WIDTH = 500, 8, 20  # targets, words of a group, dimensions
DECIMALS = 12  # beyond these, deviations are rounding and differ between machines
Case = tuple[Array, Array, Array]


def mean_cosine_association(targets: Array, groups: Sequence[Array]) -> Array:
    """Return the mean cosine of each target with the words of each group: (n, k).

    Caliskan, Bryson and Narayanan 2017: the two terms of the WEAT's s(w, A, B).
    """
    return np.column_stack([cosine_matrix(targets, group).mean(axis=1) for group in groups])


def cases(rng: np.random.Generator) -> dict[str, Case]:
    """Return by row.

    The earlier measure, ours, and the scale with which ours must equal it, (n,) each. Section 3:
    with the uniform reference over two groups and strengths x, y that are not negative, x - y =
    DivDist * (x + y). Vectors without a negative number have cosines without one.
    """
    strengths = rng.random((TARGETS, 2))
    counts = rng.integers(1, 100, (TARGETS, 2)).astype(float)
    vectors = rng.random((TARGETS, WIDTH))
    pair = [rng.random((WORDS, WIDTH)) for _ in range(2)]
    means = mean_cosine_association(vectors, pair)
    of_means = DivDist(association=mean_cosine_association)
    bias, half = DivDist()(vectors, pair), np.full(TARGETS, 0.5)
    return {
        "difference": _of_strengths(strengths),
        "counts": _of_strengths(counts),
        "garg-cosine": (
            embedding_measures.rnd_cosine(vectors, pair),
            bias,
            cosine_association(vectors, pair).sum(axis=1),
        ),
        "caliskan": (
            embedding_measures.association(vectors, pair),
            of_means(vectors, pair),
            means.sum(axis=1),
        ),
        "weat-association": (
            weat.association(vectors, *pair),
            2 * of_means.directed(vectors, pair),
            means.sum(axis=1),
        ),
        "l2": (DivDist(divergence=l2_divergence)(vectors, pair), bias, np.sqrt(half)),
        "linf": (DivDist(divergence=linf_divergence)(vectors, pair), bias, half),
        "directed": (np.abs(DivDist().directed(vectors, pair)), bias, half),
    }


def _of_strengths(strengths: Array) -> Case:
    """Return the proof itself, of strengths (n, 2) that are not measured in vectors."""
    measure = DivDist(association=lambda targets, _: targets)
    ours = measure(strengths, [strengths, strengths])
    return np.abs(strengths[:, 0] - strengths[:, 1]), ours, strengths.sum(axis=1)


def deviation(earlier: Array, ours: Array, scale: Array) -> float:
    """Return the largest deviation of the earlier measure from ours times the scale."""
    return round(float(np.abs(earlier - ours * scale).max()), DECIMALS)


def same_order(earlier: Array, ours: Array) -> float:
    """Return the share of pairs of targets that both measures order alike."""
    i, j = np.triu_indices(len(ours), k=1)
    signs = [np.sign(np.round(m[i] - m[j], DECIMALS)) for m in (earlier, ours)]
    return float((signs[0] == signs[1]).mean())


def summarise(job: Job) -> Iterator[dict]:
    """Yield all cells."""
    for row, (earlier, ours, scale) in cases(generator(job.seed, "special cases")).items():
        counts = {"n": TARGETS, "n_unit": "random targets"}
        far, alike = deviation(earlier, ours, scale), same_order(earlier, ours)
        yield value(row, "deviation", far, unit="units of the measure", **counts)
        yield value(row, "same-order", alike, unit="share of pairs", **counts)
