"""The words that a pretrained model is asked for: every seed that may be measured in it."""

from __future__ import annotations

from collections.abc import Mapping

from socialbias.papers.bad_seeds.inputs import SeedSet, unigrams


def seed_words(lists: Mapping, sets: Mapping[str, SeedSet]) -> list[str]:
    """Return the words of all seed sets and of all pairs, and of the unpleasantness vector."""
    words = [lists["unpleasantness"], *(seeds.listed for seeds in sets.values())]
    words += [entry["words"] for entry in lists["sets"]]
    for pair in lists["pairs"].values():
        for order in (pair, pair.get("shuffled", {})):
            words += [order.get(side, ()) for side in ("first", "second")]
    return sorted(set().union(*map(unigrams, words)))
