"""Everything that the paper measures on a pair of seed sets, for many pairs at once (section 6)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from socialbias.embeddings.vectors import WordVectors
from socialbias.measures.coherence import coherences, set_similarity, weat_direction
from socialbias.measures.pca_bias import pca_bias
from socialbias.measures.weat import association, effect_size, permutation_p
from socialbias.papers.bad_seeds.inputs import BAD, DDOF, GOOD, Corpus, fewest, known, rows_of
from socialbias.pipeline.job import Job
from socialbias.stats.similarity import Array, unit_rows

MEASURES = ("coherence", "coherence_unit", "coherence_pca", "similarity", "similarity_unit")
MEASURES += ("explained", "weat", "weat_means", "effect_size")
# By measure that needs whole pairs, not only the words of each set: what it is computed from.
ON_PAIRS = {"coherence_pca": ("pairs", "pairs_of"), "explained": ("pairs", "pairs_of")}
ON_WORDS = ("n", "n_of")
# The unit of a measure, and the least and the most that it can be.
SCALES = {
    **dict.fromkeys(MEASURES[:3], ("share of the vocabulary", (0, 1))),
    **dict.fromkeys(MEASURES[3:5], ("cosine", (-1, 1))),
    "explained": ("share of variance", (0, 1)),
    "effect_size": ("standard deviations", (-2, 2)),
}
DIVISIONS = 999  # random ones, of sets too large for all
Pair = tuple[Sequence[str], Sequence[str]]


def measured(
    model: WordVectors, pairs: Sequence[Pair], rng: np.random.Generator | None = None
) -> pd.DataFrame:
    """Measure pairs of seed sets in one model."""
    attributes = [known(model, words) for words in (GOOD, BAD)]
    ab = [model.rows(words) for words in attributes] if all(attributes) else None
    records, directions, places = [], [], []
    for pair in pairs:
        words = [known(model, side) for side in pair]
        record, axes = _one_pair(model, pair, ab, rng)
        records.append({**record, **fewest(model, *pair), **whole_pairs(model, *pair)})
        directions += axes
        places += [tuple(rows_of(model, side) for side in words)] * len(axes)
    counts = ["n", "n_of", "pairs", "pairs_of"]
    table = pd.DataFrame(records, columns=[*MEASURES, "p_value", *counts])
    if records:
        # In the vectors' own precision: a copy in float64 of a large vocabulary would not fit.
        numbers = coherences(unit_rows(np.asarray(model.matrix)), np.stack(directions), places)
        table[["coherence", "coherence_unit", "coherence_pca"]] = numbers.reshape(len(records), -1)
    return table


def _one_pair(
    model: WordVectors, pair: Pair, ab: list[Array] | None, rng: np.random.Generator | None
) -> tuple[dict, list[Array]]:
    """Return a pair's measures without a vocabulary, and three directions (0 if undefined).

    They are WEAT's of vectors as they are, WEAT's of unit ones, and component 0.
    """
    nothing = np.zeros(model.matrix.shape[1])
    x, y = (model.rows(known(model, side)) for side in pair)
    if not len(x) or not len(y):
        return {}, [nothing] * 3
    record = {"similarity": set_similarity(x, y)}
    record["similarity_unit"] = set_similarity(x, y, normalize=True)
    if ab is not None:
        in_x, in_y = association(x, *ab), association(y, *ab)
        record |= {"weat": in_x.sum() - in_y.sum(), "weat_means": in_x.mean() - in_y.mean()}
        record["effect_size"] = effect_size(in_x, in_y, DDOF)
        if rng is not None:
            test = permutation_p(in_x, in_y, two_sided=True, draws=DIVISIONS, rng=rng)
            record["p_value"] = test[0]
    first, second = aligned(model, *pair)
    pca = nothing
    if len(first) > 1:
        result = pca_bias(model.rows(first), model.rows(second))
        record["explained"] = result.explained[0]
        pca = np.nan_to_num(result.direction)
    return record, [weat_direction(x, y), weat_direction(x, y, normalize=True), pca]


def aligned(
    model: WordVectors, first: Sequence[str], second: Sequence[str]
) -> tuple[list[str], list[str]]:
    """Return the pairs of two lists whose words both have vectors, up to the shorter's end."""
    pairs = zip(first, second, strict=False)
    both = [pair for pair in pairs if {*pair} <= model.index.keys()]
    return [a for a, _ in both], [b for _, b in both]


def whole_pairs(model: WordVectors, first: Sequence[str], second: Sequence[str]) -> dict[str, int]:
    """Return how many pairs the PCA method can use: `pairs` of `pairs_of`.

    A long list of which few pairs are whole may have most of its words in the vocabulary: `fewest`
    does not see it.
    """
    listed = sum(all(pair) for pair in zip(first, second, strict=False))
    return {"pairs": len(aligned(model, first, second)[0]), "pairs_of": listed}


def resting_on(table: pd.DataFrame, name: str) -> pd.DataFrame:
    """Return the table with `n` and `n_of` of one measure: seeds, or pairs for the PCA method."""
    n, of = ON_PAIRS.get(name, ON_WORDS)
    return table.assign(n=table[n], n_of=table[of])


NEIGHBOURS = 4  # section 6
Band = tuple[float, float]


def band_of(job: Job) -> Band:
    """Return between how many occurrences the seeds of generated sets have."""
    return job.settings["bad_seeds.rarest"], job.settings["bad_seeds.commonest"]


def candidates(vectors: WordVectors, corpus: Corpus, pos: str, band: Band) -> list[int]:
    """Return the rows of the words of a part of speech and a frequency band."""
    return [
        row
        for row, word in enumerate(vectors.words)
        if band[0] <= corpus.counts.get(word, -1) <= band[1] and corpus.tags.get(word) == pos
    ]


def generated_sets(
    vectors: WordVectors,
    corpus: Corpus,
    pos: str,
    band: Band,
    sets: int,
    rng: np.random.Generator,
    neighbours: int = NEIGHBOURS,
) -> list[tuple[str, ...]]:
    """Random seed sets from one model.

    Antoniak and Mimno 2021, section 6, "Generated seed sets". Print filters the targets by part of
    speech and frequency and calls the sets controlled; its examples are nouns throughout, so the
    neighbours are filtered here too.
    """
    pool = np.array(candidates(vectors, corpus, pos, band), dtype=int)
    if len(pool) <= neighbours:
        return []
    chosen = rng.permutation(pool)[:sets]
    unit = unit_rows(np.asarray(vectors.matrix[pool]))
    cosines = unit_rows(np.asarray(vectors.matrix[chosen])) @ unit.T
    cosines[chosen[:, None] == pool[None, :]] = -np.inf  # a word is no neighbour of its own
    nearest = pool[np.argsort(-cosines, axis=1, kind="stable")[:, :neighbours]]
    rows = np.column_stack([chosen, nearest])
    return [tuple(vectors.words[i] for i in row) for row in rows]


def generated_pairs(
    vectors: WordVectors,
    corpus: Corpus,
    pos: str,
    band: Band,
    pairs: int,
    rng: np.random.Generator,
    neighbours: int = NEIGHBOURS,
) -> list[tuple[tuple[str, ...], tuple[str, ...]]]:
    """Pairs of random seed sets (`generated_sets`) in the order drawn; an odd one is left out."""
    sets = generated_sets(vectors, corpus, pos, band, 2 * pairs, rng, neighbours)
    return list(zip(sets[::2], sets[1::2], strict=False))
