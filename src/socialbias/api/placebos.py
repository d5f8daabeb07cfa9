"""The placebo words that targets are compared with, and that comparison."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from socialbias.api.estimate import Placebo
from socialbias.api.question import Question
from socialbias.measures.placebo import DRAWN, draw, is_by_frequency
from socialbias.measures.registry import Measure
from socialbias.measures.similarity import Array
from socialbias.stats.draws import DRAWS
from socialbias.stats.seeding import generator
from socialbias.stats.two_way import Difference
from socialbias.words.languages import ENGLISH, primary
from socialbias.words.lists import lists

AS_GIVEN = 20  # fewest placebo words of the user's own, or of a list
POOL = 50_000  # words to make sets of neighbours of; with fewer, many neighbours are missing
IN_TEXTS = 400  # random words of a corpus: each is counted in all its contexts
NAMES, PERSONS = "first-names", "persons"  # packaged lists
UNKNOWN = Difference(np.nan, np.nan, np.nan, np.nan)


@dataclass(frozen=True)
class Others:
    """Words that targets are compared with.

    Attributes:
        name: Description, for a sentence.
        words: The words.
        drawn: Whether they are random; near neighbours of group words are then left out.
    """

    name: str
    words: Sequence[str]
    drawn: bool = False


def others_of(
    vocabulary: Iterable[str],
    question: Question,
    *,
    number: int = DRAWN,
    by_frequency: bool | None = None,
    persons: bool = True,
    spellings: Iterable[str] = (),
    like: Sequence[str] | None = None,
) -> list[Others]:
    """Return the words that targets are compared with; the first are the null.

    Args:
        vocabulary: All words that have a vector, in the order of the file.
        question: Its groups, targets, seed and placebo words; without the latter, words are drawn
            and, in English, nouns for persons are taken.
        number: Number of random words.
        by_frequency: As for `draw`.
        persons: Whether nouns for persons are taken, too.
        spellings: Other forms in which words of groups and targets are looked up.
        like: The targets that random words are as frequent as; None for all.
    """
    own, chosen = {*question.groups.all, *question.targets.all, *spellings}, question.placebo
    if chosen is not None:
        name = f"words of {chosen.name}" if chosen.name != "given" else "given placebo words"
        return [Others(name, [word for word in chosen.all if word not in own])]
    left_out = [*own, *lists()[NAMES].all]
    like, seed = like or question.targets.all, question.resampling.seed
    drawn = draw(vocabulary, like, left_out, seed, number, by_frequency)
    name = "random words as frequent as the targets" if drawn.matched else "random words"
    others = [Others(name, drawn.words, drawn=True)]
    if persons and primary(question.groups.language or ENGLISH) == ENGLISH:
        persons = [word for word in lists()[PERSONS].all if word not in own]
        others.append(Others("nouns for persons", persons))
    return others


def in_common(vocabularies: Sequence[Sequence[str]], by_frequency: bool | None = None) -> list[str]:
    """Return the words of all vocabularies, the same for any order of these.

    Args:
        vocabularies: Words in the order of each subject.
        by_frequency: Whether these orders are by frequency; None to judge each. Words are sorted by
            the sum of such ranks, otherwise by the alphabet.
    """
    if len(vocabularies) == 1:
        return [*vocabularies[0]]
    ranks = [{word: i for i, word in enumerate(words)} for words in vocabularies]
    pairs = zip(ranks, vocabularies, strict=True)
    sorted_by = [of for of, words in pairs if by_frequency or is_by_frequency(words)]
    common = sorted(ranks[0].keys() & set.intersection(*map(set, ranks)))
    return sorted(common, key=lambda word: sum(of[word] for of in sorted_by))


def beside(
    name: str,
    targets: Array,
    others: Array,
    apart: Difference,
    rng: np.random.Generator,
    rare: float = 1.0,
) -> Placebo:
    """Return how other words compare with the targets.

    Args:
        name: What the other words are.
        targets: (n,) numbers of the targets.
        others: (m,) numbers of the other words.
        apart: The difference of their means.
        rng: Of the samples.
        rare: Where a larger share of samples differ as much, the interval is extended to 0. Biases
            of words are skewed, so that Student's interval over few targets leaves out 0 too often
            on one side (docs/error-rates.md). Samples have the same skewness.
    """
    mean, spread = float(others.mean()), float(others.std())
    few = others[rng.integers(len(others), size=(DRAWS, len(targets)))].mean(axis=1)
    # The mean of the other words has a sampling error, too.
    means = few - mean + spread / np.sqrt(len(others)) * rng.standard_normal(DRAWS)
    far = np.abs(means) >= abs(apart.value) - 1e-12
    low, high = np.quantile(others, [0.025, 0.975]).tolist()
    share = float((1 + far.sum()) / (1 + DRAWS))
    ends = (apart.low, apart.high)
    if share > rare:
        ends = (min(apart.low, 0.0), max(apart.high, 0.0))
    return Placebo(name, len(others), mean, low, high, apart.value, *ends, share)


def numbers_beside(
    own: Array,
    alone: Difference,
    others: Sequence[tuple[str, Array, Difference]],
    measure: Measure,
    seed: int,
    rare: float = 1.0,
) -> dict[str, object]:
    """Return fields of a result: the targets' mean, its interval, and the placebo words.

    Args:
        own: (n,) numbers of the targets.
        alone: Their mean, with its interval, which counts where there are no placebo words.
        others: Of each kind of placebo words, what they are, their numbers (m,), and the difference
            of the targets from them. The first kind is the null.
        measure: The measure.
        seed: Random seed.
        rare: As for `beside`.
    """
    placebos = [
        beside(name, own, numbers, apart, generator(seed, "samples", name, len(own)), rare)
        for name, numbers, apart in others
    ]
    apart = others[0][2] if others else alone
    low, high = apart.low, apart.high
    if placebos:
        low, high = placebos[0].difference_low, placebos[0].difference_high
    mean = float(own.mean()) if len(own) else np.nan
    fields = {
        "value": mean,
        "low": max(mean - apart.value + low, measure.low),
        "high": min(mean - apart.value + high, measure.high),
        "detectable": apart.detectable,
        "null": 0.0 if measure.signed else np.nan,
        "placebos": tuple(placebos),
    }
    if placebos:
        null = placebos[0]
        fields |= {"null": null.mean, "p_value": null.share}
        fields["test"] = f"two-sided, compared with samples of {null.words}"
    return fields
