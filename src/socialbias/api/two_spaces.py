"""`compare` on vectors and models: distances of targets on the group axis of two spaces.

Distances and cosines of two spaces cannot be compared as they are: a constant vector added to every
word changes all cosines and no bias. Both spaces are therefore centred on the same placebo words,
and a target's bias is its position on the group axis in standard deviations of these words
(`measures.placebo.positions`), which stays the same when a space is shifted, rotated or scaled.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from socialbias.api.measuring import looked_up, placebo_words
from socialbias.api.of_vectors import KnownWords, each_left_out, fewest_units, find
from socialbias.api.placebos import AS_GIVEN
from socialbias.api.question import Question
from socialbias.api.subjects import Subject
from socialbias.embeddings.vectors import WordVectors
from socialbias.errors import UserError
from socialbias.measures.placebo import FEWEST, are_near, axis, positions
from socialbias.measures.registry import INFINITE, MEASURES, Measure
from socialbias.measures.similarity import Array
from socialbias.stats.two_way import Difference, mean_difference

# Measures of cosines without shares: centred vectors have negative cosines, which make none.
COMPARED = [name for name, m in MEASURES.items() if m.prior and m.high < INFINITE]
POSITION = "mean difference in distance from the placebo words' mean on the group axis"
UNIT = "standard deviations of placebo words"
ROUNDING = 1e-5
BLOCKS = 50  # of placebo words, or one for each where there are fewer
Sizes = Callable[[Array, Array, Sequence[Array]], Array]  # of targets, placebo words, groups


@dataclass(frozen=True)
class Compared:
    """How much farther out targets lie in the second space.

    Attributes:
        known: The words that both spaces have.
        placebo: Number of placebo words.
        differences: (n,) the difference of each target.
        overall: The mean difference.
        resampled: What the interval resamples, in words.
        notes: Reservations.
        read: What was read of either side.
    """

    known: KnownWords
    placebo: int
    differences: Array
    overall: Difference
    resampled: str
    notes: list[str]
    read: list[dict]


def compared(sides: Sequence[Subject], question: Question, measure: str | None) -> Compared:
    """Compare two spaces on the words that both have.

    Args:
        sides: Vectors or models.
        question: Words, seed and level.
        measure: A key of `COMPARED`, or None for positions.

    Raises:
        UserError: the spaces have too few words in common.
    """
    spaces, resampled, read, drawn = _spaces(sides, question)
    pairs = measure is not None and question.measure.pairs
    known = find(spaces[0], question.groups, question.targets, pairs, sides[0].vocabulary())
    groups, placebo = list(known.groups.values()), spaces[0].known(drawn)
    if question.placebo is None and placebo:
        near = [are_near(s.rows(placebo), [s.rows(g) for g in groups]) for s in spaces]
        placebo = [word for word, *close in zip(placebo, *near, strict=True) if not any(close)]
    least = FEWEST if question.placebo is None else AS_GIVEN
    if len(placebo) < least:
        hint = "name more words"
        if question.placebo is None:
            hint = "use vectors with more words, or name words with --placebo"
        raise UserError(
            f"{sides[0].name} and {sides[1].name}: only {len(placebo)} placebo words have "
            f"vectors in both; {least} are needed: {hint}"
        )
    sizes = sizes_by(question.measure if measure else None)
    words = [known.targets, placebo, *groups]
    matrices = [[space.rows(some) for some in words] for space in spaces]
    for side, own in zip(sides, matrices, strict=True):
        _check_positions(side.name, known.targets, own)
    over = [
        list(_over_documents(sizes, space, draws, words))
        for space, draws in zip(spaces, resampled, strict=True)
    ]
    more = sum(float(np.var(means, ddof=1)) for means in over if means)
    differences, without, overall = difference(
        *matrices, sizes, question.resampling.level, pairs, more
    )
    if min(map(len, groups)) < fewest_units(pairs):  # none can be left out
        overall = replace(overall, low=np.nan, high=np.nan, detectable=np.nan)
    units = ["words of each group"] if any(len(left) > 1 for left, _ in without) else []
    units += ["placebo words", *["documents"] * any(map(bool, over))]
    units += ["targets"] * (len(differences) > 1)
    resampled_ = " and ".join(filter(None, [", ".join(units[:-1]), units[-1]]))
    notes = [*known.notes, *_scarcest(known, without, differences, overall)]
    return Compared(known, len(placebo), differences, overall, resampled_, notes, read)


def difference(
    first: Sequence[Array],
    second: Sequence[Array],
    sizes: Sizes,
    level: float,
    pairs: bool = False,
    more: float = 0.0,
) -> tuple[Array, list[tuple[Array, Array]], Difference]:
    """How much larger biases are in the second space, with the interval of their mean.

    Args:
        first: Vectors of the targets (n, d), of placebo words and of each group.
        second: Those of the same words in another space, whose d may be another.
        sizes: How large the bias of each target is.
        level: Coverage.
        pairs: Whether words of groups are left out by pairs.
        more: Variance from documents.

    Returns:
        The differences (n,); for each group those without each of its words, as
        `two_way.mean_difference` takes them; and their mean.
    """
    one, other = (_with_each_left_out(sizes, side, pairs) for side in (first, second))
    differences = _apart(one[0], other[0])
    left_out = zip(one[1], other[1], strict=True)
    without = [(_apart(a, b), np.empty((len(a), 0))) for a, b in left_out]
    more += _over_placebo(sizes, first, second)
    return differences, without, mean_difference(differences, np.empty(0), without, level, more)


def _over_placebo(sizes: Sizes, first: Sequence[Array], second: Sequence[Array]) -> float:
    """The variance of the mean difference over placebo words: the jackknife of blocks of them.

    The unit is their standard deviation. Its error is that of every target, so that more targets do
    not make it smaller.
    """
    n, means = len(first[1]), []
    blocks = min(n, BLOCKS)
    for block in range(blocks):
        kept = np.arange(n) % blocks != block
        one, other = (
            sizes(targets, placebo[kept], groups) for targets, placebo, *groups in (first, second)
        )
        means.append(float(_apart(one, other).mean()))
    return (blocks - 1) * float(np.var(means))


def _check_positions(name: str, targets: Sequence[str], matrices: Sequence[Array]) -> None:
    """Raise UserError if targets have no position in a space: every measure would give 0."""
    placed = sizes_by(None)(matrices[0], matrices[1], matrices[2:])
    undefined = [word for word, at in zip(targets, placed, strict=True) if not np.isfinite(at)]
    if undefined:
        raise UserError(
            f"{name}: no bias can be computed for {', '.join(undefined[:5])}: the vectors of the "
            "placebo words, or those of the groups, are all the same or not finite"
        )


def _spaces(
    sides: Sequence[Subject], question: Question
) -> tuple[list[WordVectors], list[Array | None], list[dict], list[str]]:
    """Return both spaces on common words, resampled vectors, what was read, and placebo words."""
    drawn: list[str] = []

    def beside(known: Sequence[str], *number: int) -> list[str]:
        if not drawn:  # by the first space, in which words may be sorted by frequency
            drawn.extend(placebo_words(known, question, *number)[0].words)
        return drawn

    looked = [looked_up(side, question, beside) for side in sides]
    common = [word for word in looked[0][0].words if word in looked[1][0].index]
    resampled = [
        None if draws is None else draws[:, [vectors.index[word] for word in common]]
        for vectors, draws, _ in looked
    ]
    spaces = [vectors.only(common) for vectors, _, _ in looked]
    return spaces, resampled, [read for _, _, read in looked], drawn


def sizes_by(measure: Measure | None) -> Sizes:
    """Return the function that computes the sizes of targets' biases."""

    def by_position(targets: Array, placebo: Array, groups: Sequence[Array]) -> Array:
        axes = [axis([group, *groups[:i], *groups[i + 1 :]]) for i, group in enumerate(groups)]
        axes = axes[:1] if len(groups) == 2 else axes  # the other's is the same, the other way
        return np.sqrt((positions(targets, placebo, np.stack(axes)) ** 2).mean(axis=0))

    def centred(targets: Array, placebo: Array, groups: Sequence[Array]) -> Array:
        centre = placebo.mean(axis=0)
        return np.abs(measure.function(targets - centre, [group - centre for group in groups]))

    return by_position if measure is None else centred


def _with_each_left_out(
    sizes: Sizes, matrices: Sequence[Array], pairs: bool
) -> tuple[Array, list[Array]]:
    """Sizes of biases, (n,), and for each group (k, n) without each of its k words or pairs."""
    targets, placebo, *groups = matrices
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        without = [
            np.stack([sizes(targets, placebo, kept) for kept in rest])
            for rest in each_left_out(groups, pairs)
        ]
        return sizes(targets, placebo, groups), without


def _apart(first: Array, second: Array) -> Array:
    """Return the second minus the first; rounding errors of single precision become 0."""
    apart = second - first
    return np.where(np.abs(apart) < ROUNDING, 0.0, apart)


def _over_documents(
    sizes: Sizes, space: WordVectors, draws: Array | None, words: Sequence[Sequence[str]]
) -> Iterator[float]:
    """Yield the mean size with the vectors from each resample of documents."""
    places = [[space.index[word] for word in some] for some in words]
    for draw in () if draws is None else draws.astype(np.float64):
        targets, placebo, *groups = (draw[at] for at in places)
        yield float(np.nanmean(sizes(targets, placebo, groups)))


def _scarcest(
    known: KnownWords,
    without: Sequence[tuple[Array, Array]],
    differences: Array,
    overall: Difference,
) -> list[str]:
    """Return notes on groups of too few words, and on the one with most of the uncertainty."""
    spreads = [np.square(a.mean(axis=1) - a.mean()).sum() for a, _ in without]
    names = [name for name, words in known.groups.items() if len(words) > 1]
    alone = [name for name, words in known.groups.items() if len(words) == 1]
    notes = [
        f"{name} has only one word with a vector; an interval needs two or more" for name in alone
    ]
    if not alone and not without:
        notes.append("there are only two pairs of group words; an interval needs three or more")
    if len(spreads) == len(names) and sum(spreads) > 0 and np.isfinite(overall.low):
        most = int(np.argmax(spreads))
        targets = differences.var() / len(differences)
        if spreads[most] > max(targets, sum(spreads) / 2):
            n = len(known.groups[names[most]])
            notes.append(f"most of the uncertainty is due to {names[most]}, which has {n} words")
    return notes
