"""Audit of seed sets before anyone relies on them: section 8's factors, one by one.

Give it a word-list file and a corpus; get a line for each word and for each set, with warnings.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from socialbias.embeddings.vectors import WordVectors
from socialbias.measures.coherence import coherences, weat_direction
from socialbias.measures.similarity import cosine_matrix, unit_rows
from socialbias.papers.bad_seeds.inputs import (
    Corpus,
    SeedSet,
    fewest,
    in_places,
    known,
    over_models,
    too_few,
    unigrams,
)
from socialbias.papers.bad_seeds.pairs import SCALES, measured
from socialbias.reporting.values import write_csv
from socialbias.stats.intervals import percentile
from socialbias.stats.matching import matched_sets
from socialbias.stats.seeding import generator
from socialbias.words.files import read_word_list

Pairing = tuple[Sequence[str], Sequence[str]]
RARE = 20  # occurrences below which a vector is mostly noise
UNEVEN = 10.0  # ratio of median frequencies at which two sets are not comparable
ALIKE = 0.8  # set similarity from which on two sets are hard to tell apart
RANDOM_SETS = 200  # pairs of them: each ranks the whole vocabulary
SHOWN = 5  # alternative sets
WORD_COLUMNS = ["set", "word", "count", "per_million", "part_of_speech", "in_models", "to_own_set"]
WORD_COLUMNS += ["to_opposite", "opposite", "warnings"]


def audit_words(sets: Mapping[str, Sequence[str]], corpus: Corpus) -> pd.DataFrame:
    """Every word of every set, with what the paper's section 8 says to look at.

    Args:
        sets: Words by set, as written. With two sets each is the other's opposite.
        corpus: The corpus with its models.

    Returns:
        One row a word as written, repeats included: `set`, `word`, `count` and `per_million`
        (NaN without counts), `part_of_speech`, `in_models` (share of the models that have it),
        `to_own_set` (cosine to the mean of the rest of its set, mean over models), `to_opposite`
        (to the other set's mean), `opposite` (its name, "" without), `warnings`.
    """
    data = corpus
    total = sum(data.counts.values())
    rows = []
    for name, words in sets.items():
        opposite = _opposite(sets, name)
        here = in_places(words)
        other = unigrams(sets[opposite]) if opposite else ()
        near = [_nearness(model, unigrams(words), other) for model in data.models]
        listed, opposed = Counter(here), set(other)
        for word, clean in zip(words, here, strict=True):
            row = {
                "set": name,
                "word": word,
                "count": data.counts.get(clean, 0) if total else np.nan,
                "per_million": 1e6 * data.counts.get(clean, 0) / total if total else np.nan,
                "part_of_speech": data.tags.get(clean, ""),
                "in_models": _share(clean in model.index for model in data.models)
                if data.models
                else float(data.counts.get(clean, 0) > 0),
                "to_own_set": _mean(part.get(clean, (np.nan, np.nan))[0] for part in near),
                "to_opposite": _mean(part.get(clean, (np.nan, np.nan))[1] for part in near),
                "opposite": opposite,
            }
            rows.append(row | {"warnings": "; ".join(_word_warnings(row, clean, listed, opposed))})
    return pd.DataFrame(rows, columns=WORD_COLUMNS)


def _opposite(sets: Mapping[str, Sequence[str]], name: str) -> str:
    return next(other for other in sets if other != name) if len(sets) == 2 else ""


def _nearness(
    model: WordVectors, words: Sequence[str], other: Sequence[str]
) -> dict[str, tuple[float, float]]:
    """Cosine of each known word to the mean of the rest of its set and to the other set's."""
    here = list(dict.fromkeys(known(model, words)))
    if not here:
        return {}
    unit = unit_rows(model.rows(here))
    opposite = known(model, other)
    away = np.full(len(here), np.nan)
    if opposite:
        away = cosine_matrix(unit, unit_rows(model.rows(opposite)).mean(axis=0)[None])[:, 0]
    rest = unit.sum(axis=0) - unit  # the mean of the others points the same way as their sum
    own = np.full(len(here), np.nan)
    if len(here) > 1:
        own = (unit * unit_rows(rest)).sum(axis=1)
    return {word: (own[i], away[i]) for i, word in enumerate(here)}


def _word_warnings(
    row: dict, clean: str, listed: Mapping[str, int], opposed: set[str]
) -> list[str]:
    """What is questionable about one word, by how often its set has it and the opposite's words."""
    if not clean:
        return ["more than one word: no model of single words has it"]
    found = []
    if row["in_models"] == 0:
        found.append("not in the vocabulary")
    elif row["in_models"] < 1:
        found.append("missing in some bootstraps")
    if row["count"] < RARE:
        found.append(f"rare: under {RARE} occurrences")
    if listed[clean] > 1:
        found.append("listed more than once: it weighs more")
    if clean in opposed:
        found.append("in the opposite set too")
    if row["to_opposite"] > row["to_own_set"]:
        found.append("nearer to the opposite set than to its own")
    return found


def audit_sets(
    sets: Mapping[str, Sequence[str]],
    corpus: Corpus,
    published: Mapping[str, SeedSet],
    level: float,
    pairings: Sequence[Pairing] = (),
    seed: int | None = None,
) -> pd.DataFrame:
    """Every set as a whole.

    Args:
        sets: Words by set, as written.
        corpus: The corpus with its models.
        published: Seed sets by id, to find alternatives among.
        level: Coverage of the intervals.
        pairings: Published sets that are set against each other (`published_pairings`).
        seed: Of random sets, beside which coherence is judged; None draws none.

    Returns:
        One row a set: `set`, `words`, `n`, `n_of` (distinct seeds in the vocabulary of the model
        that has fewest, and asked for), `median_count`, `parts_of_speech` (such as `noun 7,
        adjective 1`), `opposite`, and with one: `coherence`, `similarity`, `explained` (each with
        `_low` and `_high`, over the bootstraps), `coherence_random` (what random sets of these
        sizes reach at most, at the level; NaN without a seed, or where they cannot be drawn);
        `alternatives` (ids of the nearest published
        sets that are not opposite, with set similarity and shared words), `warnings`.
    """
    models = corpus.models
    if len(sets) == 2:
        pairings = [*pairings, tuple(map(unigrams, sets.values()))]
    nearest = nearest_published(sets, models, published, pairings)
    against = _against(models, *map(in_places, sets.values()), level) if len(sets) == 2 else {}
    if seed is not None and not np.isnan(against.get("coherence", np.nan)):
        rng = generator(seed, "seed audit", *sets)
        both = [unigrams(words) for words in sets.values()]
        random = random_coherences(models, both, rng)
        against["coherence_random"] = float(percentile(random, level)[1])
    rows = []
    for name, words in sets.items():
        clean, opposite = unigrams(words), _opposite(sets, name)
        row = {"set": name, "words": len(words), **_coverage(corpus, clean)}
        row |= _frequency(corpus, clean)
        row["opposite"] = opposite
        row |= against
        row["alternatives"] = nearest[name]
        other = _frequency(corpus, unigrams(sets[opposite])) if opposite else {}
        row["warnings"] = "; ".join(_set_warnings(row, words, other.get("median_count", np.nan)))
        rows.append(row)
    return pd.DataFrame(rows)


def _coverage(corpus: Corpus, words: Sequence[str]) -> dict[str, int]:
    """Distinct words of the model that has fewest, or where none was trained of the corpus."""
    if not corpus.models:
        distinct = set(words)
        return {"n": len(distinct & corpus.counts.keys()), "n_of": len(distinct)}
    return min((fewest(model, words) for model in corpus.models), key=lambda c: c["n"])


def _frequency(corpus: Corpus, words: Sequence[str]) -> dict:
    """Median count and parts of speech of the distinct words."""
    distinct = list(dict.fromkeys(words))
    counts = [corpus.counts.get(word, 0) for word in distinct]
    tags = Counter(corpus.tags[word] for word in distinct if word in corpus.tags)
    kinds = sorted(tags.items(), key=lambda pair: (-pair[1], pair[0]))
    known_counts = bool(corpus.counts) and bool(counts)
    return {
        "median_count": float(np.median(counts)) if known_counts else np.nan,
        "parts_of_speech": ", ".join(f"{tag} {n}" for tag, n in kinds),
    }


def _against(
    models: Sequence[WordVectors], words: Sequence[str], other: Sequence[str], level: float
) -> dict[str, float]:
    """Coherence, similarity and explained variance with the opposite set, with intervals."""
    parts = [measured(model, [(words, other)]) for model in models]
    result = {}
    for name in ("coherence", "similarity", "explained"):
        numbers = [float(part[name].iloc[0]) for part in parts]
        found = over_models(numbers, level, *SCALES[name][1])
        result[name] = found["value"]
        result |= {f"{name}_low": found["ci_low"], f"{name}_high": found["ci_high"]}
    return result


def _set_warnings(row: dict, words: Sequence[str], other_median: float) -> list[str]:
    """What is questionable about a set."""
    found = [w for w in [too_few(row["n"], row["n_of"])] if w]
    bigrams = len(words) - len(unigrams(words))
    if bigrams:
        found.append(f"{bigrams} of {len(words)} are more than one word and are left out")
    counts = sorted((row["median_count"], other_median))
    if counts[0] > 0 and counts[1] / counts[0] >= UNEVEN:
        found.append(f"median frequencies differ {counts[1] / counts[0]:.0f} times")
    if row["parts_of_speech"].count(",") >= 1:
        found.append("mixed parts of speech")
    if row.get("similarity", -1) >= ALIKE:
        found.append("close to the opposite set: expect little")
    if "coherence_random" in row:
        found += _beside_random(row["coherence"], row["coherence_random"])
    return found


def _beside_random(coherence: float, random: float) -> list[str]:
    """Whether the two sets are no farther apart than random ones, in a list of a warning at most.

    A bar of its own for each size: few words are coherent along their own axis whatever they are.
    """
    if random != random:
        return ["too few other words for random sets, beside which coherence could be judged"]
    if coherence <= random:
        return ["the two sets are no farther apart than random words along their own axis"]
    return []


def random_coherences(
    models: Sequence[WordVectors], sets: Sequence[Sequence[str]], rng: np.random.Generator
) -> NDArray[np.float64]:
    """The coherence of random pairs of sets, as means over models like the sets' own.

    Args:
        models: Word vectors, the most frequent words first.
        sets: Words of the two sets. Random ones have as many words, of about the same frequency.
        rng: Source of randomness.

    Returns:
        (RANDOM_SETS,); empty where a set has no word in all models, or the vocabulary too few other
        words.
    """
    model, *others = models
    shared = set(model.words).intersection(*(other.index for other in others))
    places = [[model.index[word] for word in dict.fromkeys(s) if word in shared] for s in sets]
    allowed = np.array([i for i, w in enumerate(model.words) if w in shared and w.isalpha()], int)
    if not all(places) or not len(allowed):
        return np.empty(0)
    try:  # one at a time: where words are too few, the first one says so
        drawn = [matched_sets(allowed, places, 1, rng)[0] for _ in range(RANDOM_SETS)]
    except ValueError:
        return np.empty(0)
    found = []
    for each in models:
        rows = np.array([each.index.get(word, -1) for word in model.words])
        pairs = [(rows[first], rows[second]) for first, second in drawn]
        matrix = np.asarray(each.matrix)
        axes = [weat_direction(matrix[first], matrix[second]) for first, second in pairs]
        found.append(coherences(unit_rows(matrix), axes, pairs))
    return np.mean(found, axis=0)


def nearest_published(
    sets: Mapping[str, Sequence[str]],
    models: Sequence[WordVectors],
    published: Mapping[str, SeedSet],
    pairings: Sequence[Pairing] = (),
) -> dict[str, str]:
    """For each set the published sets that are most alike, as text.

    By set similarity in the first model; "" without a model or a word. Left out are a published set
    with the very same words, and those on the other side of a pairing: the words for women are near
    those for men, but no alternative to them.
    """
    if not models:
        return dict.fromkeys(sets, "")
    model = models[0]
    means, names = [], []
    for name, seeds in published.items():
        here = known(model, seeds.words)
        if here:
            means.append(unit_rows(model.rows(here)).mean(axis=0))
            names.append(name)
    sides = _Sides(pairings)
    published_sides = [sides.of(published[name].words) for name in names]
    result = {}
    for name, words in sets.items():
        clean = unigrams(words)
        here = known(model, clean)
        if not here or not names:
            result[name] = ""
            continue
        own = unit_rows(model.rows(here)).mean(axis=0)[None]
        cosines = cosine_matrix(own, np.stack(means))[0]
        order = np.argsort(-cosines, kind="stable")
        mine = sides.of(clean)
        others = [
            i
            for i in order
            if set(published[names[i]].words) != set(clean)
            and not _opposed(mine, published_sides[i])
        ][:SHOWN]
        result[name] = ", ".join(
            f"{names[i]} ({cosines[i]:z.2f}, {len(set(published[names[i]].words) & set(clean))} "
            "shared)"
            for i in others
        )
    return result


class _Sides:
    """On which side of each pairing words stand."""

    def __init__(self, pairings: Sequence[Pairing]):
        self._places: dict[str, list[tuple[int, int]]] = {}
        for number, pair in enumerate(pairings):
            for sign, words in zip((1, -1), pair, strict=True):
                for word in set(words):
                    self._places.setdefault(word, []).append((number, sign))

    def of(self, words: Sequence[str]) -> dict[int, int]:
        """By pairing, on how many more words of the first side than of the second a set is."""
        found: Counter[int] = Counter()
        for word in set(words):
            for number, sign in self._places.get(word, ()):
                found[number] += sign
        return {number: sign for number, sign in found.items() if sign}


def _opposed(first: Mapping[int, int], second: Mapping[int, int]) -> bool:
    """Whether two sets stand on other sides of more pairings than on the same side."""
    shared = [first[number] * second[number] > 0 for number in first.keys() & second.keys()]
    return sum(shared) < len(shared) / 2


def published_pairings(lists: Mapping, published: Mapping[str, SeedSet]) -> list[Pairing]:
    """Sets that a paper sets against each other, as words.

    Args:
        lists: `resources/word_lists/bad_seeds.yaml`.
        published: Seed sets by id.
    """
    both = [pair for pair in lists["gathered_pairs"] if set(pair) <= published.keys()]
    return [tuple(published[name].words for name in pair) for pair in both]


def audit(
    path: Path,
    corpus: Corpus,
    published: Mapping[str, SeedSet],
    level: float,
    pairings: Sequence[Pairing] = (),
    seed: int | None = None,
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Audit a word-list file: the table of its words and the table of its sets.

    Raises:
        UserError: the file cannot be read as seed sets.
    """
    sets = read_word_list(path)
    summary = audit_sets(sets, corpus, published, level, pairings, seed)
    return audit_words(sets, corpus), summary


def audit_text(words: pd.DataFrame, sets: pd.DataFrame) -> str:
    """The audit as plain text, 100 columns wide."""
    lines = []
    warned: dict[str, list[dict]] = {name: [] for name in sets["set"]}
    for word in words[words["warnings"] != ""].to_dict("records"):
        warned[word["set"]].append(word)
    for row in sets.to_dict("records"):
        lines += [f"{row['set']}: {row['n']} of {row['n_of']} distinct words in the vocabulary"]
        if row["parts_of_speech"] or row["median_count"] == row["median_count"]:
            told = [f"median count {row['median_count']:.0f}", row["parts_of_speech"]]
            lines.append(f"  {'; '.join(filter(None, told))}")
        for name in ("coherence", "similarity", "explained"):
            if row.get(name, np.nan) == row.get(name):
                low, high = row[f"{name}_low"], row[f"{name}_high"]
                interval = (
                    f" ({low:z.3f} to {high:z.3f})" if low == low else ""
                )  # of several models
                reached = row.get(f"{name}_random", np.nan)
                beside = f"; random sets: up to {reached:.3f}" if reached == reached else ""
                lines.append(f"  {name} with {row['opposite']}: {row[name]:z.3f}{interval}{beside}")
        if row["alternatives"]:
            lines.append(f"  alternatives: {row['alternatives']}")
        if row["warnings"]:
            lines.append(f"  warnings: {row['warnings']}")
        lines += [f"    {word['word']}: {word['warnings']}" for word in warned[row["set"]]]
    return "\n".join(lines) + "\n"


def write_audit(words: pd.DataFrame, sets: pd.DataFrame, stem: Path) -> None:
    """Write `<stem>.words.csv`, `<stem>.sets.csv` and `<stem>.txt`, each atomically."""
    write_csv(words, stem.with_name(f"{stem.name}.words.csv"))
    write_csv(sets, stem.with_name(f"{stem.name}.sets.csv"))
    temporary = stem.with_name(f".{stem.name}.tmp")
    temporary.write_text(audit_text(words, sets), "utf-8", newline="\n")
    temporary.replace(stem.with_name(f"{stem.name}.txt"))


def _share(conditions) -> float:
    found = list(conditions)
    return sum(found) / len(found) if found else 0.0


def _mean(numbers) -> float:
    array = np.array([x for x in numbers if x == x])
    return float(array.mean()) if len(array) else float("nan")
