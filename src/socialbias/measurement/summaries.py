"""The numbers of all targets together, and where they lie among those of other words.

Vectors, models and texts have the same summary. A result is made of its fields.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from socialbias.measurement.estimates import Row, uncertain
from socialbias.measurement.topics import (
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
from socialbias.measures.registry import Measure
from socialbias.measures.weat import effect_size, sampled_effect_size
from socialbias.stats.draws import widened
from socialbias.stats.seeding import generator
from socialbias.stats.similarity import Array

FEWEST_PAIRS = 5  # targets with a number, for a rank correlation
NEIGHBOURS = "pairs of sets of neighbouring words, as large and as coherent as these"
NO_SHARE = "an association is negative, or none is above 0, so there is no share"


def summarise(
    values: Mapping[str, float], measure: Measure, seed: int, level: float, drawn: Array | None
) -> dict[str, object]:
    """Return the statistic of the targets, its interval, and its value without bias.

    `drawn` are the numbers (draws, n) in resamples of what else was sampled, such as documents.
    """
    text, of = statistic(measure)
    numbers = np.array([*values.values()])
    low, high = over_targets(numbers, [*values], of, seed, level, drawn)
    return {
        "statistic": text,
        "value": float(of(numbers)) if len(numbers) else np.nan,
        "low": max(low, measure.low),
        "high": min(high, measure.high),
        "null": 0.0 if measure.signed else np.nan,
    }


def rank_among(
    words: Mapping[str, float],
    among: str,
    values: Mapping[str, float],
    vectors: Sequence[Array],
    measure: Measure,
    sets: Sequence[Sequence[str]],
    against: Mapping[str, float],
    seed: int,
) -> dict[str, object]:
    """Return the fields of a result that say where targets lie among other words.

    Args:
        words: The number of each other word.
        among: What these words are, for a sentence.
        values: The number of each target.
        vectors: Those of the targets and of the other words, by which words are of one topic; not
            read for one target.
        measure: What was measured.
        sets: The lists of targets; two are contrasted.
        against: Another number of each target; the order is compared.
        seed: Random seed.
    """
    rng, fields = generator(seed, "topics", len(values)), {"random_words": dict(words)}
    numbers, others = np.array([*values.values()]), np.array([*words.values()])
    if len(values) > 1:
        controls = control_sets(*vectors, rng)
        found = list(answers(numbers, others, controls, measure))
        fields["coherence"] = controls.coherence
    else:
        found = [answer("value", float(numbers[0]), among, others, measure.signed)]
    found += _contrasts(values, sets, against, rng)
    return fields | of_first(found)


def _contrasts(
    values: Mapping[str, float],
    sets: Sequence[Sequence[str]],
    against: Mapping[str, float],
    rng: np.random.Generator,
) -> Iterator[Answer]:
    """Yield how two lists of targets differ, and how they are ordered by another number."""
    known = [[values[word] for word in words if word in values] for words in sets]
    if len(known) == 2 and all(known):
        yield contrast(*map(np.array, known), rng)
    pairs = [(values[word], against[word]) for word in values if word in against]
    if len(pairs) >= FEWEST_PAIRS:
        yield order(*np.array(pairs).T, rng)


def over_halves(
    bias: VectorBias, chosen: Array, words: Sequence[str]
) -> tuple[float, float, int, int] | tuple[()]:
    """Return the range of the statistic, and of targets outside, with halves of the group words.

    `chosen` are the places of the targets that count. It is empty where a group has one word, or
    one pair.
    """
    if min(bias.sizes) < 2 * fewest_units(bias.measure.pairs) - 2:
        return ()
    _, of = statistic(bias.measure)
    numbers, counts = [], []
    for values, known in bias.with_halves(words):
        numbers.append(float(of(values[chosen])))
        counts.append(int(is_outside(values[chosen], known, bias.measure.signed).sum()))
    return (*np.quantile(numbers, [0.05, 0.95]).tolist(), min(counts), max(counts))


def vector_rows(
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


def summarise_weat(
    bias: VectorBias,
    sets: Sequence[Sequence[str]],
    name: str,
    words: Sequence[str],
    dealt: Array | None,
    resampling: Mapping[str, object],
) -> dict[str, object]:
    """Return the fields of a result for the effect size of two sets of targets.

    Single words are not its null, but sets of neighbouring `words`, none without these. Draws are
    called by the name; `dealt` are the biases (draws, n) with permuted group words, if they were.
    """
    biases, seed = dict(zip(bias.targets, bias.values, strict=True)), resampling["seed"]
    x, y = (np.array([biases[word] for word in chosen]) for chosen in sets)
    first, drawn = np.isin(bias.targets, sets[0]), () if dealt is None else dealt
    number = sampled_effect_size(x, y, name, **resampling)
    fields = vars(number) | {
        "null": 0.0,
        "statistic": "effect size",
        "resampled": "target words of each set",
        "dealt": [effect_size(each[first], each[~first]) for each in drawn] or None,
    }
    if not len(words) or min(map(len, sets)) < 2 or np.isnan(number.value):
        return fields
    rng = generator(seed, "neighbouring sets", *map(str, map(len, sets)))
    null = bias.neighbours(words, sets, rng)
    null = null[~np.isnan(null)]  # undefined if all words have the same association
    if not len(null):
        return fields
    found = answer("effect size", number.value, NEIGHBOURS, null, True)
    return fields | {
        "answers": (found,),
        "p_value": found.p_value,
        "test": f"rank among {NEIGHBOURS}",
    }
