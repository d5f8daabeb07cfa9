"""The words that targets are set beside: which they are, and what they say of the targets."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from socialbias.api.estimate import Placebo
from socialbias.api.question import Question
from socialbias.measures.placebo import DRAWN, draw
from socialbias.measures.registry import Measure
from socialbias.measures.similarity import Array
from socialbias.stats.draws import DRAWS
from socialbias.stats.seeding import generator
from socialbias.stats.two_way import Difference
from socialbias.words.languages import ENGLISH, primary
from socialbias.words.lists import lists

AS_GIVEN = 20  # words of the user's own, or of a list, at least
POOL = 50_000  # words that sets of neighbours are made of: of fewer, many neighbours are missing
IN_TEXTS = 400  # random words of a corpus: each is counted in all its contexts
NAMES, PERSONS = "first-names", "persons"  # packaged lists
UNKNOWN = Difference(np.nan, np.nan, np.nan, np.nan)


@dataclass(frozen=True)
class Others:
    """Words beside the targets.

    Attributes:
        name: What they are.
        words: The words.
        drawn: Whether they were drawn at random: then near neighbours of group words are left out.
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
    """The words beside targets, of which the first are the null.

    Args:
        vocabulary: All words that have a vector, in the order of the file.
        question: Its groups, targets, seed and placebo words; without the latter, words are drawn
            and, in English, nouns for persons are taken.
        number: Random words.
        by_frequency: As for `draw`.
        persons: Whether nouns for persons are taken, too.
        spellings: Other forms in which words of groups and targets are looked up.
        like: The targets that random words are as frequent as; None for all.
    """
    own, given = {*question.groups.all, *question.targets.all, *spellings}, question.placebo
    if given is not None:
        name = f"words of {given.name}" if given.name != "given" else "placebo words as given"
        return [Others(name, [word for word in given.all if word not in own])]
    left_out = [*own, *lists()[NAMES].all]
    like, seed = like or question.targets.all, question.resampling.seed
    drawn = draw(vocabulary, like, left_out, seed, number, by_frequency)
    name = "random words as frequent as the targets" if drawn.matched else "random words"
    others = [Others(name, drawn.words, drawn=True)]
    if persons and primary(question.groups.language or ENGLISH) == ENGLISH:
        persons = [word for word in lists()[PERSONS].all if word not in own]
        others.append(Others("nouns for persons", persons))
    return others


def beside(
    name: str,
    targets: Array,
    others: Array,
    apart: Difference,
    rng: np.random.Generator,
    rare: float = 1.0,
) -> Placebo:
    """What other words say of the targets.

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
    # Their own mean is of a sample, too.
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
    """The mean of the targets with its interval, and what placebo words give, as a result has them.

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
        fields["test"] = f"samples of {null.words}, two-sided"
    return fields
