"""Bias in word vectors, or in a model's representations of words: from words to a result."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from socialbias.commands.result import Result, guessed, shared_words, some
from socialbias.commands.settings import Question
from socialbias.embeddings.vectors import WordVectors
from socialbias.embeddings.words.languages import primary
from socialbias.embeddings.words.lists import GIVEN, WordLists, list_meant, lists
from socialbias.errors import UserError
from socialbias.measurement.estimates import (
    Placebo,
    Row,
    mean_of_known,
    numbers_beside,
    percentiles,
    uncertain,
)
from socialbias.measurement.random_words import AS_GIVEN, Others
from socialbias.measurement.reliability import fields
from socialbias.measurement.spelling import meant
from socialbias.measurement.vectors import VectorBias, fewest_units, share_as_large
from socialbias.measures.placebo import MIN_WORDS
from socialbias.measures.weat import (
    effect_size,
    largest_effect_size,
    named_permutation_p,
    sampled_effect_size,
    words_counted,
)
from socialbias.stats.draws import DRAWS, widened
from socialbias.stats.seeding import generator
from socialbias.stats.similarity import Array

PERMUTED = "two-sided permutation test over group words, for"
TABLE3 = ("table3", "word2vec", "released-code")  # what the draws of its group words are named
NEIGHBOURS = "pairs of sets of neighbouring words, as large and as coherent as these"
NO_SHARE = "an association is negative, or none is above 0, so there is no share"
VECTOR_ROUNDING = 1e-6  # difference of vectors that is rounding, as a share of the largest number


@dataclass(frozen=True)
class KnownWords:
    """The words that have a vector, and those that have none."""

    targets: list[str]
    groups: dict[str, list[str]]
    missing: dict[str, list[str]]  # by list
    notes: list[str]  # such as on lists of which less than half have a vector
    meant: dict[str, str]  # the word that was probably meant, by missing word


def find(
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


def vectors_result(
    vectors: WordVectors,
    question: Question,
    resampled: Array | None = None,
    vocabulary: Iterable[str] = (),
    others: Sequence[Others] = (),
    tested: bool = True,
) -> Result:
    """Compute the bias of each target, and their mean.

    There may be (r, n, d) vectors of the n words from resampled documents. Misspelt words may mean
    one of the vocabulary, the most frequent first. The first placebo words among the others are the
    null; for a WEAT, sets of neighbours are made of them. With `tested`, group words are permuted.
    """
    chosen, level = question.measure, question.resampling.level
    weat = chosen.name == "weat"
    if weat and len(question.targets.words) != 2:
        problem = "a WEAT needs two sets of targets, such as family-career"
        raise UserError(f"targets {question.targets.name}: {problem}, or a file of two [sections]")
    known = find(vectors, question.groups, question.targets, chosen.pairs, vocabulary)
    words_of_groups = list(known.groups.values())
    bias = VectorBias(vectors, known.targets, words_of_groups, chosen, resampled)
    for name, matrix in zip(known.groups, bias.groups(), strict=True):
        mean, rounding = matrix.mean(axis=0), VECTOR_ROUNDING * np.abs(matrix).max()
        if chosen.divdist and np.abs(mean).max() <= rounding:
            problem = "its vectors cancel each other out, so that their mean has no direction"
            raise UserError(f"group {name}: {problem}: use another measure, such as association")
    if chosen.pairs and np.isnan(bias.values).all():
        raise UserError(
            f"groups {question.groups.name}: the vectors of all pairs have the same difference, or "
            "none, so there is no direction to measure along: add pairs, or use another measure"
        )
    others, notes = _usable(bias, others)
    in_groups, seed = [w for words in words_of_groups for w in words], question.resampling.seed
    # Draws are the same for the same words, and those of Table 3's words the same as there.
    of_table3 = in_groups == [word for word in lists()["gender"].all if word in {*in_groups}]
    names = TABLE3 if of_table3 else ("group words", *in_groups)
    samples = bias.samples(generator(seed, *names), DRAWS)
    chance = shares = None
    if tested and chosen.shuffled:
        chance = bias.shuffled(DRAWS, generator(seed, "dealt", *in_groups))
        shares = share_as_large(chance, bias.values)
    numbers, places = (_effect if weat else _mean)(bias, question, others, chance)
    kept = np.flatnonzero(~bias.without_share)
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
        **fields(bias.reliability(level, kept)),
        reliability_of="ranking of the targets by random halves of the group words",
        citation=chosen.citation,
        rows=tuple(_rows(bias, list(known.groups), level, samples, shares, places)),
        notes=(*first, *known.notes, *notes),
        draws=samples,
        meant=known.meant,
        **numbers,
    )


def _usable(bias: VectorBias, others: Sequence[Others]) -> tuple[list[Others], list[str]]:
    """Return the placebo words that have vectors, and notes on those that are too few."""
    kept, notes = [], []
    for other in others:
        words = bias.far(other.words) if other.drawn else bias.known(other.words)
        if len(words) >= (MIN_WORDS if other.drawn else AS_GIVEN):
            kept.append(replace(other, words=words))
        elif other is others[0]:
            notes.append(f"only {len(words)} {other.name}: too few to compare the targets with")
    return kept, notes


def _counts(known: KnownWords, question: Question) -> dict[str, object]:
    """Count the words that have a vector: targets, or all words of a WEAT's four sets."""
    if question.measure.name != "weat":
        return {"n": len(known.targets), "n_of": len(question.targets.all), "n_unit": "targets"}
    targets = set(known.targets)
    counts = [(len(targets & {*words}), len(words)) for words in question.targets.words.values()]
    counts += [(len(known.groups[name]), len(w)) for name, w in question.groups.words.items()]
    return words_counted(counts)


def _rows(
    bias: VectorBias,
    groups: Sequence[str],
    level: float,
    samples: Array,
    shares: Array | None,
    places: Array | None,
) -> Iterator[Row]:
    """Yield the row of each target; `places` are percentiles among the placebo words."""
    draws = widened(samples, bias.values, *bias.sizes)
    bounds = (bias.measure.low, bias.measure.high)
    shareless, nearest = bias.without_share, [groups[i] for i in bias.nearest_groups]
    for i, target in enumerate(bias.targets):
        if shareless[i]:
            yield Row(target, np.nan, np.nan, np.nan, nearest[i], note=NO_SHARE)
            continue
        number = uncertain(bias.values[i], draws[:, i], level, bounds)
        yield Row(
            target,
            number.value,
            number.low,
            number.high,
            nearest[i],
            percentile=np.nan if places is None else float(places[i]),
            p_words_exchanged=np.nan if shares is None else float(shares[i]),
            detectable=number.detectable,
        )


def _mean(
    bias: VectorBias, question: Question, others: Sequence[Others], chance: Array | None
) -> tuple[dict[str, object], Array | None]:
    """Return fields of a result for the mean over targets, and the targets' percentiles.

    `chance` are the biases (draws, n) with permuted group words, if they were.
    """
    chosen, lists_ = bias.measure, [bias.targets, *(other.words for other in others)]
    (values, *of_others), (alone, *apart) = bias.compared(lists_, question.resampling.level)
    own = np.flatnonzero(~np.isnan(values))
    kinds = []
    for other, numbers, difference in zip(others, of_others, apart, strict=True):
        known = numbers[~np.isnan(numbers)]
        if len(own) and len(known) > 1:
            kinds.append((other.name, known, difference))
    numbers = numbers_beside(values[own], alone, kinds, chosen, question.resampling.seed)
    if chance is not None and len(own):
        dealt = mean_of_known(chance[:, own])
        if not kinds and not chosen.signed:
            numbers["null"] = float(np.nanmean(dealt))
        numbers |= {
            "p_words_exchanged": float(share_as_large(dealt, values[own].mean())),
            # This test is about these targets, not about others that might have been chosen.
            "words_exchanged": f"{PERMUTED} {'this target' if len(own) == 1 else 'these targets'}",
            "dealt": dealt,
        }
    units = []
    if max(bias.sizes) >= fewest_units(chosen.pairs):
        units.append("pairs of group words" if chosen.pairs else "words of each group")
    units += ["documents"] * (bias.resampled is not None) + ["targets"] * (len(own) > 1)
    numbers |= {
        "statistic": "mean over targets" if len(bias.targets) > 1 else "bias",
        "direction": chosen.way(list(question.groups.words)),
        "resampled": " and ".join(units) or "nothing (too few words)",
    }
    if not kinds:
        return numbers, None
    beside = zip(others[0].words, of_others[0].tolist(), strict=True)
    numbers["random_words"] = {word: number for word, number in beside if not np.isnan(number)}
    return numbers, percentiles(values, kinds[0][1])


def _effect(
    bias: VectorBias, question: Question, others: Sequence[Others], chance: Array | None
) -> tuple[dict[str, object], None]:
    """Return fields of a result for a WEAT's effect size; single words are not its null."""
    targets, level, seed = question.targets, question.resampling.level, question.resampling.seed
    in_sets = dict(zip(bias.targets, bias.values, strict=True))
    sets = [
        [word for word in dict.fromkeys(words) if word in in_sets]
        for words in targets.words.values()
    ]
    for name, words in zip(targets.words, sets, strict=True):
        if not words:
            raise UserError(f"targets: no word of {name} has a vector")
    x, y = (np.array([in_sets[word] for word in words]) for words in sets)
    first, drawn = np.isin(bias.targets, sets[0]), () if chance is None else chance
    dealt = [effect_size(biases[first], biases[~first]) for biases in drawn] or None
    # Draws are named after the sets of a user's file, not after its path.
    test = "/".join(targets.words) if targets.source == GIVEN else targets.name
    number = sampled_effect_size(x, y, test, **vars(question.resampling))
    p_value, exact = named_permutation_p(x, y, test, seed)
    one, other = targets.words
    group = next(iter(question.groups.words))
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
    null = np.empty(0)
    if others and min(map(len, sets)) > 1:
        rng = generator(seed, "neighbouring sets", *map(str, map(len, sets)))
        null = bias.neighbours(others[0].words, sets, rng)
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
