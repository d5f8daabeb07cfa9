"""`compare` on vectors and models: positions of targets on the group axis of two spaces.

Distances and cosines of two spaces cannot be compared as they are: a constant vector added to every
word changes all cosines and no bias. Both spaces are therefore centred on the same baseline words,
and a target's bias is its position on the group axis in standard deviations of these words
(`measures.placebo.positions`), which stays the same when a space is shifted, rotated or scaled.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from socialbias.commands.measure_subject import draw_baseline, look_up_words
from socialbias.commands.measure_vectors import measure_words
from socialbias.commands.result import Result
from socialbias.commands.settings import Question, merge_groups
from socialbias.commands.subjects import Subject
from socialbias.embeddings.vectors import WordVectors
from socialbias.errors import UserError
from socialbias.measurement.estimates import Row, bare_rows, uncertain
from socialbias.measurement.instruments import instrument
from socialbias.measurement.known_words import KnownWords, find_words
from socialbias.measurement.random_words import Baseline, far_from_groups, in_common
from socialbias.measurement.topics import (
    EXCHANGED,
    NO_TOPICS,
    RANDOM,
    contrast_grown,
    control_sets,
    differences,
    of_first,
)
from socialbias.measurement.vectors import VectorBias
from socialbias.measures.placebo import octaves
from socialbias.measures.registry import MEASURES
from socialbias.stats.draws import widened
from socialbias.stats.intervals import tails
from socialbias.stats.seeding import generator
from socialbias.stats.similarity import Array

POSITION = "difference in the root mean square of positions on the group axis"
CONTRAST = "difference in how far the two lists of targets lie apart on the group axis"
POSITIONS = "positions among {:,} random words (socialbias.measures.placebo.RandomWords)"
ALL_SAME = "the vectors of the random words, or those of the groups, are all the same or not finite"
ONE_TARGET = "one target cannot be compared with topics, so there is no test: name more targets"
ROUNDING = 1e-5


@dataclass(frozen=True)
class Spaces:
    """Spaces on the words that all of them have."""

    sides: Sequence[Subject]  # vectors or models
    vectors: list[WordVectors]
    in_templates: list[Array | None]  # vectors of models
    drawn: Baseline  # candidates for random words, whichever side is the first
    read: list[dict]

    def biases(self, question: Question) -> tuple[KnownWords, Baseline, list[VectorBias]]:
        """Return what is known of the words, the random words, and the positions in each space."""
        vocabulary = self.sides[0].vocabulary()
        each = [
            find_words(vectors, question.groups, question.targets, False, vocabulary)
            for vectors in self.vectors
        ]
        # One side may have the same vector for two spellings of a target.
        targets = [word for word in each[0].targets if all(word in own.targets for own in each)]
        notes = dict.fromkeys(note for own in each for note in own.notes)
        known, biases = replace(each[0], targets=targets, notes=list(notes)), []
        random, groups = self._random_words(question, known), list(known.groups.values())
        measure = instrument("position", len(groups))
        for side, vectors, draws in zip(self.sides, self.vectors, self.in_templates, strict=True):
            bias = VectorBias(vectors, targets, groups, measure, draws, random=random)
            if undefined := [targets[i] for i in np.flatnonzero(~np.isfinite(bias.values))]:
                what = f"{side.name}: no bias can be computed for {', '.join(undefined[:5])}"
                raise UserError(f"{what}: {ALL_SAME}")
            biases.append(bias)
        return known, random, biases

    def _random_words(self, question: Question, known: KnownWords) -> Baseline:
        """Return the random words: near no group word in any space."""
        random = far_from_groups(self.drawn, self.vectors, [*known.groups.values()])
        if len(random.words) < random.fewest:
            hint = "name more words"
            if random.drawn:
                hint = "use vectors with more words, or name words with --baseline"
            names = " and ".join(side.name for side in self.sides)
            found = f"random words have vectors in {'both' if len(self.sides) == 2 else 'all'}"
            few = f"only {len(random.words)} {found}; {random.fewest} are needed"
            raise UserError(f"{names}: {few}: {hint}")
        return replace(random, drawn=False)


def compared(opened: Spaces, question: Question) -> dict:
    """Return the fields of a result: how much farther out targets lie in the second space."""
    known, random, biases = opened.biases(question)
    values = [bias.values for bias in biases]
    others = [bias.biases(random.words) for bias in biases]
    apart = _apart(*map(np.abs, values))
    fields = {
        "measure": "position",
        "statistic": POSITION,
        "value": float(apart[0]),
        "low": math.nan,
        "high": math.nan,
        "detectable": math.nan,
        "unit": MEASURES["position"].unit,
        "n": len(known.targets),
        "missing": known.missing,
        "meant": known.meant,
        "resampled": "equally coherent topics",
        "citation": POSITIONS.format(len(random.words)),
        "rows": bare_rows(known.targets, apart),
        "notes": known.notes,
    }
    if len(known.targets) < 2:
        return fields | {"notes": [*known.notes, ONE_TARGET]}
    # The cosines in both spaces together decide what a topic is, whichever comes first.
    rng = generator(question.resampling.seed, "topics", len(known.targets))
    units = zip(*(bias.units(known.targets, random.words) for bias in biases), strict=True)
    controls = control_sets(*map(np.hstack, units), rng)
    found = list(differences(values, others, controls, biases[0].measure))
    lists = [np.flatnonzero(np.isin(known.targets, w)) for w in question.targets.words.values()]
    if len(lists) == 2 and all(map(len, lists)) and biases[0].measure.signed:
        found.insert(0, contrast_grown(values, lists, rng))
        fields |= {"statistic": CONTRAST, "resampled": EXCHANGED}
    first, sides, differences_of_controls = found[0]
    if first.among == RANDOM:
        return fields | {"value": first.value, "notes": [*known.notes, NO_TOPICS]}
    low, high = np.quantile(differences_of_controls, tails(question.resampling.level))
    answered = of_first([each for each, *_ in found])
    del answered["null"]  # it is 0, as of all comparisons
    # An effect as large would move the control sets' numbers to the targets'.
    interval = {"low": float(first.value - high), "high": float(first.value - low)}
    return fields | answered | interval | {"coherence": controls.coherence, "sides": sides}


def place_targets(opened: Spaces, question: Question) -> list[Result]:
    """Return where targets lie in each space, and the second less the first if there are two.

    Positions have a sign with two groups, and are sizes with more. Intervals are over group words.
    """
    known, random, biases = opened.biases(question)
    question = replace(question, measure=biases[0].measure)
    missing = {"missing": known.missing, "meant": known.meant, "notes": tuple(known.notes)}
    missing["n_of"] = len(question.targets.all)
    # One side may have one vector for two targets, which are then one in both.
    targets = replace(question.targets, words={"": tuple(known.targets)})
    question = replace(question, targets=targets)
    results = [
        replace(measure_words(vectors, question, draws, others=random), **missing)
        for vectors, draws in zip(opened.vectors, opened.in_templates, strict=True)
    ]
    if len(results) != 2:
        return results
    one, other = results
    values = _apart(*(np.array([row.value for row in result.rows]) for result in results))
    drawn = widened(_apart(one.draws, other.draws), values, *map(len, known.groups.values()))
    rows = []
    for i, target in enumerate(known.targets):
        each = uncertain(values[i], drawn[:, i], question.resampling.level)
        rows.append(Row(target, each.value, each.low, each.high))
    numbers = (np.array([*result.random_words.values()]) for result in results)
    random_words = dict(zip(one.random_words, _apart(*numbers).tolist(), strict=True))
    return [*results, replace(other, rows=tuple(rows), random_words=random_words, answers=())]


def open_spaces(sides: Sequence[Subject], questions: Sequence[Question]) -> Spaces:
    """Return spaces on common words. The questions differ in groups; each file is read once."""
    drawn, question = [], merge_groups(questions)
    shared = in_common([_vocabulary(side) for side in sides]) if question.baseline is None else []

    def beside(known: Iterable[str], number: int | None = None) -> list[str]:
        if not drawn:
            drawn.append(draw_baseline(shared, question))
        # Those drawn are in random order, so that the first ones are a sample of them.
        return drawn[0].words[: number if drawn[0].drawn else None]

    looked = [look_up_words(side, question, beside) for side in sides]
    common = [word for word in looked[0][0].words if all(word in v.index for v, *_ in looked[1:])]
    in_templates = [
        None if draws is None else draws[:, [vectors.index[word] for word in common]]
        for vectors, draws, _ in looked
    ]
    spaces = [vectors.only(common) for vectors, _, _ in looked]
    others = drawn[0]
    if others.kinds:  # of the words that were read, which may be few
        left = [word for word in others.words if word in spaces[0].index]
        words = [*question.targets.all, *left]
        kinds = dict(zip(words, octaves(shared, words, left), strict=True))
        others = replace(others, words=left, kinds=kinds)
    return Spaces(sides, spaces, in_templates, others, [read for _, _, read in looked])


def _vocabulary(side: Subject) -> list[str]:
    """Return the words of vectors, or those that are single pieces of a model."""
    if side.kind == "vectors":
        return list(side.vocabulary())
    from socialbias.embeddings.static_models import whole_words
    from socialbias.models.loading import tokenizer_of

    return whole_words(tokenizer_of(side.path).get_vocab())


def _apart(first: Array, second: Array) -> Array:
    """Return the second minus the first; rounding errors of single precision become 0."""
    apart = second - first
    return np.where(np.abs(apart) < ROUNDING, 0.0, apart)
