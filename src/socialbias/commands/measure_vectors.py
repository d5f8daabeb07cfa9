"""Bias in word vectors, or in a model's representations of words: from words to a result."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from socialbias.commands.result import Result, guessed, shared_words, some
from socialbias.commands.settings import Question
from socialbias.embeddings.vectors import WordVectors
from socialbias.embeddings.words.languages import primary
from socialbias.embeddings.words.lists import GIVEN, WordLists, list_meant, lists
from socialbias.errors import UserError
from socialbias.measurement.estimates import beside_words, mean_of_known
from socialbias.measurement.group_words import direction
from socialbias.measurement.instruments import instrument
from socialbias.measurement.random_words import AS_GIVEN, NAMES, Others, far_from_groups
from socialbias.measurement.reliability import fields
from socialbias.measurement.spelling import meant
from socialbias.measurement.summaries import (
    over_halves,
    rank_among,
    summarise,
    summarise_weat,
    vector_rows,
)
from socialbias.measurement.topics import (
    NO_TOPICS,
    RANDOM,
)
from socialbias.measurement.vectors import VectorBias
from socialbias.measures.placebo import WANTED_WORDS, cohesion
from socialbias.measures.weat import (
    words_counted,
)
from socialbias.stats.draws import DRAWS
from socialbias.stats.seeding import generator
from socialbias.stats.similarity import Array, unit_rows

NO_DIRECTION = {  # by whether the measure takes pairs
    True: "the vectors of all pairs have the same difference, or none, so there is no direction to "
    "measure along: add pairs, or use another measure",
    False: "all words lie at one place, or the groups have one mean, so there is no direction to "
    "measure along",
}
TABLE3 = ("table3", "word2vec", "released-code")  # what the draws of its group words are named
ALIKE = 0.9  # mean cosine of random words, above which a space is collapsed
NO_WORDS = "no words to compare the targets with"
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
    random = None if others is None else far_from_groups(others, [vectors], words_of_groups)
    notes = []
    if random is not None and len(random.words) < random.fewest:
        few = f"only {len(random.words)} {random.name}: too few to compare the targets with"
        random, notes = None, [few]
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
        rows=tuple(vector_rows(bias, list(known.groups), level, samples, rows)),
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


def _counts(known: KnownWords, question: Question) -> dict[str, object]:
    """Count the words that have a vector: targets, or all words of a WEAT's four sets."""
    if question.measure.name != "weat":
        return {"n": len(known.targets), "n_of": len(question.targets.all), "n_unit": "targets"}
    targets = set(known.targets)
    counts = [(len(targets & {*words}), len(words)) for words in question.targets.words.values()]
    counts += [(len(known.groups[name]), len(w)) for name, w in question.groups.words.items()]
    return words_counted(counts)


def _summary(
    bias: VectorBias, question: Question, random: Others | None, dealt: Array | None
) -> tuple[dict[str, object], list[dict]]:
    """Return fields of a result for all targets together, and of the rows.

    `dealt` are the biases (draws, n) with permuted group words, if they were.
    """
    measure, seed, level = bias.measure, question.resampling.seed, question.resampling.level
    known = np.where(bias.without_share, np.nan, bias.values)
    own = np.flatnonzero(~np.isnan(known))
    values = {bias.targets[i]: float(known[i]) for i in own}
    numbers = summarise(values, measure, seed, level, None) | {
        "direction": f"of a word, {measure.way(list(question.groups.words))}",
        "resampled": "targets" if len(own) > 1 else "nothing (one target)",
        "dealt": None if dealt is None else mean_of_known(dealt[:, own]),
    }
    if len(bias.targets) == 1:
        numbers["statistic"] = measure.name
    if len(own) == 1:  # what else was sampled are the words of groups
        numbers["value"] = next(iter(values.values()))
    if random is None or not len(own):
        return numbers, []
    biases = bias.biases(random.words)
    others = {w: float(x) for w, x in zip(random.words, biases, strict=True) if not np.isnan(x)}
    if len(others) < AS_GIVEN:
        return numbers, []
    several, sets = len(own) > 1, [*question.targets.words.values()]
    spaces = bias.units([*values], [*others]) if several else ()
    numbers |= rank_among(
        others, random.name, values, spaces, measure, sets, question.against, seed
    )
    numbers["by_halves"] = over_halves(bias, own, [*others]) if several else ()
    return numbers, beside_words(known, np.array([*others.values()]), measure.signed)


def _effect(
    bias: VectorBias, question: Question, random: Others | None, dealt: Array | None
) -> tuple[dict[str, object], list[dict]]:
    """Return the same for a WEAT."""
    targets = question.targets
    sets = [
        [word for word in dict.fromkeys(words) if word in bias.targets]
        for words in targets.words.values()
    ]
    for name, words in zip(targets.words, sets, strict=True):
        if not words:
            raise UserError(f"targets: no word of {name} has a vector")
    # Draws are named after the sets of a user's file, not after its path.
    test = "/".join(targets.words) if targets.source == GIVEN else targets.name
    words, (one, other) = () if random is None else random.words, targets.words
    direction = f"{one} is more associated with {next(iter(question.groups.words))} than {other} is"
    fields = summarise_weat(bias, sets, test, words, dealt, vars(question.resampling))
    return fields | {"direction": f"above 0: {direction}"}, []
