"""Bias in word vectors, or in a model's representations of words: from words to a result."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from socialbias.commands.result import Result, guessed, shared_words, some
from socialbias.commands.settings import FEWEST_PAIRS, Question
from socialbias.embeddings.vectors import WordVectors
from socialbias.embeddings.words.languages import primary
from socialbias.embeddings.words.lists import GIVEN, WordLists, list_meant, lists
from socialbias.errors import UserError
from socialbias.measurement.estimates import Row, beside_words, mean_of_known, uncertain
from socialbias.measurement.group_words import direction
from socialbias.measurement.instruments import instrument
from socialbias.measurement.random_words import AS_GIVEN, NAMES, Others
from socialbias.measurement.reliability import fields
from socialbias.measurement.spelling import meant
from socialbias.measurement.topics import (
    NO_TOPICS,
    RANDOM,
    Answer,
    answer,
    answers,
    contrast,
    control_sets,
    is_outside,
    of_first,
    order,
    over_targets,
    statistic,
)
from socialbias.measurement.vectors import VectorBias, fewest_units
from socialbias.measures.placebo import MIN_WORDS, WANTED_WORDS, are_near, cohesion
from socialbias.measures.weat import (
    effect_size,
    named_permutation_p,
    sampled_effect_size,
    words_counted,
)
from socialbias.stats.draws import DRAWS, widened
from socialbias.stats.seeding import generator
from socialbias.stats.similarity import Array, unit_rows

NO_DIRECTION = {  # by whether the measure takes pairs
    True: "the vectors of all pairs have the same difference, or none, so there is no direction to "
    "measure along: add pairs, or use another measure",
    False: "all words lie at one place, or the groups have one mean, so there is no direction to "
    "measure along",
}
TABLE3 = ("table3", "word2vec", "released-code")  # what the draws of its group words are named
NEIGHBOURS = "pairs of sets of neighbouring words, as large and as coherent as these"
ALIKE = 0.9  # mean cosine of random words, above which a space is collapsed
NO_WORDS = "no words to compare the targets with"
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
    others: Others | None = None,
    tested: bool = False,
) -> Result:
    """Compute the bias of each target, and of all together among control sets of other words.

    There may be (r, n, d) vectors of the n words from resampled documents. Misspelt words may mean
    one of the vocabulary, the most frequent first. With `tested`, group words are permuted.
    """
    chosen, level = question.measure, question.resampling.level
    if chosen.name == "weat" and len(question.targets.words) != 2:
        problem = "a WEAT needs two sets of targets, such as family-career"
        raise UserError(f"targets {question.targets.name}: {problem}, or a file of two [sections]")
    known = find(vectors, question.groups, question.targets, chosen.pairs, vocabulary)
    words_of_groups = list(known.groups.values())
    random, notes = _random_words(vectors, words_of_groups, others)
    if chosen.name == "position" and random is None:
        few = (notes or [NO_WORDS])[0]
        if question.named:
            advice = "use more words, name words with --placebo, or use --measure directed"
            raise UserError(f"{few}: {advice}")
        chosen = instrument(
            "directed" if len(words_of_groups) == 2 else "divdist", len(words_of_groups)
        )
        notes = [f"{few}, so that shares are measured, not positions (--placebo names words)"]
    bias = VectorBias(vectors, known.targets, words_of_groups, chosen, resampled, random=random)
    for name, matrix in zip(known.groups, bias.groups(), strict=True):
        mean, rounding = matrix.mean(axis=0), VECTOR_ROUNDING * np.abs(matrix).max()
        if chosen.divdist and np.abs(mean).max() <= rounding:
            problem = "its vectors cancel each other out, so that their mean has no direction"
            raise UserError(f"group {name}: {problem}: use another measure, such as association")
    if (chosen.pairs or chosen.name == "position") and np.isnan(bias.values).all():
        raise UserError(f"groups {question.groups.name}: {NO_DIRECTION[chosen.pairs]}")
    if random is not None:
        notes += _cautions(bias, vectors.rows(random.words), question)
    in_groups, seed = [w for words in words_of_groups for w in words], question.resampling.seed
    # Draws are the same for the same words, and those of Table 3's words the same as there.
    of_table3 = in_groups == [word for word in lists()["gender"].all if word in {*in_groups}]
    names = TABLE3 if of_table3 else ("group words", *in_groups)
    samples = bias.samples(generator(seed, *names), DRAWS)
    dealt = bias.shuffled(DRAWS, generator(seed, "dealt", *in_groups)) if tested else None
    numbers, rows = (_effect if chosen.name == "weat" else _summary)(bias, question, random, dealt)
    kept, first = np.flatnonzero(~bias.without_share), []
    if any(each.among == RANDOM for each in numbers.get("answers", ())[:1]):
        first.append(NO_TOPICS)
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
        rows_resampled="words of each group" + " and documents" * (resampled is not None),
        reliability_of="ranking of the targets by random halves of the group words",
        citation=chosen.citation,
        rows=tuple(_rows(bias, list(known.groups), level, samples, rows)),
        notes=(*first, *known.notes, *notes),
        draws=samples,
        meant=known.meant,
        **numbers,
    )


def _cautions(bias: VectorBias, random: Array, question: Question) -> Iterator[str]:
    """Yield notes on groups without a direction, on a collapsed space, and on first names."""
    rng = generator(question.resampling.seed, "group words", *question.groups.words)
    found = direction(bias.groups(), random[:WANTED_WORDS], rng)
    if found is not None and not found.is_found:
        yield f"the groups cannot be told from random words: {found.sentence}"
    if (alike := float(cohesion(unit_rows(random)))) > ALIKE:
        yield (
            f"all words look alike here (mean cosine of random words {alike:.3f}): positions "
            "compare what little tells them apart; see another layer"
        )
    names = {name.lower() for name in lists()[NAMES].all}
    named = [word for word in bias.targets if word.lower() in names]
    if named and question.measure.name != "weat":
        yield (
            f"first names among the targets ({some(named)}): many names lie far out, which says "
            "little of these; compare names with names (--placebo first-names)"
        )


def _random_words(
    vectors: WordVectors, groups: Sequence[Sequence[str]], others: Others | None
) -> tuple[Others | None, list[str]]:
    """Return the words to compare the targets with, or None and a note if they are too few.

    Neighbours of group words are left out of those that were drawn.
    """
    if others is None:
        return None, []
    words = vectors.known(others.words)
    if others.drawn and words:
        near = are_near(vectors.rows(words), [vectors.rows(group) for group in groups])
        words = [word for word, is_near in zip(words, near, strict=True) if not is_near]
    if len(words) < (MIN_WORDS if others.drawn else AS_GIVEN):
        return None, [f"only {len(words)} {others.name}: too few to compare the targets with"]
    return replace(others, words=words), []


def _counts(known: KnownWords, question: Question) -> dict[str, object]:
    """Count the words that have a vector: targets, or all words of a WEAT's four sets."""
    if question.measure.name != "weat":
        return {"n": len(known.targets), "n_of": len(question.targets.all), "n_unit": "targets"}
    targets = set(known.targets)
    counts = [(len(targets & {*words}), len(words)) for words in question.targets.words.values()]
    counts += [(len(known.groups[name]), len(w)) for name, w in question.groups.words.items()]
    return words_counted(counts)


def _rows(
    bias: VectorBias, groups: Sequence[str], level: float, samples: Array, beside: Sequence[dict]
) -> Iterator[Row]:
    """Yield the row of each target; `beside` are fields of each from the random words, if any."""
    draws = widened(samples, bias.values, *bias.sizes)
    bounds = (bias.measure.low, bias.measure.high)
    shareless, nearest = bias.without_share, [groups[i] for i in bias.nearest_groups]
    if bias.measure.name == "position" and len(groups) == 2:
        nearest = [groups[int(value < 0)] for value in bias.values]
    for i, target in enumerate(bias.targets):
        if shareless[i]:
            yield Row(target, np.nan, np.nan, np.nan, nearest[i], note=NO_SHARE)
            continue
        number = uncertain(bias.values[i], draws[:, i], level, bounds)
        own = beside[i] if beside else {}
        yield Row(target, number.value, number.low, number.high, nearest[i], **own)


def _summary(
    bias: VectorBias, question: Question, random: Others | None, dealt: Array | None
) -> tuple[dict[str, object], list[dict]]:
    """Return fields of a result for all targets together, and of the rows.

    `dealt` are the biases (draws, n) with permuted group words, if they were.
    """
    measure, seed, level = bias.measure, question.resampling.seed, question.resampling.level
    known = np.where(bias.without_share, np.nan, bias.values)
    own = np.flatnonzero(~np.isnan(known))
    values, names = known[own], [bias.targets[i] for i in own]
    text, of = statistic(measure)
    low, high = over_targets(values, names, of, seed, level)
    numbers: dict[str, object] = {
        "value": float(of(values)) if len(own) else np.nan,
        "low": max(low, measure.low),
        "high": min(high, measure.high),
        "null": 0.0 if measure.signed else np.nan,
        "statistic": text if len(bias.targets) > 1 else measure.name,
        "direction": f"of a word, {measure.way(list(question.groups.words))}",
        "resampled": "targets" if len(own) > 1 else "nothing (one target)",
        "dealt": None if dealt is None else mean_of_known(dealt[:, own]),
    }
    if len(own) == 1:  # what else was sampled are the words of groups
        numbers["value"] = float(values[0])
    if random is None or not len(own):
        return numbers, []
    biases = bias.biases(random.words)
    there = np.flatnonzero(~np.isnan(biases))
    if len(there) < AS_GIVEN:
        return numbers, []
    words, others = [random.words[i] for i in there], biases[there]
    rng = generator(seed, "topics", len(own))
    if len(own) > 1:
        controls = control_sets(*bias.units(names, words), rng)
        found = list(answers(values, others, controls, measure))
        numbers["coherence"] = controls.coherence
    else:
        found = [answer("place", float(values[0]), random.name, others, measure.signed)]
    found += contrasts(question, dict(zip(names, values.tolist(), strict=True)), rng)
    numbers |= of_first(found) | {
        "random_words": dict(zip(words, others.tolist(), strict=True)),
        "by_halves": _by_halves(bias, own, words, of) if len(own) > 1 else (),
    }
    return numbers, beside_words(known, others, measure.signed)


def contrasts(
    question: Question, values: Mapping[str, float], rng: np.random.Generator
) -> Iterator[Answer]:
    """Yield how two lists of targets differ, and how they are ordered beside other numbers."""
    sets = [
        [values[word] for word in words if word in values]
        for words in question.targets.words.values()
    ]
    if len(sets) == 2 and all(sets):
        yield contrast(*map(np.array, sets), rng)
    known = [word for word in values if word in question.against]
    if len(known) >= FEWEST_PAIRS:
        numbers = np.array([[values[word], question.against[word]] for word in known])
        yield order(*numbers.T, rng)


def _by_halves(
    bias: VectorBias, own: Array, words: Sequence[str], of: Callable[[Array], Array]
) -> tuple[float, float, int, int]:
    """Return the range of the number, and of words outside, with random halves of the groups.

    It is empty where a group has one word, or one pair.
    """
    if min(bias.sizes) < 2 * fewest_units(bias.measure.pairs) - 2:
        return ()
    numbers, counts = [], []
    for values, known in bias.with_halves(words):
        numbers.append(float(of(values[own])))
        counts.append(int(is_outside(values[own], known, bias.measure.signed).sum()))
    return (*np.quantile(numbers, [0.05, 0.95]).tolist(), min(counts), max(counts))


def _effect(
    bias: VectorBias, question: Question, random: Others | None, chance: Array | None
) -> tuple[dict[str, object], list[dict]]:
    """Return fields of a result for a WEAT's effect size; single words are not its null."""
    targets, seed = question.targets, question.resampling.seed
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
    if random is None or min(map(len, sets)) < 2 or np.isnan(number.value):
        return numbers, []
    rng = generator(seed, "neighbouring sets", *map(str, map(len, sets)))
    null = bias.neighbours(random.words, sets, rng)
    null = null[~np.isnan(null)]  # undefined if all words have the same association
    if len(null):
        found = answer("effect size", number.value, NEIGHBOURS, null, True)
        numbers |= {"answers": (found,), "p_value": found.p_value}
        numbers["test"] = f"rank among {NEIGHBOURS}"
    return numbers, []
