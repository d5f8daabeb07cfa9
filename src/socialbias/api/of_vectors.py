"""Bias in word vectors, or in a model's representations of words: from words to a result."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from socialbias.api.estimate import Row, guessed
from socialbias.api.instruments import Instrument
from socialbias.api.lists import GIVEN, WordLists, list_meant
from socialbias.api.numbers import (
    FEWEST_TARGETS,
    Uncertain,
    mean_draws,
    mean_of_known,
    uncertain,
)
from socialbias.api.result import Result
from socialbias.api.spelling import meant
from socialbias.embeddings.vectors import WordVectors
from socialbias.errors import UserError
from socialbias.languages import primary
from socialbias.measures.divdist import has_negative, sum_normalize
from socialbias.measures.similarity import Array, cosine_matrix, group_means
from socialbias.measures.weat import effect_size, permutation_p, resampled_effect_sizes
from socialbias.papers.reliability import over_words
from socialbias.papers.trustworthy.measured import negative_note
from socialbias.seeding import generator
from socialbias.stats.draws import DRAWS, widened

NEGATIVE = "a strength of association is negative: this is no share"


@dataclass(frozen=True)
class Found:
    """The words of a measurement that have a vector.

    Attributes:
        targets: In their order.
        groups: By name.
        missing: By the name of the list, those that have none.
        notes: Lists of which less than half have one.
        meant: By missing word the one that was probably meant.
    """

    targets: list[str]
    groups: dict[str, list[str]]
    missing: dict[str, list[str]]
    notes: list[str]
    meant: dict[str, str]


def find(
    vectors: WordVectors,
    groups: WordLists,
    targets: WordLists,
    pairs: bool,
    vocabulary: Iterable[str] = (),
) -> Found:
    """Look the words up, as they are written; `vocabulary` has those that may have been meant.

    Raises:
        UserError: a list has too few words with a vector, or lists that should be pairs are not.
    """
    asked = {**groups.words, **{name or "targets": words for name, words in targets.words.items()}}
    missing = {
        name: lost
        for name, words in asked.items()
        if (lost := [word for word in dict.fromkeys(words) if word not in vectors.index])
    }
    notes = [
        f"too few words of {name}: {len(set(words)) - len(missing[name])} of {len(set(words))}"
        for name, words in asked.items()
        if name in missing and not vectors.covers(words)
    ]
    lost = dict.fromkeys(word for words in missing.values() for word in words)
    hints = meant(lost, vocabulary, groups, targets)
    found = {name: vectors.known(words) for name, words in groups.words.items()}
    shared = sorted(set.intersection(*map(set, found.values())))
    if shared:
        notes.append(f"in every group, so that they tell none apart: {_some(shared)}")
    own = [word for word in vectors.known(targets.all) if any(word in of for of in found.values())]
    if own:
        notes.append(f"targets that are words of a group, and so lean to it: {_some(own)}")
    notes += _of_two_languages(groups, targets)
    if pairs:
        found = dict(zip(found, _pairs(vectors, groups), strict=True))
    few = [name for name, words in found.items() if len(words) < (2 if pairs else 1)]
    if few:
        what = "fewer than two pairs of its words have" if pairs else "none of its words has"
        words = _some(guessed(groups.words[few[0]], hints))
        raise UserError(f"group {few[0]}: {what} a vector: {words}")
    known = vectors.known(targets.all)
    if not known:
        hint = list_meant(targets.all)
        raise UserError(f"targets: none has a vector: {_some(guessed(targets.all, hints))}{hint}")
    return Found(known, found, missing, notes, hints)


def _pairs(vectors: WordVectors, groups: WordLists) -> list[list[str]]:
    lists = list(groups.words.values())
    if len(set(map(len, lists))) > 1 or not (groups.pairs or groups.source == GIVEN):
        sizes = ", ".join(f"{len(words)} of {name}" for name, words in groups.words.items())
        raise UserError(f"groups {groups.name}: this measure takes pairs, row by row: {sizes}")
    known = zip(*vectors.known_pairs(*lists), strict=True)
    apart = [pair for pair in known if len(set(pair)) > 1]  # a word is its own pair in no direction
    return [[pair[i] for pair in apart] for i in range(2)]


def _of_two_languages(groups: WordLists, targets: WordLists) -> list[str]:
    one, other = primary(groups.language), primary(targets.language)
    if not one or not other or one == other:
        return []
    return [f"groups are in {one} and targets in {other}: --language takes both in one"]


def _some(words: Sequence[str]) -> str:
    return ", ".join(words[:5]) + (", ..." if len(words) > 5 else "")


def vectors_result(
    vectors: WordVectors,
    groups: WordLists,
    targets: WordLists,
    instrument: Instrument,
    *,
    seed: int,
    level: float,
    resampled: Array | None = None,
    tested: bool = True,
    vocabulary: Iterable[str] = (),
) -> Result:
    """The bias of each target, and their mean.

    Args:
        vectors: Of the words that have one.
        groups: Two groups or more.
        targets: The targets, in one list or several; for a WEAT in two.
        instrument: The measure.
        seed: Of the resamples.
        level: Coverage of intervals.
        resampled: (r, n, d) the n vectors from resampled documents, if there are.
        tested: Whether words are dealt to the groups at random for p-values.
        vocabulary: Words that may have been meant by those that have none, most frequent first.

    Raises:
        UserError: too few words have a vector, or the measure does not fit the lists.
    """
    if instrument.name == "weat":
        check_weat(targets)
    found = find(vectors, groups, targets, instrument.pairs, vocabulary)
    measured = _Measured(vectors, found, instrument, seed, resampled)
    samples = measured.samples()
    chance, p_values = measured.chance() if tested and instrument.shuffled else (None, None)
    overall = _Overall(measured, targets, samples, chance, level)
    number, p_value, test, null = overall.number()
    reliable = over_words(measured.of_groups, measured.groups(-1), found.targets, level,
                          instrument.pairs)  # fmt: skip
    return Result(
        measure=instrument.name,
        statistic=overall.statistic,
        value=number.value,
        low=number.low,
        high=number.high,
        level=level,
        null=null,
        unit=instrument.unit,
        direction=overall.direction,
        n=len(found.targets),
        n_of=len(targets.all),
        n_unit="targets",
        missing=found.missing,
        resampled=overall.resampled,
        reliability=reliable.value,
        reliability_low=reliable.low,
        reliability_high=reliable.high,
        reliability_of="the order of the targets, over random halves of the group words",
        detectable=number.detectable,
        p_value=p_value,
        test=test,
        citation=instrument.citation,
        rows=tuple(_rows(measured, samples, p_values, level)),
        notes=(*found.notes, *_notes(measured, number.value)),
        units=tuple(measured.sizes),
        draws=samples,
        meant=found.meant,
    )


def _rows(
    measured: _Measured, samples: Array, p_values: Array | None, level: float
) -> Iterator[Row]:
    """Each target by itself."""
    draws = widened(samples, measured.values, *measured.sizes)
    negative, leans = measured.negative, measured.leans
    for i, target in enumerate(measured.found.targets):
        # Without shares a number may be beyond their range.
        bounds = () if negative[i] else ((measured.instrument.low, measured.instrument.high),)
        number = uncertain(measured.values[i], draws[:, i], level, *bounds)
        yield Row(
            target,
            number.value,
            number.low,
            number.high,
            leans[i],
            p_value=np.nan if p_values is None else float(p_values[i]),
            detectable=number.detectable,
            note=NEGATIVE if negative[i] else "",
        )


def _notes(measured: _Measured, value: float) -> list[str]:
    """What to know of the number of all targets: whom it leaves out, or which way its test asks."""
    notes = []
    if left_out := negative_note(measured.negative, measured.values, "targets"):
        hint = "left out of the mean; --normalize clipped-sum or softmax keeps them"
        notes.append(f"{left_out}: {hint}")
    if measured.instrument.name == "weat" and value < 0:
        notes.append("the test asks about an effect above 0: swap the sets to test this one")
    return notes


class _Measured:
    """One measure of the targets, with what its resamples and permutations need."""

    def __init__(
        self,
        vectors: WordVectors,
        found: Found,
        instrument: Instrument,
        seed: int,
        resampled: Array | None,
    ):
        self.found, self.instrument, self.seed = found, instrument, seed
        self._vectors, self._resampled = vectors, resampled
        self.lists = list(found.groups.values())
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # what is outside its range is noted row by row
            self.values = self.of(-1)

    def rows(self, words: Sequence[str], draw: int) -> Array:
        """The vectors of words, as they are (-1) or from the documents of a draw, (n, d)."""
        if draw < 0 or self._resampled is None:
            return self._vectors.rows(words)
        at = [self._vectors.index[word] for word in words]
        return self._resampled[draw % len(self._resampled), at].astype(np.float64)

    def groups(self, draw: int) -> list[Array]:
        """The group words' vectors."""
        return [self.rows(words, draw) for words in self.lists]

    def of_groups(self, groups: Sequence[Array], draw: int = -1) -> Array:
        """The biases of all targets with these vectors for the groups, (n,)."""
        return self.instrument.function(self.rows(self.found.targets, draw), groups)

    def of(self, draw: int, places: Sequence[Array] | None = None) -> Array:
        """The biases, with the words at some places alone."""
        groups = self.groups(draw)
        if places is not None:
            groups = [group[at] for group, at in zip(groups, places, strict=True)]
        return self.of_groups(groups, draw)

    @property
    def sizes(self) -> list[int]:
        """Units in each list that is resampled by itself: words, or pairs of them."""
        sizes = [len(words) for words in self.lists]
        return sizes[:1] if self.instrument.pairs else sizes

    def samples(self) -> Array:
        """(draws, n) the biases with resampled group words; the same for the same words."""
        rng = generator(self.seed, "group words", *(w for words in self.lists for w in words))
        return self._many(list(self._bootstraps(rng)))

    def _bootstraps(self, rng: np.random.Generator) -> Iterator[list[Array]]:
        for _ in range(DRAWS):
            places = [rng.integers(size, size=size) for size in self.sizes]
            yield places * (len(self.lists) if self.instrument.pairs else 1)

    def _many(self, draws: Sequence[list[Array]]) -> Array:
        with warnings.catch_warnings(), np.errstate(invalid="ignore", divide="ignore"):
            warnings.simplefilter("ignore")  # a resample may have what the list has not
            return np.stack([self.of(i, places) for i, places in enumerate(draws)])

    def chance(self) -> tuple[Array, Array]:
        """The biases with words dealt to groups at random, (draws, n), and p-values (n,)."""
        words = [word for each in self.lists for word in each]
        rng = generator(self.seed, "dealt", *words)
        together, ends = self.rows(words, -1), np.cumsum([len(each) for each in self.lists])[:-1]
        dealt = []
        with warnings.catch_warnings(), np.errstate(invalid="ignore", divide="ignore"):
            warnings.simplefilter("ignore")
            for _ in range(DRAWS):
                order = rng.permutation(len(words))
                dealt.append(self.of_groups([together[at] for at in np.split(order, ends)]))
        found = np.stack(dealt)
        return found, share_as_large(found, self.values)

    @property
    def leans(self) -> list[str]:
        """The group whose mean vector is nearest to each target."""
        nearest_one = cosine_matrix(
            self.rows(self.found.targets, -1), group_means(self.groups(-1))
        ).argmax(axis=1)
        names = list(self.found.groups)
        return [names[i] for i in nearest_one]

    @property
    def negative(self) -> Array:
        """(n,) whether a measure makes shares of a negative strength."""
        framework = self.instrument.divdist
        if framework is None or framework.normalize is not sum_normalize:
            return np.zeros(len(self.values), bool)
        strengths = framework.strengths(self.rows(self.found.targets, -1), self.groups(-1))
        return has_negative(strengths)


def share_as_large(null: Array, values: Array) -> Array:
    """Two-sided p-values: how often numbers (draws, ...) are as far from 0 as `values` (...)."""
    as_large = np.abs(null) >= np.abs(values) - 1e-12
    return (1 + as_large.sum(axis=0)) / (1 + len(null))


class _Overall:
    """What all targets say together: their mean, or the effect size of a WEAT."""

    def __init__(
        self,
        measured: _Measured,
        targets: WordLists,
        samples: Array,
        chance: Array | None,
        level: float,
    ):
        self._m, self._targets, self._samples = measured, targets, samples
        self._chance, self._level = chance, level
        self._weat = measured.instrument.name == "weat"
        n = len(measured.found.targets)
        self.statistic = "effect size" if self._weat else "mean over targets" if n > 1 else "bias"
        unit = "pairs of group words" if measured.instrument.pairs else "words of each group"
        documents = [] if measured._resampled is None else ["documents"]
        words = [unit] if min(measured.sizes) > 1 else []
        both = [*words, *documents, *(["targets"] if n >= FEWEST_TARGETS else [])]
        self.resampled = (
            "target words of each set"
            if self._weat
            else " and ".join(both) or "nothing: a group has one word"
        )

    @property
    def direction(self) -> str:
        """Which way the number goes, in words."""
        groups = list(self._m.found.groups)
        if not self._weat:
            return self._m.instrument.direction(groups)
        x, y = self._targets.words
        return f"above 0: {x} leans more to {groups[0]} than {y} does"

    def number(self) -> tuple[Uncertain, float, str, float]:
        """The number, its p-value (NaN without one), of what test, and its null value."""
        if self._weat:
            return self._effect()
        values, names = self._m.values, self._m.found.targets
        known = ~np.isnan(values) & ~self._m.negative
        if not known.any():
            return uncertain(np.nan, np.empty(0), self._level), np.nan, "", np.nan
        names = [name for name, there in zip(names, known, strict=True) if there]
        mean, bounds = values[known].mean(), (self._m.instrument.low, self._m.instrument.high)
        samples = self._samples[:, known]
        draws = mean_draws(samples, mean, names, self._m.sizes, self._m.seed)
        number = uncertain(mean, draws, self._level, bounds)
        if self._chance is None:
            return number, np.nan, "", np.nan
        null = mean_of_known(self._chance[:, known])
        p_value = float(share_as_large(null, mean))
        signed = self._m.instrument.signed
        # Dealing words tells this list from no bias, not the targets that there might have been.
        of = "this target" if len(names) == 1 else "these targets"
        test = f"group words dealt to the groups at random, two-sided, of {of}"
        return number, p_value, test, 0.0 if signed else float(np.nanmean(null))

    def _effect(self) -> tuple[Uncertain, float, str, float]:
        in_sets = dict(zip(self._m.found.targets, self._m.values, strict=True))
        x, y = (
            np.array([in_sets[word] for word in dict.fromkeys(words) if word in in_sets])
            for words in self._targets.words.values()
        )
        for name, found in zip(self._targets.words, (x, y), strict=True):
            if not len(found):
                raise UserError(f"targets: no word of {name} has a vector")
        name = "/".join(self._targets.words)
        p_value, exact = permutation_p(x, y, rng=generator(self._m.seed, "weat", name))
        rng = generator(self._m.seed, "weat", name, "effect-size")
        draws = resampled_effect_sizes(x, y, 1, DRAWS, rng)
        number = uncertain(effect_size(x, y), draws, self._level)
        test = f"targets dealt to the sets, {'exact' if exact else 'random'}, one-sided"
        return number, p_value, test, 0.0


def check_weat(targets: WordLists) -> None:
    """UserError unless there are two sets of targets."""
    if len(targets.words) != 2:
        hint = "such as family-career, or a file with two [sections]"
        raise UserError(f"targets {targets.name}: a WEAT takes two sets, {hint}")
