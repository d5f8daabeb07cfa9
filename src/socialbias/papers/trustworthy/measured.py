"""The measures that are the rows of Table 5, and the words that each of them can use."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from socialbias.embeddings.vectors import WordVectors
from socialbias.measures.registry import MEASURES, Measure

TABLE5 = {name: measure for name, measure in MEASURES.items() if measure.fits("trustworthy_table5")}
TABLE5 |= {"divdist": MEASURES["divdist"]}


def measured_words(
    vectors: WordVectors, lists: Sequence[Sequence[str]]
) -> Iterator[tuple[Measure, list[list[str]]]]:
    """Yield each measure that is defined for these groups, with the words that it can use."""
    for measure in TABLE5.values():
        pairs = measure.pairs
        if len(lists) != 2 and not measure.many:
            continue
        words = vectors.known_pairs(*lists) if pairs else [vectors.known(group) for group in lists]
        if all(len(group) >= (2 if pairs else 1) for group in words):
            yield measure, words
