"""The measures of Table 5 on matrices, beside loops over words."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np
from scipy.spatial.distance import cosine
from sklearn.decomposition import PCA

from bench.comparison import Comparison, Here
from bench.workplace import Workplace
from socialbias.papers.trustworthy.table5 import TABLE5
from socialbias.stats.similarity import Array

# As print has them, with pair differences that are centred.
MEASURES = {name: each.function for name, each in TABLE5.items() if not each.version_of}
PROFESSIONS, DIMENSIONS = 100, 300
# Pairs of words in the gender lists of the released code and of the appendix.
PAIRS = (8, 20)

Biases = dict[str, Array]


def comparisons(workplace: Workplace) -> Iterator[Comparison]:
    """Yield two for each length of the lists.

    Beside plain functions of a word, and beside tuned ones.
    """
    for pairs in PAIRS:
        rng = np.random.default_rng(pairs)
        # As in real vectors, all cosines are a little above zero: shares are then well behaved.
        shape = (PROFESSIONS + 2 * pairs, DIMENSIONS)
        vectors = rng.normal(size=shape) + rng.normal(size=DIMENSIONS)
        targets, first, second = np.split(vectors, [PROFESSIONS, PROFESSIONS + pairs])
        size = f"{PROFESSIONS} professions, {pairs} pairs, {DIMENSIONS} dimensions"
        yield compared(f"table5-{pairs}", size, plain, 50, targets, (first, second))
        yield compared(f"table5-{pairs}-tuned", size, tuned, None, targets, (first, second))


def compared(
    name: str,
    size: str,
    loop: Callable[[Array, Sequence[Array]], Biases],
    least_ratio: float | None,
    targets: Array,
    groups: Sequence[Array],
) -> Comparison:
    """Return the library beside one of the loops below."""
    return Comparison(
        name=name,
        what=f"7 measures, {size}",
        ours=Here(lambda: {name: f(targets, groups) for name, f in MEASURES.items()}),
        peer=Here(lambda: loop(targets, groups)),
        peer_name=f"SciPy and scikit-learn, {loop.__doc__.split('.')[0].lower()}",
        least_ratio=least_ratio,
        difference=lambda a, b: max(np.abs(a[name] - b[name]).max() for name in MEASURES),
        tolerance=1e-9,
    )


def plain(targets: Array, groups: Sequence[Array]) -> Biases:
    """Word by word, each measure a function of one word and the lists."""
    return {name: np.array([f(word, *groups) for word in targets]) for name, f in PLAIN.items()}


def direction(first: Array, second: Array) -> Array:
    """Return the first principal component of the pair differences."""
    return PCA(n_components=1).fit(first - second).components_[0]


def to_mean(word: Array, group: Array) -> float:
    """Cosine with the mean of a group."""
    return 1 - cosine(word, group.mean(axis=0))


def to_words(word: Array, group: Array) -> list[float]:
    """Cosines with the words of a group."""
    return [1 - cosine(word, other) for other in group]


def distance(word: Array, group: Array) -> float:
    """Euclidean distance from the mean of a group."""
    return np.linalg.norm(word - group.mean(axis=0))


def divdist(word: Array, *groups: Array) -> float:
    """L1 distance of the shares of the cosines from equal shares."""
    strengths = [to_mean(word, group) for group in groups]
    return sum(abs(s / sum(strengths) - 1 / len(groups)) for s in strengths)


PLAIN: dict[str, Callable[..., float]] = {
    "bolukbasi": lambda w, a, b: abs(1 - cosine(w, direction(a, b))),
    "caliskan": lambda w, a, b: abs(np.mean(to_words(w, a)) - np.mean(to_words(w, b))),
    "garg-cosine": lambda w, a, b: abs(to_mean(w, a) - to_mean(w, b)),
    "garg-euclidean": lambda w, a, b: abs(distance(w, a) - distance(w, b)),
    "manzini": lambda w, a, b: abs(np.mean(to_words(w, a) + to_words(w, b))),
    "ethayarajh": lambda w, a, b: abs(np.dot(w, direction(a, b))),
    "divdist": divdist,
}


def tuned(targets: Array, groups: Sequence[Array]) -> Biases:
    """Word by word, everything that measures or words share done once."""
    axis, means = direction(*groups), [group.mean(axis=0) for group in groups]
    found: dict[str, list[float]] = {name: [] for name in MEASURES}
    for word in targets:
        strengths = [1 - cosine(word, mean) for mean in means]
        cosines = [to_words(word, group) for group in groups]
        distances = [np.linalg.norm(word - mean) for mean in means]
        found["bolukbasi"].append(abs(1 - cosine(word, axis)))
        found["caliskan"].append(abs(np.mean(cosines[0]) - np.mean(cosines[1])))
        found["garg-cosine"].append(abs(strengths[0] - strengths[1]))
        found["garg-euclidean"].append(abs(distances[0] - distances[1]))
        found["manzini"].append(abs(np.mean(cosines[0] + cosines[1])))
        found["ethayarajh"].append(abs(np.dot(word, axis)))
        found["divdist"].append(sum(abs(s / sum(strengths) - 1 / 2) for s in strengths))
    return {name: np.array(biases) for name, biases in found.items()}
