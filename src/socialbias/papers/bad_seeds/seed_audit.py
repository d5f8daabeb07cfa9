"""Audit of seed sets before anyone relies on them: section 8's factors, one by one.

Give it a word-list file and a corpus; get a line for each word and for each set, with warnings.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from operator import attrgetter, itemgetter

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from socialbias.embeddings.vectors import WordVectors
from socialbias.embeddings.words.lists import lists
from socialbias.measurement.group_words import RARE, Direction, direction
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
from socialbias.stats.seeding import generator
from socialbias.stats.similarity import cosine_matrix, unit_rows

Pairing = tuple[Sequence[str], Sequence[str]]
FEW = 20  # occurrences below which a vector is mostly noise
UNEVEN = 10.0  # ratio of median frequencies at which two sets are not comparable
ALIKE = 0.8  # set similarity from which on two sets are hard to tell apart
MOST_RANDOM = 5000  # random words that sets are drawn of
MAX_SETS = 5  # alternative sets
OF_ANY_CATEGORY = {"definition", "definitional", "words", "singular"}
NOT_JUDGED = "cannot tell: each set needs two words with a vector, and random words to compare with"
APART = "the sets define a direction"
NOT_APART = "the sets cannot be distinguished from random words"
WORDS_WEAK = "use more words, or words that mean one thing"
VECTORS_WEAK = "nor can the packaged list gender in these vectors: use vectors of more text"
WORD_COLUMNS = ["set", "word", "count", "per_million", "part_of_speech", "in_models", "to_own_set"]
WORD_COLUMNS += ["to_opposite", "opposite", "warnings"]


def audit_words(sets: Mapping[str, Sequence[str]], corpus: Corpus) -> pd.DataFrame:
    """Return every word of every set, with what the paper's section 8 says to look at."""
    total = sum(corpus.counts.values())
    rows = []
    for name, words in sets.items():
        opposite = _opposite(sets, name)
        clean_words = in_places(words)
        opposed = unigrams(sets[opposite]) if opposite else ()
        near = pd.concat(
            [_nearness(model, unigrams(words), opposed) for model in corpus.models]
            or [pd.DataFrame(columns=["to_own_set", "to_opposite"], dtype=float)]
        )
        nearness = near.groupby(level=0).mean().reindex(list(dict.fromkeys(clean_words)))
        listed = Counter(clean_words)
        for word, clean in zip(words, clean_words, strict=True):
            count = corpus.counts.get(clean, 0)
            in_models = [clean in model.index for model in corpus.models] or [count > 0]
            row = {
                "set": name,
                "word": word,
                "count": count if total else np.nan,
                "per_million": 1e6 * count / total if total else np.nan,
                "part_of_speech": corpus.tags.get(clean, ""),
                "in_models": np.mean(in_models),
                **nearness.loc[clean],
                "opposite": opposite,
            }
            warnings = _word_warnings(row, clean, listed, set(opposed))
            rows.append(row | {"warnings": "; ".join(warnings)})
    return pd.DataFrame(rows, columns=WORD_COLUMNS)


def _opposite(sets: Mapping[str, Sequence[str]], name: str) -> str:
    return next(key for key in sets if key != name) if len(sets) == 2 else ""


def _nearness(model: WordVectors, words: Sequence[str], opposed: Sequence[str]) -> pd.DataFrame:
    """Cosines of the known words, a row each, with the rest of their set and the opposite set.

    Columns `to_own_set` and `to_opposite`: with the mean vector of either, NaN where it is empty.
    """
    known_words, opposite = model.known(words), known(model, opposed)
    unit = unit_rows(model.rows(known_words))
    own = away = np.full(len(unit), np.nan)
    if len(unit) and opposite:
        away = cosine_matrix(unit, unit_rows(model.rows(opposite)).mean(axis=0)[None])[:, 0]
    if len(unit) > 1:
        rest = unit.sum(axis=0) - unit  # the mean of the others points the same way as their sum
        own = (unit * unit_rows(rest)).sum(axis=1)
    return pd.DataFrame({"to_own_set": own, "to_opposite": away}, index=known_words)


def _word_warnings(
    row: dict, clean: str, listed: Mapping[str, int], opposed: set[str]
) -> list[str]:
    """Return what is questionable about one word of a set."""
    if not clean:
        return ["more than one word: no model of single words has it"]
    warnings = {
        "not in the vocabulary": row["in_models"] == 0,
        "missing in some bootstraps": 0 < row["in_models"] < 1,
        f"rare: under {FEW} occurrences": row["count"] < FEW,
        "listed more than once: it weighs more": listed[clean] > 1,
        "in the opposite set too": clean in opposed,
        "closer to the opposite set than to its own": row["to_opposite"] > row["to_own_set"],
    }
    return [warning for warning, holds in warnings.items() if holds]


def audit_sets(
    sets: Mapping[str, Sequence[str]],
    corpus: Corpus,
    published: Mapping[str, SeedSet],
    level: float,
    pairings: Sequence[Pairing] = (),
    seed: int | None = None,
) -> pd.DataFrame:
    """Return every set as a whole."""
    models = corpus.models
    if len(sets) == 2:
        pairings = [*pairings, tuple(map(unigrams, sets.values()))]
    nearest = nearest_published(sets, models, published, pairings)
    against = _against(models, *map(in_places, sets.values()), level) if len(sets) == 2 else {}
    if seed is not None and len(sets) == 2:
        rng = generator(seed, "seed audit", *sets)
        against |= _direction(models, [unigrams(words) for words in sets.values()], rng)
    frequencies = {name: _frequency(corpus, unigrams(words)) for name, words in sets.items()}
    rows = []
    for name, words in sets.items():
        opposite = _opposite(sets, name)
        distinct = {*unigrams(words)}
        coverage = {"n": len(distinct & corpus.counts.keys()), "n_of": len(distinct)}
        if models:  # that of the model with fewest of the words
            coverage = min((fewest(model, distinct) for model in models), key=itemgetter("n"))
        row = {"set": name, "words": len(words), **coverage, **frequencies[name]}
        row |= {"opposite": opposite, **against, "alternatives": nearest[name]}
        opposite_median = frequencies[opposite]["median_count"] if opposite else np.nan
        row["warnings"] = "; ".join(_set_warnings(row, words, opposite_median))
        rows.append(row)
    return pd.DataFrame(rows)


def _frequency(corpus: Corpus, words: Sequence[str]) -> dict:
    """Median count and parts of speech of the distinct words."""
    distinct = list(dict.fromkeys(words))
    counts = [corpus.counts.get(word, 0) for word in distinct]
    tags = Counter(corpus.tags[word] for word in distinct if word in corpus.tags)
    kinds = sorted(tags.items(), key=lambda pair: (-pair[1], pair[0]))
    return {
        "median_count": float(np.median(counts)) if corpus.counts and counts else np.nan,
        "parts_of_speech": ", ".join(f"{tag} {n}" for tag, n in kinds),
    }


def _against(
    models: Sequence[WordVectors], words: Sequence[str], opposed: Sequence[str], level: float
) -> dict[str, float]:
    """Coherence, similarity and explained variance with the opposite set, with intervals."""
    parts = [measured(model, [(words, opposed)]) for model in models]
    result = {}
    for name in ("coherence", "similarity", "explained"):
        numbers = [float(part[name].iloc[0]) for part in parts]
        mean = over_models(numbers, level, *SCALES[name][1])
        result |= {name: mean["value"], f"{name}_low": mean["ci_low"]}
        result[f"{name}_high"] = mean["ci_high"]
    return result


def _direction(
    models: Sequence[WordVectors], sets: Sequence[Sequence[str]], rng: np.random.Generator
) -> dict[str, object]:
    """Return what is found of the direction of two sets, in the middle one of the models."""
    found = directions(models, sets, rng)
    if not found:
        return {"direction": NOT_JUDGED, "direction_p": np.nan}
    each = found[len(found) // 2]
    if each.is_found:
        return {"direction": f"{APART}: {each.sentence}", "direction_p": each.p_value}
    usual = lists()["gender"].words.values()
    of_packaged = directions(models, list(usual), rng)
    weak = bool(of_packaged) and not of_packaged[len(of_packaged) // 2].is_found
    advice = VECTORS_WEAK if weak else WORDS_WEAK
    return {"direction": f"{NOT_APART}: {each.sentence}; {advice}", "direction_p": each.p_value}


def _set_warnings(row: dict, words: Sequence[str], opposite_median: float) -> list[str]:
    """Return what is questionable about a set."""
    warnings = [too_few(row["n"], row["n_of"])]
    bigrams = len(words) - len(unigrams(words))
    if bigrams:
        warnings.append(f"{bigrams} of {len(words)} are more than one word and are left out")
    counts = sorted((row["median_count"], opposite_median))
    if counts[0] > 0 and counts[1] / counts[0] >= UNEVEN:
        warnings.append(f"median frequencies differ {counts[1] / counts[0]:.0f} times")
    if "," in row["parts_of_speech"]:
        warnings.append("mixed parts of speech")
    if row.get("similarity", -1) >= ALIKE:
        warnings.append("too similar to the opposite set: bias along this axis will be small")
    return [warning for warning in warnings if warning]


def directions(
    models: Sequence[WordVectors], sets: Sequence[Sequence[str]], rng: np.random.Generator
) -> list[Direction]:
    """Return whether the sets define a direction in each model, among random words of it."""
    own, found = {word for words in sets for word in words}, []
    for model in models:
        random = [word for word in model.words if word.isalpha() and word not in own]
        some = rng.choice(len(random), min(len(random), MOST_RANDOM), replace=False)
        groups = [model.rows(list(dict.fromkeys(known(model, words)))) for words in sets]
        rows = model.rows([random[i] for i in some])
        if all(map(len, groups)) and (each := direction(groups, rows, rng)):
            found.append(each)
    return sorted(found, key=attrgetter("p_value"))


def nearest_published(
    sets: Mapping[str, Sequence[str]],
    models: Sequence[WordVectors],
    published: Mapping[str, SeedSet],
    pairings: Sequence[Pairing] = (),
) -> dict[str, str]:
    """For each set the published sets of its category that are most alike, as text.

    By set similarity in the first model; "" without a model or a word. The category is that of the
    published sets with which it shares most words. Left out are a published set with the very same
    words, and those on the other side of a pairing: the words for women are near those for men, but
    no alternative to them.
    """
    result = dict.fromkeys(sets, "")
    candidates = {}
    for name, seeds in published.items() if models else ():
        if words := known(models[0], seeds.words):
            candidates[name] = unit_rows(models[0].rows(words)).mean(axis=0)
    distinct = {name: set(published[name].words) for name in candidates}
    sides = {name: _sides(words, pairings) for name, words in distinct.items()}
    for name, listed in sets.items():
        own = set(unigrams(listed))
        words = known(models[0], unigrams(listed)) if candidates else []
        if not words:
            continue
        mean = unit_rows(models[0].rows(words)).mean(axis=0)[None]
        cosines = cosine_matrix(mean, np.stack([*candidates.values()]))[0]
        alike = pd.Series(cosines, candidates.keys()).sort_values(ascending=False, kind="stable")
        shared: Counter[frozenset[str]] = Counter()
        for seeds in published.values():
            shared[_category(seeds)] += len(own.intersection(seeds.words))
        category, many = shared.most_common(1)[0]
        # Two sets are opposed if they are on other sides of more pairings than on the same side.
        own_sides = _sides(own, pairings)
        alternatives = [
            f"{key} ({cosine:z.2f}, {len(distinct[key] & own)} shared)"
            for key, cosine in alike.items()
            if distinct[key] != own
            and own_sides @ sides[key] >= 0
            and many
            and category == _category(published[key])
        ]
        result[name] = ", ".join(alternatives[:MAX_SETS])
    return result


def _category(published: SeedSet) -> frozenset[str]:
    """Return the words that say what a set means, such as `male` of `definitional male 2`."""
    return frozenset(re.findall(r"[^\W\d_]+", published.category.lower())) - OF_ANY_CATEGORY


def _sides(words: set[str], pairings: Sequence[Pairing]) -> NDArray[np.int64]:
    """For each pairing, 1 or -1: the side with more of the words; 0 where none has more."""
    leads = [len(words.intersection(a)) - len(words.intersection(b)) for a, b in pairings]
    return np.sign(np.array(leads, dtype=int))


def published_pairings(lists: Mapping, published: Mapping[str, SeedSet]) -> list[Pairing]:
    """Pairs of sets that a paper compares, as words."""
    both = [pair for pair in lists["gathered_pairs"] if set(pair) <= published.keys()]
    return [tuple(published[name].words for name in pair) for pair in both]


def audit_text(words: pd.DataFrame, sets: pd.DataFrame) -> str:
    """Return the audit as plain text, 100 columns wide."""
    lines = []
    warned: dict[str, list[dict]] = {name: [] for name in sets["set"]}
    for word in words[words["warnings"] != ""].to_dict("records"):
        warned[word["set"]].append(word)
    for row in sets.to_dict("records"):
        lines += [f"{row['set']}: {row['n']} of {row['n_of']} distinct words in the vocabulary"]
        if row["parts_of_speech"] or row["median_count"] == row["median_count"]:
            facts = [f"median count {row['median_count']:.0f}", row["parts_of_speech"]]
            lines.append(f"  {'; '.join(filter(None, facts))}")
        for name in ("coherence", "similarity", "explained"):
            if row.get(name, np.nan) == row.get(name):
                low, high = row[f"{name}_low"], row[f"{name}_high"]
                interval = f" ({low:z.3f} to {high:z.3f})" if low == low else ""  # several models
                lines.append(f"  {name} with {row['opposite']}: {row[name]:z.3f}{interval}")
        if row["alternatives"]:
            lines.append(f"  alternatives: {row['alternatives']}")
        if row["warnings"]:
            lines.append(f"  warnings: {row['warnings']}")
        lines += [f"    {word['word']}: {word['warnings']}" for word in warned[row["set"]]]
    return "\n".join([*lines, *_conclusion(sets)]) + "\n"


def _conclusion(sets: pd.DataFrame) -> list[str]:
    """Return a sentence that weighs the findings on two opposite sets."""
    row = sets.iloc[0].to_dict()
    found = row.get("direction", "")
    if not found:
        return []
    if row["direction_p"] <= RARE and row["similarity"] >= ALIKE:
        found += (
            f"; but their vectors are alike (similarity {row['similarity']:.3f}), so biases "
            "between them will be small numbers"
        )
    few = [name for name, n, n_of in sets[["set", "n", "n_of"]].values if too_few(n, n_of)]
    found += f"; {' and '.join(few)} has too few words in the vocabulary" * bool(few)
    return [f"conclusion: {found}"]
