"""Bias in word vectors, or in a model's representations of words: from words to a result."""

from __future__ import annotations

import unicodedata
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from socialbias.api.estimate import Placebo, Row
from socialbias.api.numbers import mean_of_known, percentiles, uncertain
from socialbias.api.placebos import AS_GIVEN, UNKNOWN, Others, numbers_beside
from socialbias.api.question import Question
from socialbias.api.result import Result, guessed, shared_words, some
from socialbias.api.spelling import meant
from socialbias.embeddings.vectors import WordVectors
from socialbias.errors import UserError
from socialbias.measures.placebo import FEWEST, are_near, neighbouring_sets
from socialbias.measures.registry import Measure
from socialbias.measures.similarity import Array, cosine_matrix, group_means
from socialbias.measures.weat import (
    effect_size,
    largest_effect_size,
    named_permutation_p,
    sampled_effect_size,
    words_counted,
)
from socialbias.papers.reliability import fields, over_words
from socialbias.stats.draws import DRAWS, widened
from socialbias.stats.seeding import generator
from socialbias.stats.two_way import Difference, mean_difference
from socialbias.words.languages import primary
from socialbias.words.lists import GIVEN, WordLists, list_meant, lists

PERMUTED = "two-sided permutation test over group words, for"
TABLE3 = ("table3", "word2vec", "released-code")  # what the draws of its group words are named
NEIGHBOURS = "pairs of sets of neighbouring words, as large and as coherent as these"
NO_SHARE = "an association is negative, or none is above 0, so there is no share"
SMALLEST = 1e-12  # an association that is more than rounding
SAME = 1e-6  # difference of vectors, as a share of their largest number, that is rounding


@dataclass(frozen=True)
class KnownWords:
    """The words that have a vector, and those that have none.

    Attributes:
        targets: In their order.
        groups: By name.
        missing: Words without a vector, by list.
        notes: Reservations, such as lists of which less than half have a vector.
        meant: The word that was probably meant, by missing word.
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
) -> KnownWords:
    """Look words up as they are written; misspelt ones may mean a word of `vocabulary`.

    Raises:
        UserError: a list has too few words with a vector, or lists that should be pairs are not.
    """
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
    of_targets = [vectors.known(words) for words in targets.words.values()]
    notes += shared_words(in_groups, of_targets)
    notes += _of_two_languages(groups, targets)
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
        mean, rounding = rows.mean(axis=0), SAME * np.abs(rows).max()
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


def _of_two_languages(groups: WordLists, targets: WordLists) -> list[str]:
    one, other = primary(groups.language), primary(targets.language)
    if not one or not other or one == other:
        return []
    hint = "use --language to choose one language for both"
    return [f"groups are in {one} and targets in {other}; {hint}"]


def vectors_result(
    vectors: WordVectors,
    question: Question,
    resampled: Array | None = None,
    vocabulary: Iterable[str] = (),
    others: Sequence[Others] = (),
    tested: bool = True,
) -> Result:
    """Compute the bias of each target, and their mean.

    Args:
        vectors: Of the words that have one.
        question: Two groups or more; the targets, in one list or several, for a WEAT in two.
        resampled: (r, n, d) the n vectors from resampled documents, if any.
        vocabulary: Known words, most frequent first, that misspelt ones may mean.
        others: Placebo words, the first of which are the null; for a WEAT the words to make sets
            of neighbours of.
        tested: Run the permutation test over group words.

    Raises:
        UserError: too few words have a vector, or the measure does not fit the lists.
    """
    chosen, level = question.measure, question.resampling.level
    weat = chosen.name == "weat"
    if weat and len(question.targets.words) != 2:
        problem = "a WEAT needs two sets of targets, such as family-career"
        raise UserError(f"targets {question.targets.name}: {problem}, or a file of two [sections]")
    known = find(vectors, question.groups, question.targets, chosen.pairs, vocabulary)
    measured = _Measured(vectors, known, question, resampled)
    for name, matrix in zip(known.groups, measured.groups(-1), strict=True):
        if chosen.divdist and np.abs(matrix.mean(axis=0)).max() <= SAME * np.abs(matrix).max():
            problem = "its vectors cancel each other out, so that their mean has no direction"
            raise UserError(f"group {name}: {problem}: use another measure, such as caliskan")
    if chosen.pairs and np.isnan(measured.values).all():
        raise UserError(
            f"groups {question.groups.name}: the vectors of all pairs have the same difference, or "
            "none, so there is no direction to measure along: add pairs, or use another measure"
        )
    others, notes = measured.usable(others)
    samples = measured.samples()
    chance, shares = measured.chance() if tested and chosen.shuffled else (None, None)
    numbers, places = (_effect if weat else _mean)(measured, others, chance)
    kept = np.flatnonzero(~measured.without_share)
    reliable = over_words(
        lambda groups: measured.of_groups(groups)[kept],
        measured.groups(-1),
        [known.targets[i] for i in kept],
        level,
        chosen.pairs,
    )
    first = []
    if left_out := len(known.targets) - len(kept):
        first.append(
            f"use --normalize softmax: {left_out} of {len(known.targets)} targets have a negative "
            "association, or none above 0, so they have no share and are left out of the mean"
        )
    return Result(
        measure=chosen.name,
        level=level,
        unit=chosen.unit,
        **_counts(known, question),
        missing=known.missing,
        **fields(reliable),
        reliability_of="ranking of the targets by random halves of the group words",
        citation=chosen.citation,
        rows=tuple(_rows(measured, samples, shares, places)),
        notes=(*first, *known.notes, *notes),
        draws=samples,
        meant=known.meant,
        **numbers,
    )


def _counts(known: KnownWords, question: Question) -> dict[str, object]:
    """Count the words that have a vector: targets, or all words of a WEAT's four sets."""
    if question.measure.name != "weat":
        return {"n": len(known.targets), "n_of": len(question.targets.all), "n_unit": "targets"}
    targets = set(known.targets)
    counts = [(len(targets & {*words}), len(words)) for words in question.targets.words.values()]
    counts += [(len(known.groups[name]), len(w)) for name, w in question.groups.words.items()]
    return words_counted(counts)


def _rows(
    measured: _Measured, samples: Array, shares: Array | None, places: Array | None
) -> Iterator[Row]:
    """Yield the row of each target; `places` are percentiles among the placebo words."""
    level = measured.resampling.level
    draws = widened(samples, measured.values, *measured.sizes)
    shareless, leans = measured.without_share, measured.leans
    for i, target in enumerate(measured.known.targets):
        if shareless[i]:
            yield Row(target, np.nan, np.nan, np.nan, leans[i], note=NO_SHARE)
            continue
        bounds = (measured.instrument.low, measured.instrument.high)
        number = uncertain(measured.values[i], draws[:, i], level, bounds)
        yield Row(
            target,
            number.value,
            number.low,
            number.high,
            leans[i],
            percentile=np.nan if places is None else float(places[i]),
            p_words_exchanged=np.nan if shares is None else float(shares[i]),
            detectable=number.detectable,
        )


class _Measured:
    """One measure of the targets, with what its resamples and permutations need."""

    def __init__(
        self, vectors: WordVectors, known: KnownWords, question: Question, resampled: Array | None
    ):
        self.known, self.question, self.instrument = known, question, question.measure
        self.resampling, self.seed = question.resampling, question.resampling.seed
        self._vectors, self._resampled = vectors, resampled
        self.lists = list(known.groups.values())
        self._as_they_are = {  # thousands of resamples read these
            tuple(words): vectors.rows(words) for words in (known.targets, *self.lists)
        }
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # rows note values outside the range
            self.values = self.of(-1)

    def rows(self, words: Sequence[str], draw: int) -> Array:
        """Return the vectors of words, original (-1) or from the documents of a draw, (n, d)."""
        if draw < 0 or self._resampled is None:
            known = self._as_they_are.get(tuple(words))
            return self._vectors.rows(words) if known is None else known
        at = [self._vectors.index[word] for word in words]
        return self._resampled[draw % len(self._resampled), at].astype(np.float64)

    def groups(self, draw: int) -> list[Array]:
        """Return the vectors of each group's words."""
        return [self.rows(words, draw) for words in self.lists]

    def of_groups(self, groups: Sequence[Array], draw: int = -1) -> Array:
        """Return the biases of all targets with these vectors for the groups, (n,)."""
        return self.instrument.function(self.rows(self.known.targets, draw), groups)

    def usable(self, others: Sequence[Others]) -> tuple[list[Others], list[str]]:
        """Return the placebo words that have vectors, and notes on those that are too few."""
        kept, notes = [], []
        for other in others:
            words = self._vectors.known(other.words)
            if other.drawn and words:
                near = are_near(self._vectors.rows(words), self.groups(-1))
                words = [word for word, close in zip(words, near, strict=True) if not close]
            if len(words) >= (FEWEST if other.drawn else AS_GIVEN):
                kept.append(replace(other, words=words))
            elif other is others[0]:
                notes.append(f"only {len(words)} {other.name}: too few to compare the targets with")
        return kept, notes

    def biases(self, words: Sequence[str]) -> Array:
        """Return the biases of any words, (m,); NaN if undefined."""
        rows, groups = self.rows(words, -1), self.groups(-1)
        shareless = without_share(self.instrument, rows, groups)
        return np.where(shareless, np.nan, self._quietly(rows, groups))

    def biases_without(self, words: Sequence[str]) -> list[Array]:
        """Return, for each list that is resampled, biases (k, m) without each of its k words."""
        rows, known, deletions = self.rows(words, -1), self.biases(words), []
        for without in each_left_out(self.groups(-1), self.instrument.pairs):
            deleted = np.stack([self._quietly(rows, groups) for groups in without])
            deletions.append(np.where(np.isnan(deleted), known, self._clipped(deleted)))
        return deletions

    def biases_over_documents(self, words: Sequence[str]) -> Array:
        """Return the biases with vectors from each resample of documents, (r, m)."""
        draws = 0 if self._resampled is None else len(self._resampled)
        if not draws:
            return np.empty((0, len(words)))
        return self._clipped(
            np.stack([self._quietly(self.rows(words, i), self.groups(i)) for i in range(draws)])
        )

    def _quietly(self, rows: Array, groups: Sequence[Array]) -> Array:
        with warnings.catch_warnings(), np.errstate(invalid="ignore", divide="ignore"):
            warnings.simplefilter("ignore")  # values outside the range become NaN
            return self.instrument.function(rows, groups)

    def _clipped(self, biases: Array) -> Array:
        return np.clip(biases, self.instrument.low, self.instrument.high)

    def of(self, draw: int, places: Sequence[Array] | None = None) -> Array:
        """Return the biases, with only the group words at some places."""
        groups = self.groups(draw)
        if places is not None:
            groups = [group[at] for group, at in zip(groups, places, strict=True)]
        return self.of_groups(groups, draw)

    @property
    def sizes(self) -> list[int]:
        """Number of units in each list that is resampled: words, or pairs of them."""
        sizes = [len(words) for words in self.lists]
        return sizes[:1] if self.instrument.pairs else sizes

    def samples(self) -> Array:
        """Return (draws, n) biases with resampled group words, the same for the same words."""
        words = [word for group in self.lists for word in group]
        of_table3 = [word for word in lists()["gender"].all if word in {*words}]
        names = TABLE3 if words == of_table3 else ("group words", *words)
        rng = generator(self.seed, *names)
        counts = [rng.multinomial(m, np.full(m, 1 / m), size=DRAWS) for m in self.sizes]
        places = [[np.repeat(np.arange(len(n)), n) for n in part] for part in counts]
        draws = [[*part] for part in zip(*places, strict=True)]
        return self._many([d * (len(self.lists) // len(d)) for d in draws])

    def _many(self, draws: Sequence[list[Array]]) -> Array:
        with warnings.catch_warnings(), np.errstate(invalid="ignore", divide="ignore"):
            warnings.simplefilter(
                "ignore"
            )  # a resample may leave the range, even if the list does not
            return np.stack([self.of(i, places) for i, places in enumerate(draws)])

    def chance(self) -> tuple[Array, Array]:
        """Return biases with permuted group words, (draws, n), and p-values (n,)."""
        words = [word for group in self.lists for word in group]
        rng = generator(self.seed, "dealt", *words)
        together, ends = self.rows(words, -1), np.cumsum([len(group) for group in self.lists])[:-1]
        dealt = []
        with warnings.catch_warnings(), np.errstate(invalid="ignore", divide="ignore"):
            warnings.simplefilter("ignore")
            for _ in range(DRAWS):
                order = rng.permutation(len(words))
                dealt.append(self.of_groups([together[at] for at in np.split(order, ends)]))
        biases = np.stack(dealt)
        return biases, share_as_large(biases, self.values)

    def resampled(self, targets: int) -> str:
        """Return what the interval of a mean over `targets` targets resamples, in words."""
        units = []
        if max(self.sizes) >= fewest_units(self.instrument.pairs):
            units.append("pairs of group words" if self.instrument.pairs else "words of each group")
        units += ["documents"] * (self._resampled is not None) + ["targets"] * (targets > 1)
        return " and ".join(units) or "nothing (too few words)"

    def neighbours(self, sets: Sequence[Sequence[str]], others: Sequence[Others]) -> Array:
        """Return effect sizes of pairs of sets of neighbouring words that are like these sets."""
        if not others or min(map(len, sets)) < 2:
            return np.empty(0)
        words = others[0].words
        rng = generator(self.seed, "neighbouring sets", *map(str, map(len, sets)))
        rows = self.rows(words, -1)
        biases = self.biases(words)
        made = neighbouring_sets(rows, [self.rows(chosen, -1) for chosen in sets], rng)
        return np.array([effect_size(biases[x], biases[y]) for x, y in zip(*made, strict=True)])

    @property
    def leans(self) -> list[str]:
        """The group whose mean vector is nearest to each target."""
        nearest_one = cosine_matrix(
            self.rows(self.known.targets, -1), group_means(self.groups(-1))
        ).argmax(axis=1)
        names = list(self.known.groups)
        return [names[i] for i in nearest_one]

    @property
    def without_share(self) -> Array:
        """(n,) whether a target has no share."""
        rows = self.rows(self.known.targets, -1)
        return without_share(self.instrument, rows, self.groups(-1))


def without_share(measure: Measure, rows: Array, groups: Sequence[Array]) -> Array:
    """Return which rows have no share, (n,): an association is negative, or none is above 0."""
    shareless = measure.negative(rows, groups)
    if measure.divdist is not None and measure.options["normalize"] != "softmax":
        shareless |= (measure.divdist.strengths(rows, groups) <= SMALLEST).all(axis=1)
    return shareless


def fewest_units(pairs: bool) -> int:
    """Return how many words, or pairs, are needed to leave one out: a direction takes two pairs."""
    return 3 if pairs else 2


def each_left_out(groups: Sequence[Array], pairs: bool) -> Iterator[Iterator[list[Array]]]:
    """Yield, for each group that is resampled, the groups without each of its words, or pairs."""
    for own, group in enumerate(groups[:1] if pairs else groups):
        if len(group) >= fewest_units(pairs):
            yield (
                [
                    np.delete(other, at, axis=0) if pairs or i == own else other
                    for i, other in enumerate(groups)
                ]
                for at in range(len(group))
            )


def share_as_large(null: Array, values: Array) -> Array:
    """Return two-sided p-values: shares of draws (draws, ...) as far from 0 as `values` (...).

    NaN where a value is; draws that are NaN do not count.
    """
    as_large = np.abs(null) >= np.abs(values) - 1e-12
    shares = (1 + as_large.sum(axis=0)) / (1 + (~np.isnan(null)).sum(axis=0))
    return np.where(np.isnan(values), np.nan, shares)


def _mean(
    measured: _Measured, others: Sequence[Others], chance: Array | None
) -> tuple[dict[str, object], Array | None]:
    """Return fields of a result for the mean over targets, and the targets' percentiles.

    Args:
        measured: The measurement.
        others: Placebo words.
        chance: (draws, n) the biases with permuted group words, or None.
    """
    names, chosen = measured.known.targets, measured.instrument
    words = [*names, *(word for other in others for word in other.words)]
    values, without = measured.biases(words), measured.biases_without(words)
    over = measured.biases_over_documents(words)
    ends = np.cumsum([len(names), *(len(other.words) for other in others)])[:-1]
    known = ~np.isnan(values)
    own, *places = (at[known[at]] for at in np.split(np.arange(len(words)), ends))
    n = len(own)

    def difference(other: Array) -> Difference:
        """Return the mean of the targets less that of other words, by their places."""
        more = 0.0
        if len(over) > 1:
            means = mean_of_known(over[:, own])
            means = means - (mean_of_known(over[:, other]) if len(other) else 0.0)
            more = float(np.nanvar(means, ddof=1))
        pairs = [(deleted[:, own], deleted[:, other]) for deleted in without]
        level = measured.resampling.level
        return mean_difference(values[own], values[other], pairs, level, more)

    kinds = [
        (other.name, values[at], difference(at))
        for other, at in zip(others, places, strict=True)
        if n and len(at) > 1
    ]
    alone = difference(own[:0]) if n else UNKNOWN
    numbers = numbers_beside(values[own], alone, kinds, chosen, measured.seed)
    if chance is not None and n:
        dealt = mean_of_known(chance[:, own])
        if not kinds and not chosen.signed:
            numbers["null"] = float(np.nanmean(dealt))
        numbers |= {
            "p_words_exchanged": float(share_as_large(dealt, values[own].mean())),
            # This test is about these targets, not about others that might have been chosen.
            "words_exchanged": f"{PERMUTED} {'this target' if n == 1 else 'these targets'}",
            "dealt": dealt,
        }
    numbers |= {
        "statistic": "mean over targets" if len(names) > 1 else "bias",
        "direction": chosen.way(list(measured.known.groups)),
        "resampled": measured.resampled(n),
    }
    if not kinds:
        return numbers, None
    [first, *_] = places
    numbers["random_words"] = dict(
        zip((words[i] for i in first), values[first].tolist(), strict=True)
    )
    return numbers, percentiles(values[: len(names)], kinds[0][1])


def _effect(
    measured: _Measured, others: Sequence[Others], chance: Array | None
) -> tuple[dict[str, object], None]:
    """Return fields of a result for a WEAT's effect size; single words are not its null."""
    targets, level = measured.question.targets, measured.resampling.level
    in_sets = dict(zip(measured.known.targets, measured.values, strict=True))
    sets = [
        [word for word in dict.fromkeys(words) if word in in_sets]
        for words in targets.words.values()
    ]
    for name, words in zip(targets.words, sets, strict=True):
        if not words:
            raise UserError(f"targets: no word of {name} has a vector")
    x, y = (np.array([in_sets[word] for word in words]) for words in sets)
    first = np.isin(measured.known.targets, sets[0])
    dealt = None
    if chance is not None:
        dealt = [effect_size(biases[first], biases[~first]) for biases in chance]
    # Draws are named after the sets of a user's file, not after its path.
    test = "/".join(targets.words) if targets.source == GIVEN else targets.name
    number = sampled_effect_size(x, y, test, **vars(measured.resampling))
    p_value, exact = named_permutation_p(x, y, test, measured.seed)
    one, other = targets.words
    group = next(iter(measured.known.groups))
    numbers = vars(number) | {
        "null": 0.0,
        "statistic": "effect size",
        "direction": f"above 0: {one} is more associated with {group} than {other} is",
        "resampled": "target words of each set",
        "p_words_exchanged": p_value,
        "words_exchanged": "one-sided permutation test over targets, "
        + ("exact" if exact else "random"),
        "dealt": dealt,
    }
    null = measured.neighbours(sets, others)
    null = null[~np.isnan(null)]  # undefined if all words have the same association
    value = number.value
    if len(null) and not np.isnan(value):
        low, high = np.quantile(null, [0.025, 0.975]).tolist()
        reach = float(np.quantile(np.abs(null), level))
        most, share = largest_effect_size(len(x), len(y)), float(share_as_large(null, value))
        ends = max(value - reach, -most), min(value + reach, most)
        mean = float(null.mean())
        placebo = Placebo(NEIGHBOURS, len(null), mean, low, high, value, *ends, share)
        numbers |= {
            "placebos": (placebo,),
            "p_value": share,
            "test": f"two-sided, compared with {NEIGHBOURS}",
        }
    return numbers, None
