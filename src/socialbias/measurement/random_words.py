"""The words that targets are compared with: random ones, nouns for persons, or one's own."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from socialbias.embeddings.words.languages import ENGLISH, primary
from socialbias.embeddings.words.lists import WordLists, lists
from socialbias.measures.placebo import DRAWN, draw, is_by_frequency

AS_GIVEN = 20  # fewest placebo words of the user's own, or of a list
POOL = 50_000  # words to make sets of neighbours of; with fewer, many neighbours are missing
IN_TEXTS = 400  # random words of a corpus: each is counted in all its contexts
NAMES, PERSONS = "first-names", "persons"  # packaged lists


@dataclass(frozen=True)
class Others:
    """Words that targets are compared with."""

    name: str  # description, for a sentence
    words: Sequence[str]
    drawn: bool = False  # whether they are random; neighbours of group words are then left out


def others_of(
    vocabulary: Iterable[str],
    groups: WordLists,
    targets: WordLists,
    chosen: WordLists | None,
    seed: int,
    *,
    number: int = DRAWN,
    by_frequency: bool | None = None,
    persons: bool = True,
    spellings: Iterable[str] = (),
    like: Sequence[str] | None = None,
) -> list[Others]:
    """Return the words that targets are compared with; the first are the null.

    They are the chosen ones or, without these, random words of the vocabulary, which are as
    frequent as the targets, or those `like` which they shall be, and in English `persons`. No word
    of groups and targets is among them, nor are other `spellings` of these.
    """
    own = {*groups.all, *targets.all, *spellings}
    if chosen is not None:
        name = f"words of {chosen.name}" if chosen.name != "given" else "given placebo words"
        return [Others(name, [word for word in chosen.all if word not in own])]
    left_out = [*own, *lists()[NAMES].all]
    drawn = draw(vocabulary, like or targets.all, left_out, seed, number, by_frequency)
    name = "random words as frequent as the targets" if drawn.matched else "random words"
    others = [Others(name, drawn.words, drawn=True)]
    if persons and primary(groups.language or ENGLISH) == ENGLISH:
        persons = [word for word in lists()[PERSONS].all if word not in own]
        others.append(Others("nouns for persons", persons))
    return others


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
