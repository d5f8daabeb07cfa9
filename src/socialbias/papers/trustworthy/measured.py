"""The measures that are the rows of Table 5, and the words that each of them can use."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial

from socialbias.embeddings.vectors import WordVectors
from socialbias.measures.registry import MEASURES, Measure
from socialbias.measures.similarity import Array
from socialbias.papers.reliability import over_words
from socialbias.stats.reliability import Reliability

TABLE5 = {name: each for name, each in MEASURES.items() if each.table5}
TABLE5 |= {"divdist": MEASURES["divdist"]}


def measured_words(
    vectors: WordVectors, lists: Sequence[Sequence[str]]
) -> Iterator[tuple[Measure, list[list[str]]]]:
    """Each measure that is defined for these groups, with those of the words that it can use."""
    for measure in TABLE5.values():
        pairs = measure.pairs
        if len(lists) != 2 and not measure.many:
            continue
        words = vectors.known_pairs(*lists) if pairs else [vectors.known(group) for group in lists]
        if all(len(group) >= (2 if pairs else 1) for group in words):
            yield measure, words


def word_reliability(
    measure: Measure, targets: Array, groups: Sequence[Array], names: Sequence[str], level: float
) -> Reliability:
    """Reliability of a measure's biases over the words of the groups (`reliability.over_words`).

    Args:
        measure: A measure on vectors.
        targets: (n, d).
        groups: The words that the measure can use.
        names: The n targets.
        level: Coverage of the interval.
    """
    return over_words(partial(measure.function, targets), groups, names, level, measure.pairs)
