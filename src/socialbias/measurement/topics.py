"""Three questions about the numbers of some words, each asked of equally coherent topics, too.

*Direction*: do the words lie on one side, on average? *Spread*: do they lie farther out than other
words, on either side? *Contrast*: do two lists of words lie apart, or do words lie in the order of
some other number? Words of one topic lie together, also on the axis of a group that has nothing to
do with it. Single random words are therefore no null for direction and spread of related words:
topics are, sets of neighbouring words that are as many, as frequent and as coherent as the targets.
The rank among them is a p-value (`stats.controls`). For a contrast, the words are exchanged.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from socialbias.measures.placebo import SETS, cohesion, neighbouring_sets
from socialbias.measures.registry import Measure
from socialbias.stats.controls import p_values
from socialbias.stats.draws import resamples, widened
from socialbias.stats.intervals import percentile, tails
from socialbias.stats.similarity import Array, unit_rows

APART = 0.15  # by which the mean cosine within a topic may differ from that within the targets
FEWEST = 99  # topics, so that p may be .01
TOPICS, RANDOM = "equally coherent topics", "sets of random words"
NO_TOPICS = (
    "too few topics are as coherent as the targets, so there is no test: related words differ from "
    "sets of random words too often"
)
EXCHANGED = "exchanges of the words"
EXCHANGES = 9999  # at most: of few words all are made
POWER = 0.8


@dataclass(frozen=True)
class Answer:
    """A number of the targets among those of control sets.

    Attributes:
        question: What was asked, such as `spread`.
        value: The number of the targets.
        among: What the control sets are, such as `TOPICS`.
        n: How many there are.
        middle: Their median.
        low, high: The range of 95 % of them; of a magnitude, `high` is what 5 % exceed; of a count
            the fewest that at most 5 % have.
        p_value: The share that are as far from no effect, the targets included.
        detectable: The smallest distance from `middle` that is found at 0.05 with 80 % power.
    """

    question: str
    value: float
    among: str
    n: int
    middle: float
    low: float
    high: float
    p_value: float
    detectable: float


@dataclass(frozen=True)
class ControlSets:
    """Sets of other words, as many as the targets, by the places of the words.

    Attributes:
        topics: (s, n) neighbouring words that are as coherent as the targets; none if too few are.
        random: (s, n) random words.
        coherence: Mean cosine between the targets, and in the topics on average.
    """

    topics: Array
    random: Array
    coherence: tuple[float, float]


def control_sets(targets: Array, words: Array, rng: np.random.Generator) -> ControlSets:
    """Return sets of words (m, d) that are like the targets (n, d), n >= 2, by their vectors."""
    wanted = float(cohesion(unit_rows(targets)))
    topics, found = enough_alike(*neighbouring_sets(words, targets, rng), wanted)
    random = rng.permuted(np.tile(np.arange(len(words)), (SETS, 1)), axis=1)[:, : len(targets)]
    return ControlSets(topics, random, (wanted, found))


def enough_alike(sets: Array, found: Array, wanted: float) -> tuple[Array, float]:
    """Return the sets with about the wanted mean cosine, none if they are too few; and theirs."""
    near = np.abs(found - wanted) <= APART
    if near.sum() < FEWEST:
        return sets[:0], np.nan
    return sets[near], float(found[near].mean())


def mean(numbers: Array) -> Array:
    """Return the mean of the last axis."""
    return numbers.mean(axis=-1)


def root_mean_square(numbers: Array) -> Array:
    """Return the root of the mean square of the last axis."""
    return np.sqrt((numbers**2).mean(axis=-1))


def statistic(measure: Measure) -> tuple[str, Callable[[Array], Array]]:
    """Return how a measure of several words is summarised: in words, and as a function.

    Positions on both sides of random words must not cancel out, so that their root mean square is
    taken; of other measures the mean, as their authors take it.
    """
    if measure.name == "position":
        return "root mean square over targets", root_mean_square
    return "mean over targets", mean


def answers(
    values: Array, words: Array, controls: ControlSets, measure: Measure
) -> Iterator[Answer]:
    """Yield the answers for the numbers of targets (n,), that which `statistic` gives first.

    `words` are the numbers (m,) of the words that control sets are made of. The axis of the groups
    has its part in what a topic is: words that lie far out together are one for that reason, too.
    Among topics of words that are alike in all else, topics without a bias are found in 7 to 14 %.
    """
    centre = float(words.mean()) if measure.signed else 0.0
    away = words - centre
    spread = ("spread", root_mean_square, values - centre, away, False)
    size = ("direction" if measure.signed else "size", mean, values, words, measure.signed)
    asked = [size, spread] if measure.signed else [size]
    if measure.name == "position":
        asked = [spread, size] if measure.signed else [spread]
    outside = (is_outside(x, words, measure.signed).astype(float) for x in (values, words))
    asked.append(("outside", lambda flags: flags.sum(axis=-1), *outside, False))
    for question, of, own, others, signed in asked:
        for among, sets in ((TOPICS, controls.topics), (RANDOM, controls.random)):
            if len(sets):
                yield answer(question, float(of(own)), among, of(others[sets]), signed)


def contrast(first: Array, second: Array, rng: np.random.Generator) -> Answer:
    """Return how far the mean of numbers (n,) lies above that of others (m,), words exchanged."""
    return _exchanged("contrast", _words_exchanged(first, second, rng))


def contrast_grown(
    values: Sequence[Array], lists: Sequence[Sequence[int]], rng: np.random.Generator
) -> tuple[Answer, tuple[float, float], Array]:
    """Return by how much two lists of targets lie farther apart in the second of two subjects.

    `values` are as for `differences`, as is what is returned. Words are exchanged with what they
    move from one subject to the other.
    """
    one, other = (abs(float(x[lists[0]].mean() - x[lists[1]].mean())) for x in values)
    moved = values[1] - values[0]
    null = _words_exchanged(*(moved[at] for at in lists), rng).null_distribution
    return answer("contrast", other - one, EXCHANGED, null, True), (one, other), null


def _words_exchanged(first: Array, second: Array, rng: np.random.Generator):
    from scipy.stats import permutation_test

    return permutation_test(
        (first, second),
        lambda x, y, axis: x.mean(axis) - y.mean(axis),
        vectorized=True,
        n_resamples=EXCHANGES,
        rng=rng,
    )


def order(numbers: Array, against: Array, rng: np.random.Generator) -> Answer:
    """Return Spearman's correlation of numbers (n,) with others (n,) of the same words."""
    from scipy.stats import permutation_test, rankdata

    ranks = rankdata(against)

    def spearman(x: Array, axis: int) -> Array:
        return np.apply_along_axis(lambda each: np.corrcoef(each, ranks)[0, 1], axis, x)

    test = permutation_test(
        (rankdata(numbers),),
        spearman,
        vectorized=True,
        permutation_type="pairings",
        n_resamples=EXCHANGES,
        rng=rng,
    )
    return _exchanged("order", test)


def _exchanged(question: str, test) -> Answer:
    found = answer(question, float(test.statistic), EXCHANGED, test.null_distribution, True)
    return replace(found, p_value=float(test.pvalue))


def of_first(found: Sequence[Answer]) -> dict[str, object]:
    """Return the fields of a result that answers give, of which the first decides.

    Sets of random words decide nothing: related words differ from them too often.
    """
    first = found[0]
    fields = {"value": first.value, "answers": tuple(found), "null": first.middle}
    if first.among == RANDOM:
        return fields
    decided = {"p_value": first.p_value, "detectable": first.detectable}
    return fields | decided | {"test": f"rank among {first.among}"}


def differences(
    values: Sequence[Array],
    words: Sequence[Array],
    controls: ControlSets,
    measure: Measure,
) -> Iterator[tuple[Answer, tuple[float, float], Array]]:
    """Yield how the second of two subjects differs from the first, spread before direction.

    `values` are the numbers of the targets (n,) and `words` those of the other words (m,), in each
    of the two. With an answer come what the subjects have, and the differences of its control sets.
    """
    centres = [float(x.mean()) if measure.signed else 0.0 for x in words]
    away = [[x - c for x, c in zip(each, centres, strict=True)] for each in (values, words)]
    asked = [("spread", root_mean_square, *away)]
    if measure.signed:
        asked.append(("direction", mean, values, words))
    among, sets = TOPICS, controls.topics
    if not len(sets):
        among, sets = RANDOM, controls.random
    for question, of, own, others in asked:
        one, other = (float(of(x)) for x in own)
        first, second = (of(x[sets]) for x in others)
        yield (
            answer(question, other - one, among, second - first, True),
            (one, other),
            second - first,
        )


def is_outside(values: Array, words: Array, signed: bool) -> NDArray[np.bool_]:
    """Return which numbers lie outside 95 % of other words (m,): the middle, or the smallest."""
    low, high = np.quantile(words, tails(0.95) if signed else (0.0, 0.95))
    return (values < low) & signed | (values > high)


def answer(question: str, value: float, among: str, controls: Array, signed: bool) -> Answer:
    """Return a number of the targets among those of control sets (s,)."""
    middle = float(np.median(controls))
    low, high = np.quantile(controls, tails(0.95) if signed else (0.05, 0.95)).tolist()
    p = p_values([value], controls, signed).item()
    # An effect that moves the number by this much is found where 80 % of the controls would be.
    short = middle - float(np.quantile(controls, 1 - POWER))
    if signed:  # the effect may go either way
        short = max(short, float(np.quantile(controls, POWER)) - middle)
    critical = float(np.quantile(np.abs(controls - middle), 0.95)) if signed else high - middle
    detectable = critical + short
    if question == "outside":  # the fewest that at most 5 % have
        high = next(n for n in range(int(controls.max()) + 2) if (controls >= n).mean() <= 0.05)
    return Answer(question, value, among, len(controls), middle, low, high, p, detectable)


def over_targets(
    values: Array,
    names: Sequence[str],
    of: Callable[[Array], Array],
    seed: int,
    level: float,
    drawn: Array | None = None,
) -> tuple[float, float]:
    """Return the interval of a statistic of numbers (n,) for other targets of their kind.

    `drawn` are the numbers (draws, n) in resamples of what else was sampled, such as documents.
    """
    if len(values) < 2:
        return np.nan, np.nan
    chosen = resamples(names, seed)
    numbers = values[chosen] if drawn is None else np.take_along_axis(drawn, chosen, axis=1)
    low, high = percentile(widened(of(numbers), of(values), len(values)), level)
    return float(low), float(high)
