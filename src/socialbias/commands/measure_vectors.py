"""Bias in word vectors, or in a model's representations of words: from words to a result."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np

from socialbias.commands.result import Result
from socialbias.commands.settings import Question
from socialbias.embeddings.vectors import WordVectors
from socialbias.embeddings.words.lists import GIVEN, lists
from socialbias.errors import UserError
from socialbias.measurement.estimates import mean_of_known, rank_among_words
from socialbias.measurement.group_words import direction
from socialbias.measurement.instruments import instrument
from socialbias.measurement.known_words import VECTOR_ROUNDING, KnownWords, find_words, some
from socialbias.measurement.random_words import AS_GIVEN, NAMES, Baseline, far_from_groups
from socialbias.measurement.reliability import fields
from socialbias.measurement.summaries import (
    over_halves,
    rank_among,
    summarise,
    summarise_weat,
    vector_rows,
)
from socialbias.measurement.topics import NO_TOPICS, RANDOM, statistic
from socialbias.measurement.vectors import VectorBias
from socialbias.measures.placebo import WANTED_WORDS, cohesion
from socialbias.measures.weat import words_counted
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


def measure_words(
    vectors: WordVectors,
    question: Question,
    in_templates: Array | None = None,
    vocabulary: Iterable[str] = (),
    others: Baseline | None = None,
    tested: bool = False,
) -> Result:
    """Compute the bias of each target, and of all together among control sets of other words.

    A model has (t, n, d) vectors of the n words, by template. Misspelt words may mean one of the
    vocabulary, the most frequent first. With `tested`, group words are permuted.
    """
    chosen, level = question.measure, question.resampling.level
    if chosen.name == "weat" and len(question.targets.words) != 2:
        problem = "a WEAT needs two sets of targets, such as family-career"
        raise UserError(f"targets {question.targets.name}: {problem}, or a file of two [sections]")
    known = find_words(vectors, question.groups, question.targets, chosen.pairs, vocabulary)
    words_of_groups = list(known.groups.values())
    random = None if others is None else far_from_groups(others, [vectors], words_of_groups)
    notes = []
    if random is not None and len(random.words) < random.fewest:
        few = f"only {len(random.words)} {random.name}: too few to compare the targets with"
        random, notes = None, [few]
    if chosen.name == "position" and random is None:
        few = (notes or [NO_WORDS])[0]
        if question.named:
            advice = "use more words, name words with --baseline, or use --measure directed"
            raise UserError(f"{few}: {advice}")
        chosen = instrument(
            "directed" if len(words_of_groups) == 2 else "divdist", len(words_of_groups)
        )
        notes = [f"{few}, so that shares are measured, not positions (--baseline names words)"]
    bias = VectorBias(vectors, known.targets, words_of_groups, chosen, in_templates, random=random)
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
        rows_resampled="words of each group" + " and templates" * (in_templates is not None),
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
        yield f"the groups cannot be distinguished from random words: {found.sentence}"
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
            "little about these; compare names with names (--baseline first-names)"
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
    bias: VectorBias, question: Question, random: Baseline | None, dealt: Array | None
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
    if bias.resampled is not None and len(own):
        _, of = statistic(measure)
        single = [float(of(bias.in_draw(i)[own])) for i in range(len(bias.resampled))]
        numbers["by_templates"] = (min(single), max(single))
    if random is None or not len(own):
        return numbers, []
    biases = bias.biases(random.words)
    others = {w: float(x) for w, x in zip(random.words, biases, strict=True) if not np.isnan(x)}
    if len(others) < AS_GIVEN:
        return numbers, []
    several, sets = len(own) > 1, [*question.targets.words.values()]
    units = bias.units([*values], [*others]) if several else ()
    numbers |= rank_among(others, random.name, values, units, measure, sets, question.against, seed)
    numbers["by_halves"] = over_halves(bias, own, [*others]) if several else ()
    return numbers, rank_among_words(known, np.array([*others.values()]), measure.signed)


def _effect(
    bias: VectorBias, question: Question, random: Baseline | None, dealt: Array | None
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
