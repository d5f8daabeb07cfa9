"""The measures that are the rows of Table 5, and the words that each of them can use."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial

import numpy as np
from numpy.typing import NDArray

from socialbias.embeddings.vectors import WordVectors
from socialbias.measures import prior
from socialbias.measures.divdist import DivDist
from socialbias.measures.similarity import Array
from socialbias.papers.reliability import over_words
from socialbias.stats.reliability import Reliability

# Those that are defined for any number of groups also have a race column;
# those that take a principal component need aligned pairs of words. Print has them as released,
# with differences that are centred; as their authors define them, they are not.
MEASURES: Mapping[str, Callable[[Array, Sequence[Array]], Array]] = {
    "bolukbasi": prior.bolukbasi,
    "bolukbasi-uncentred": partial(prior.bolukbasi, centre=False),
    "caliskan": prior.caliskan,
    "garg-cosine": prior.garg_cosine,
    "garg-euclidean": prior.garg_euclidean,
    "manzini": prior.manzini,
    "ethayarajh": prior.ethayarajh,
    "ethayarajh-uncentred": partial(prior.ethayarajh, centre=False),
    "divdist": DivDist(),
}
NEED_PAIRS = ("bolukbasi", "bolukbasi-uncentred", "ethayarajh", "ethayarajh-uncentred")
ANY_NUMBER_OF_GROUPS = ("manzini", "divdist")


def measured_words(
    vectors: WordVectors, lists: Sequence[Sequence[str]]
) -> Iterator[tuple[str, list[list[str]]]]:
    """Each measure that is defined for these groups, with those of the words that it can use."""
    for name in MEASURES:
        pairs = name in NEED_PAIRS
        if len(lists) != 2 and name not in ANY_NUMBER_OF_GROUPS:
            continue
        words = vectors.known_pairs(*lists) if pairs else [vectors.known(group) for group in lists]
        if all(len(group) >= (2 if pairs else 1) for group in words):
            yield name, words


def word_reliability(
    name: str, targets: Array, groups: Sequence[Array], names: Sequence[str], level: float
) -> Reliability:
    """Reliability of a measure's biases over the words of the groups (`reliability.over_words`).

    Args:
        name: A key of `MEASURES`.
        targets: (n, d).
        groups: The words that the measure can use.
        names: The n targets.
        level: Coverage of the interval.
    """
    paired = name in NEED_PAIRS
    return over_words(partial(MEASURES[name], targets), groups, names, level, paired)


def negative(name: str, targets: Array, groups: Sequence[Array]) -> NDArray[np.bool_]:
    """For which targets a measure makes shares of a negative association, (n,): DivDist alone."""
    measure = MEASURES[name]
    if not isinstance(measure, DivDist):
        return np.zeros(len(targets), bool)
    return measure.negative(targets, groups)


def negative_note(flagged: NDArray[np.bool_], biases: Array, unit: str) -> str:
    """How many biases are of negative associations, and how much of the mean they carry.

    Args:
        flagged: (n,) which are.
        biases: (n,) of any sign: it is their magnitudes that are counted.
        unit: What they are of, such as `professions`.

    Returns:
        A remark for a number that rests on them all; "" where none is flagged.
    """
    flagged, sizes = np.asarray(flagged, bool), np.abs(np.asarray(biases, float))
    if not flagged.any():
        return ""
    carried = sizes[flagged].sum() / sizes.sum() if sizes.sum() > 0 else 0.0
    found = f"a negative association in {flagged.sum()} of {len(flagged)} {unit}"
    return f"{found}, which carry {carried:.0%} of the mean magnitude"
