"""The words that targets are compared with: random ones, or one's own."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from socialbias.embeddings.vectors import WordVectors
from socialbias.embeddings.words.lists import WordLists, lists
from socialbias.measures.placebo import MIN_WORDS, are_near, draw, is_by_frequency, octaves

AS_GIVEN = 20  # fewest placebo words of the user's own, or of a list
POOL = 10_000  # words to make topics of; with fewer, few topics are as coherent as targets are
FOR_WEAT = 50_000  # the same for the sets of a WEAT
IN_TEXTS = 4000  # random words of a corpus; of few, no topics can be made
NAMES = "first-names"  # a packaged list


@dataclass(frozen=True)
class Baseline:
    """Words that targets are compared with."""

    name: str  # description, for a sentence
    words: Sequence[str]
    drawn: bool = False  # whether they are random; neighbours of group words are then left out
    kinds: Mapping[str, int] = field(default_factory=dict)  # of words, such as their frequency

    @property
    def fewest(self) -> int:
        """How many are enough to compare targets with."""
        return MIN_WORDS if self.drawn else AS_GIVEN


def choose_baseline(
    vocabulary: Iterable[str],
    groups: WordLists,
    targets: WordLists,
    chosen: WordLists | None,
    seed: int,
    *,
    number: int = POOL,
    by_frequency: bool | None = None,
    spellings: Iterable[str] = (),
    like: Sequence[str] | None = None,
    by_target: bool = True,
) -> Baseline:
    """Return the words that targets are compared with.

    They are the chosen ones or, without these, random words of the vocabulary, as frequent as
    the targets or as the words `like` (`by_target` as in `placebo.draw`). No word of groups and
    targets is among them, nor are other `spellings` of these.
    """
    own = {*groups.all, *targets.all, *spellings}
    if chosen is not None:
        name = f"words of {chosen.name}" if chosen.name != "given" else "given words"
        return Baseline(name, [word for word in chosen.all if word not in own])
    left_out, vocabulary = [*own, *lists()[NAMES].all], list(dict.fromkeys(vocabulary))
    how = {"by_frequency": by_frequency, "by_target": by_target}
    drawn = draw(vocabulary, like or targets.all, left_out, seed, number, **how)
    kinds = {}
    if drawn.matched and not by_target:
        words = [*targets.all, *drawn.words]
        kinds = dict(zip(words, octaves(vocabulary, words, drawn.words), strict=True))
    name = "random words as frequent as the targets" if drawn.matched else "random words"
    return Baseline(name, drawn.words, True, kinds)


def far_from_groups(
    others: Baseline, spaces: Sequence[WordVectors], groups: Sequence[Sequence[str]]
) -> Baseline:
    """Return the words that have a vector; of random ones those near no group word in any space."""
    words = spaces[0].known(others.words)
    if others.drawn and words:
        near = [are_near(s.rows(words), [s.rows(group) for group in groups]) for s in spaces]
        words = [word for word, *close in zip(words, *near, strict=True) if not any(close)]
    return replace(others, words=words)


def in_common(vocabularies: Sequence[Sequence[str]], by_frequency: bool | None = None) -> list[str]:
    """Return the words of all vocabularies, the same for any order of these.

    They are sorted by the sum of their ranks in the vocabularies that are sorted by frequency (None
    to judge each), otherwise by the alphabet.
    """
    if len(vocabularies) == 1:
        return [*vocabularies[0]]
    ranks = [{word: i for i, word in enumerate(words)} for words in vocabularies]
    pairs = zip(ranks, vocabularies, strict=True)
    sorted_by = [of for of, words in pairs if by_frequency or is_by_frequency(words)]
    common = sorted(ranks[0].keys() & set.intersection(*map(set, ranks)))
    return sorted(common, key=lambda word: sum(of[word] for of in sorted_by))
