"""Named entities as spans of words: tags in BILOU, and how many spans are found exactly."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

OUTSIDE = "O"


class Span(NamedTuple):
    """An entity: its words from `first` to before `end`, and its class."""

    first: int
    end: int
    kind: str


def spans(tags: Sequence[str]) -> set[Span]:
    """Return the entities of a sentence from its tags in BILOU or IOB2."""
    entities, first = set(), None
    for i, tag in enumerate([*tags, OUTSIDE]):
        if first is not None and tag[0] not in "IL":
            entities.add(Span(first, i, tags[first][2:]))
            first = None
        if tag[0] in "BU":
            first = i
    return entities


def bilou(tags: Sequence[str]) -> list[str]:
    """Return tags in BILOU or IOB2 as BILOU (Ratinov and Roth 2009).

    That is begin, inside and last of several words, or unit.
    """
    found = [OUTSIDE] * len(tags)
    for first, end, kind in spans(tags):
        inside = [f"I-{kind}"] * (end - first - 2)
        whole = [f"B-{kind}", *inside, f"L-{kind}"] if end - first > 1 else [f"U-{kind}"]
        found[first:end] = whole
    return found


def bilou_tags(kinds: Iterable[str]) -> list[str]:
    """Return all tags of entities of some classes: `O` first."""
    return [OUTSIDE, *(f"{part}-{kind}" for kind in kinds for part in "BILU")]


def may_follow(tag: str, other: str) -> bool:
    """Return whether a tag in BILOU may stand directly after another one.

    Args:
        tag: The second; `O` for the end of a sentence.
        other: The first; `O` for its beginning.
    """
    if other[0] in "BI":
        return tag[0] in "IL" and tag[2:] == other[2:]
    return tag[0] in "OBU"


def f1(gold: Iterable[set[Span]], predicted: Iterable[set[Span]]) -> float:
    """F1 of exact spans over sentences; 0 where none is found (Tjong Kim Sang and De Meulder)."""
    pairs = [(len(a & b), len(a) + len(b)) for a, b in zip(gold, predicted, strict=True)]
    found, said = (sum(numbers) for numbers in zip(*pairs, strict=True))
    return 2 * found / said if said else 0.0
