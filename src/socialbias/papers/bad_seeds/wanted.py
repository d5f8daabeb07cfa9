"""The words that a pretrained model is asked for: every seed that may be measured in it."""

from __future__ import annotations

from collections.abc import Mapping

from socialbias.papers.bad_seeds.inputs import (
    SeedSet,
    unigrams,
)


def seed_words(lists: Mapping, sets: Mapping[str, SeedSet]) -> list[str]:
    """The words of all seed sets and of all pairs, and of the unpleasantness vector.

    Args:
        lists: `resources/word_lists/bad_seeds.yaml`. Named one by one: it holds pages, papers and
            remarks too.
        sets: The gathered seed sets, or without them those that print has.

    Returns:
        Single words in lower case, as the measures look them up, in alphabetical order.
    """
    found = {*unigrams(lists["unpleasantness"])}
    for seeds in sets.values():
        found.update(unigrams(seeds.words))
    for entry in lists["sets"]:
        found.update(unigrams(entry["words"]))
    for pair in lists["pairs"].values():
        for order in (pair, pair.get("shuffled", {})):
            for side in ("first", "second"):
                found.update(unigrams(order.get(side, ())))
    return sorted(found)
