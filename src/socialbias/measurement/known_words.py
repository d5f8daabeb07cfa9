"""The words of a measurement that have a vector, and notes on those that have none."""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from socialbias.embeddings.vectors import WordVectors
from socialbias.embeddings.words.languages import primary
from socialbias.embeddings.words.lists import GIVEN, WordLists, list_meant
from socialbias.errors import UserError
from socialbias.measurement.spelling import meant
from socialbias.stats.similarity import Array

VECTOR_ROUNDING = 1e-6  # difference of vectors that is rounding, as a share of the largest number


@dataclass(frozen=True)
class KnownWords:
    """The words that have a vector, and those that have none."""

    targets: list[str]
    groups: dict[str, list[str]]
    missing: dict[str, list[str]]  # by list
    notes: list[str]  # such as on lists of which less than half have a vector
    meant: dict[str, str]  # the word that was probably meant, by missing word


def find_words(
    vectors: WordVectors,
    groups: WordLists,
    targets: WordLists,
    pairs: bool,
    vocabulary: Iterable[str] = (),
) -> KnownWords:
    """Look words up as they are written; misspelt ones may mean a word of `vocabulary`."""
    wanted = {**groups.words, **{name or "targets": words for name, words in targets.words.items()}}
    missing = {
        name: lost
        for name, words in wanted.items()
        if (lost := [word for word in dict.fromkeys(words) if word not in vectors.index])
    }
    notes = [
        f"only {len(set(words)) - len(missing[name])} of {len(set(words))} words of {name} have "
        "a vector"
        for name, words in wanted.items()
        if name in missing and not vectors.covers(words)
    ]
    lost = dict.fromkeys(word for words in missing.values() for word in words)
    hints = meant(lost, vocabulary, groups, targets)
    in_groups = {name: vectors.known(words) for name, words in groups.words.items()}
    spellings = vectors.known(targets.all)
    first: dict[tuple[str, bytes], str] = {}
    for word in spellings:
        first.setdefault((_plain(word), vectors.matrix[vectors.index[word]].tobytes()), word)
    known = list(first.values())
    if len(known) < len(spellings):  # such as nurse and Nurse in a model that ignores capitals
        again = some([word for word in spellings if word not in known])
        notes.append(f"other spellings of an earlier target, with the same vector: {again}")
    notes += shared_words(in_groups, [vectors.known(words) for words in targets.words.values()])
    one, other = primary(groups.language), primary(targets.language)
    if one and other and one != other:
        hint = "use --language to choose one language for both"
        notes.append(f"groups are in {one} and targets in {other}; {hint}")
    if pairs:
        in_groups = dict(zip(in_groups, _pairs(vectors, groups), strict=True))
    few = [name for name, words in in_groups.items() if len(words) < (2 if pairs else 1)]
    if few:
        what = "fewer than two pairs of its words have" if pairs else "none of its words has"
        words = some(guessed(groups.words[few[0]], hints))
        raise UserError(f"group {few[0]}: {what} a vector: {words}")
    if not known:
        words = some(guessed(targets.all, hints)) + list_meant(targets.all)
        raise UserError(f"targets: none of them has a vector: {words}")
    check_apart(vectors, in_groups)
    alike: dict[bytes, list[str]] = {}
    for word in dict.fromkeys([*(word for words in in_groups.values() for word in words), *known]):
        alike.setdefault(vectors.matrix[vectors.index[word]].tobytes(), []).append(word)
    if same := [" = ".join(each) for each in alike.values() if len({*map(_plain, each)}) > 1]:
        notes.append(f"different words have the same vector: {some(same)}")
    if pairs and groups.source == GIVEN:
        paired = ["/".join(pair) for pair in zip(*in_groups.values(), strict=True)]
        notes.append(f"pairs of group words, row by row: {some(paired)}")
    return KnownWords(known, in_groups, missing, notes, hints)


def check_apart(vectors: WordVectors, groups: Mapping[str, Sequence[str]]) -> None:
    """Raise UserError if the words of a group all have one vector, or two groups have one mean."""
    means: dict[str, Array] = {}
    for name, words in groups.items():
        rows = vectors.rows(words)
        mean, rounding = rows.mean(axis=0), VECTOR_ROUNDING * np.abs(rows).max()
        if len({*map(_plain, words)}) > 1 and np.ptp(rows, axis=0).max() <= rounding:
            raise UserError(
                f"group {name}: all its {len(words)} words have the same vector, as if they were "
                "unknown or rounded off: no bias can be measured with them"
            )
        for other, its_mean in means.items():
            if np.abs(mean - its_mean).max() <= rounding:
                problem = "the means of their vectors are the same"
                raise UserError(f"groups {other} and {name}: {problem}: no bias can be measured")
        means[name] = mean


def _plain(word: str) -> str:
    """Return a word without capitals and accents."""
    letters = unicodedata.normalize("NFKD", word.casefold())
    return "".join(letter for letter in letters if not unicodedata.combining(letter))


def _pairs(vectors: WordVectors, groups: WordLists) -> list[list[str]]:
    lists = list(groups.words.values())
    if len(set(map(len, lists))) > 1 or not (groups.pairs or groups.source == GIVEN):
        sizes = ", ".join(f"{len(words)} of {name}" for name, words in groups.words.items())
        raise UserError(
            f"groups {groups.name}: this measure needs pairs of words, row by row, not {sizes}"
        )
    known = zip(*vectors.known_pairs(*lists), strict=True)
    apart = [pair for pair in known if len(set(pair)) > 1]  # a word is its own pair in no direction
    return [[pair[i] for pair in apart] for i in range(2)]


def guessed(words: Sequence[str], meant: Mapping[str, str]) -> list[str]:
    """Return words, with the known word that was probably meant, if any."""
    return [f"{word} ({meant[word]}?)" if word in meant else word for word in words]


def shared_words(
    groups: Mapping[str, Iterable[str]], targets: Sequence[Iterable[str]]
) -> list[str]:
    """Return notes on words that are in several groups, or in several lists of targets."""
    of_groups = Counter(word for words in groups.values() for word in set(words))
    of_targets = Counter(word for words in targets for word in set(words))
    notes = {
        "words in every group, which cannot distinguish them": {
            word for word, n in of_groups.items() if n == len(groups)
        },
        "words in several groups": {w for w, n in of_groups.items() if 1 < n < len(groups)},
        "words in several lists of targets": {word for word, n in of_targets.items() if n > 1},
        "targets that are also group words": of_groups.keys() & of_targets.keys(),
    }
    return [f"{note}: {some(sorted(words))}" for note, words in notes.items() if words]


def some(words: Sequence[str], most: int = 8) -> str:
    """Return words as a list in a sentence, at most `most` of them."""
    more = f" and {len(words) - most} more" if len(words) > most else ""
    return ", ".join(words[:most]) + more
