"""`compare` on vectors and models: distances of targets on the group axis of two spaces.

Distances and cosines of two spaces cannot be compared as they are: a constant vector added to every
word changes all cosines and no bias. Both spaces are therefore centred on the same placebo words,
and a target's bias is its position on the group axis in standard deviations of these words
(`measures.placebo.positions`), which stays the same when a space is shifted, rotated or scaled.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from socialbias.commands.measure_subject import looked_up, placebo_words
from socialbias.commands.measure_vectors import KnownWords, find
from socialbias.commands.result import Result
from socialbias.commands.settings import Question, together
from socialbias.commands.subjects import Subject
from socialbias.embeddings.vectors import WordVectors
from socialbias.errors import UserError
from socialbias.measurement.estimates import Row, bare_rows
from socialbias.measurement.random_words import AS_GIVEN, in_common
from socialbias.measurement.vectors import each_left_out, fewest_units
from socialbias.measures.placebo import DRAWN, MIN_WORDS, are_near, axis, positions
from socialbias.measures.registry import Measure
from socialbias.reporting.methods_paragraph import listed
from socialbias.stats.similarity import Array
from socialbias.stats.two_way import Difference, mean_difference

POSITION = "mean difference in distance from the random words' mean on the group axis"
UNIT = "standard deviations of random words"
POSITIONS = "positions among {:,} random words (socialbias.measures.placebo)"
CENTRED = "{}, in vectors centred on {:,} random words"
AXIS = "place on the group axis, less the random words' mean"
ALL_SAME = "the vectors of the random words, or those of the groups, are all the same or not finite"
ROUNDING = 1e-5
BLOCKS = 50  # of placebo words, or one for each where there are fewer
Sizes = Callable[[Array, Array, Sequence[Array]], Array]  # of targets, placebo words, groups


@dataclass(frozen=True)
class Spaces:
    """Spaces on the words that all of them have."""

    sides: Sequence[Subject]  # vectors or models
    vectors: list[WordVectors]
    resampled: list[Array | None]  # vectors from resampled documents, if any
    drawn: list[str]  # candidates for placebo words, whichever side is the first
    read: list[dict]

    def words_and_vectors(
        self, question: Question, pairs: bool = False
    ) -> tuple[KnownWords, list[Sequence[str]], list[list[Array]]]:
        """Return what is known of the words; targets, placebo words and groups; and their vectors.

        The vectors are by side.
        """
        vocabulary = self.sides[0].vocabulary()
        each = [
            find(vectors, question.groups, question.targets, pairs, vocabulary)
            for vectors in self.vectors
        ]
        # One side may have the same vector for two spellings of a target.
        targets = [word for word in each[0].targets if all(word in own.targets for own in each)]
        notes = dict.fromkeys(note for own in each for note in own.notes)
        known = replace(each[0], targets=targets, notes=list(notes))
        words = [targets, self.placebo(question, known), *known.groups.values()]
        matrices = [[space.rows(some) for some in words] for space in self.vectors]
        for side, (rows, *others) in zip(self.sides, matrices, strict=True):
            placed = np.isfinite(sizes_by(None)(rows, others[0], others[1:]))
            if undefined := [targets[i] for i in np.flatnonzero(~placed)]:
                # Every measure would give 0.
                what = f"{side.name}: no bias can be computed for {', '.join(undefined[:5])}"
                raise UserError(f"{what}: {ALL_SAME}")
        return known, words, matrices

    def placebo(self, question: Question, known: KnownWords) -> list[str]:
        """Return the placebo words: near no group word in any space."""
        groups, placebo = list(known.groups.values()), self.vectors[0].known(self.drawn)
        if question.placebo is None and placebo:
            near = [are_near(s.rows(placebo), [s.rows(g) for g in groups]) for s in self.vectors]
            placebo = [word for word, *close in zip(placebo, *near, strict=True) if not any(close)]
        least = MIN_WORDS if question.placebo is None else AS_GIVEN
        if len(placebo) < least:
            hint = "name more words"
            if question.placebo is None:
                hint = "use vectors with more words, or name words with --placebo"
            names = " and ".join(side.name for side in self.sides)
            found = f"random words have vectors in {'both' if len(self.sides) == 2 else 'all'}"
            raise UserError(f"{names}: only {len(placebo)} {found}; {least} are needed: {hint}")
        return placebo


def compared(opened: Spaces, question: Question, measure: str | None) -> dict:
    """Return the fields of a result: how much farther out targets lie in the second space.

    The measure is one of `COMPARED`, or None for positions.
    """
    pairs = measure is not None and question.measure.pairs
    known, words, matrices = opened.words_and_vectors(question, pairs)
    placebo, *groups = words[1:]
    sizes = sizes_by(question.measure if measure else None)
    over = [
        [float(np.nanmean(draw)) for draw in _over_documents(sizes, space, draws, words)]
        for space, draws in zip(opened.vectors, opened.resampled, strict=True)
    ]
    more = sum(float(np.var(means, ddof=1)) for means in over if means)
    differences, without, overall = difference(
        *matrices, sizes, question.resampling.level, pairs, more
    )
    if min(map(len, groups)) < fewest_units(pairs):  # none can be left out
        overall = replace(overall, low=np.nan, high=np.nan, detectable=np.nan)
    if overall.low == overall.high:  # the same vectors on both sides
        overall = replace(overall, detectable=0.0)
    units = ["words of each group"] if any(len(left) > 1 for left, _ in without) else []
    units += ["random words", *["documents"] * any(map(bool, over))]
    units += ["targets"] * (len(differences) > 1)
    unit, citation = UNIT, POSITIONS.format(len(placebo))
    if measure is not None:
        unit = question.measure.unit + ", of centred vectors"
        citation = CENTRED.format(question.measure.citation, len(placebo))
    return {
        "measure": measure or "position",
        "statistic": POSITION if measure is None else "mean difference of magnitudes",
        **vars(overall),
        "unit": unit,
        "n": len(differences),
        "missing": known.missing,
        "meant": known.meant,
        "resampled": listed(units),
        "citation": citation,
        "rows": bare_rows(known.targets, differences),
        "notes": [*known.notes, *_scarcest(known, without, differences, overall)],
    }


def positioned(opened: Spaces, question: Question) -> list[Result]:
    """Return where targets lie in each space, and the second less the first if there are two.

    Positions have a sign with two groups, and are sizes with more. Intervals allow for other group
    words, placebo words and documents.
    """
    known, words, matrices = opened.words_and_vectors(question)
    level, parts, random = question.resampling.level, [], []
    for rows, space, draws in zip(matrices, opened.vectors, opened.resampled, strict=True):
        over = list(_over_documents(signed, space, draws, words))
        documents = np.var(over, axis=0, ddof=1) if over else np.zeros(len(known.targets))
        values, left_out = _with_each_left_out(signed, rows, False)
        parts.append((values, left_out, _without_blocks(signed, rows), documents))
        random.append(signed(rows[1], rows[1], rows[2:]))
    if len(parts) == 2:  # group words and placebo words are the same on both sides
        (one, a, one_blocks, own), (other, b, other_blocks, others) = parts
        left_out = [_apart(*pair) for pair in zip(a, b, strict=True)]
        blocks = _apart(one_blocks, other_blocks)
        parts.append((_apart(one, other), left_out, blocks, own + others))
        random.append(_apart(*random))
    few, none, rows = min(map(len, words[2:])) < 2, np.empty(0), []
    for values, left_out, blocks, documents in parts:
        more = (len(blocks) - 1) * blocks.var(axis=0) + documents
        side = []
        for i, target in enumerate(known.targets):
            without = [(left[:, [i]], np.empty((len(left), 0))) for left in left_out]
            each = mean_difference(values[[i]], none, without, level, float(more[i]))
            ends = (math.nan, math.nan) if few else (each.low, each.high)
            side.append(Row(target, each.value, *ends, detectable=each.detectable))
        rows.append(tuple(side))
    names = list(known.groups)
    direction = f"above 0: nearer to {names[0]}; below 0: to {names[-1]}, than random words are"
    return [
        Result(
            measure="position",
            statistic="mean over targets",
            value=float(np.mean([row.value for row in side])),
            low=math.nan,
            high=math.nan,
            level=level,
            null=0.0 if len(names) == 2 else math.nan,
            unit=UNIT,
            direction=direction if len(names) == 2 else "a distance from random words' mean",
            n=len(known.targets),
            n_of=len(question.targets.all),
            n_unit="targets",
            missing=known.missing,
            meant=known.meant,
            resampled="words of each group and random words" + " and documents" * bool(over),
            citation=AXIS,
            rows=side,
            notes=tuple(known.notes),
            random_words=dict(zip(words[1], numbers.tolist(), strict=True)),
        )
        for side, numbers in zip(rows, random, strict=True)
    ]


def difference(
    first: Sequence[Array],
    second: Sequence[Array],
    sizes: Sizes,
    level: float,
    pairs: bool = False,
    more: float = 0.0,
) -> tuple[Array, list[tuple[Array, Array]], Difference]:
    """Return how much larger biases are in the second space, with the interval of their mean.

    A space has the vectors of the targets (n, d), of placebo words and of each group; d may be
    another in the second. `more` is variance from documents. Returned are the differences (n,), for
    each group those without each of its words (or pairs), as `two_way.mean_difference` takes them,
    and their mean.
    """
    one, other = (_with_each_left_out(sizes, side, pairs) for side in (first, second))
    differences = _apart(one[0], other[0])
    left_out = zip(one[1], other[1], strict=True)
    without = [(_apart(a, b), np.empty((len(a), 0))) for a, b in left_out]
    # The jackknife of blocks of placebo words, whose standard deviation is the unit: its error is
    # that of every target, so that more targets do not make it smaller.
    means = _apart(*(_without_blocks(sizes, side) for side in (first, second))).mean(axis=1)
    more += (len(means) - 1) * float(np.var(means))
    return differences, without, mean_difference(differences, np.empty(0), without, level, more)


def _without_blocks(sizes: Sizes, matrices: Sequence[Array]) -> Array:
    """Return the targets' sizes (blocks, n) without each block of placebo words."""
    targets, placebo, *groups = matrices
    blocks = min(len(placebo), BLOCKS)
    kept = (np.arange(len(placebo)) % blocks != block for block in range(blocks))
    return np.stack([sizes(targets, placebo[rows], groups) for rows in kept])


def spaces_of(sides: Sequence[Subject], questions: Sequence[Question]) -> Spaces:
    """Return spaces on common words. The questions differ in groups; each file is read once."""
    drawn, question = [], together(questions)
    shared = in_common([_vocabulary(side) for side in sides]) if question.placebo is None else []

    def beside(known: Iterable[str], number: int = DRAWN) -> list[str]:
        if not drawn:
            in_texts = {*known} if "texts" in question.options else {*shared}
            vocabulary = [word for word in shared if word in in_texts]
            drawn.extend(placebo_words(vocabulary, question)[0].words)
        # Those drawn are in random order, so that the first ones are a sample of them.
        return drawn[:number] if question.placebo is None else drawn

    looked = [looked_up(side, question, beside) for side in sides]
    common = [word for word in looked[0][0].words if all(word in v.index for v, *_ in looked[1:])]
    resampled = [
        None if draws is None else draws[:, [vectors.index[word] for word in common]]
        for vectors, draws, _ in looked
    ]
    spaces = [vectors.only(common) for vectors, _, _ in looked]
    return Spaces(sides, spaces, resampled, drawn, [read for _, _, read in looked])


def _vocabulary(side: Subject) -> list[str]:
    """Return the words of vectors, or those that are single pieces of a model."""
    if side.kind == "vectors":
        return list(side.vocabulary())
    from socialbias.embeddings.static_models import whole_words
    from socialbias.models.loading import tokenizer_of

    return whole_words(tokenizer_of(side.path).get_vocab())


def signed(targets: Array, placebo: Array, groups: Sequence[Array]) -> Array:
    """Return positions (n,), above 0 nearer to the first of two groups; sizes of more groups."""
    if len(groups) == 2:
        return positions(targets, placebo, axis(groups))
    return sizes_by(None)(targets, placebo, groups)


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
) -> Iterator[Array]:
    """Yield the targets' sizes with the vectors from each resample of documents."""
    places = [[space.index[word] for word in some] for some in words]
    for draw in () if draws is None else draws.astype(np.float64):
        targets, placebo, *groups = (draw[at] for at in places)
        yield sizes(targets, placebo, groups)


def _scarcest(
    known: KnownWords,
    without: Sequence[tuple[Array, Array]],
    differences: Array,
    overall: Difference,
) -> list[str]:
    """Return notes on groups of too few words, and on the one with most of the uncertainty."""
    spreads = [np.square(a.mean(axis=1) - a.mean()).sum() for a, _ in without]
    names = [name for name, words in known.groups.items() if len(words) > 1]
    only = "has only one word with a vector; an interval needs two or more"
    notes = [f"{name} {only}" for name in known.groups if name not in names]
    if not notes and not without:
        notes.append("there are only two pairs of group words; an interval needs three or more")
    if len(spreads) == len(names) and sum(spreads) > 0 and np.isfinite(overall.low):
        most = int(np.argmax(spreads))
        targets = differences.var() / len(differences)
        if spreads[most] > max(targets, sum(spreads) / 2):
            n = len(known.groups[names[most]])
            notes.append(f"most of the uncertainty is due to {names[most]}, which has {n} words")
    return notes
