"""What a language model scores: items, each with some candidates."""

from __future__ import annotations

from dataclasses import dataclass

BLANK = "BLANK"


@dataclass(frozen=True)
class Intrasentence:
    """A sentence with a gap and k words for it."""

    context: str  # with `BLANK` once or more; every one is filled
    attributes: tuple[str, ...]  # (k,) what to fill it with
    # (k,) the whole sentences; if not given, the context with each attribute. StereoSet's own
    # differ from that in their case.
    sentences: tuple[str, ...] = ()

    def __post_init__(self):
        if not self.sentences:
            filled = tuple(self.context.replace(BLANK, word) for word in self.attributes)
            object.__setattr__(self, "sentences", filled)


@dataclass(frozen=True)
class Intersentence:
    """A sentence and k sentences that may follow it."""

    context: str  # the sentence
    sentences: tuple[str, ...]  # (k,) what may follow


@dataclass(frozen=True)
class Pair:
    """Two sentences that share most words, as in CrowS-Pairs."""

    sentences: tuple[str, str]  # the two


Item = Intrasentence | Intersentence | Pair
