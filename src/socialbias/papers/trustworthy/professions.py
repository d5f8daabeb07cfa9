"""Supplement to Tables 3 and 6: every census profession that a text mentions often enough."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial

import numpy as np
import pandas as pd

from socialbias.embeddings.vectors import WordVectors
from socialbias.measurement.reliability import CENSUS, by_halves, with_reliability
from socialbias.measurement.texts import FEWEST_CONTEXTS
from socialbias.measures.datasets.census import GENDER
from socialbias.measures.divdist import DivDist, negative_note
from socialbias.papers.evidence import correlation, mean_over
from socialbias.papers.inputs import read_vectors
from socialbias.papers.trustworthy.directed import (
    DIFFERENCE,
    FEWEST_TARGETS,
    UNIT,
    Directed,
    directed,
    mean_value,
    means,
    of_text,
    references,
)
from socialbias.papers.trustworthy.inputs import (
    EVERY,
    first_gender_list,
    read_employment,
    read_reduction,
    read_tables,
)
from socialbias.papers.trustworthy.probes import probe_counts, weakness
from socialbias.papers.trustworthy.table6 import amplified, of_same_contexts
from socialbias.papers.trustworthy.text import DEFAULT_LENGTH
from socialbias.pipeline.job import Job
from socialbias.stats.correlation import paired_spearman
from socialbias.stats.reliability import Reliability
from socialbias.stats.similarity import Array

# By row, the text and the sentences of a context; the levels of Table 6 are of single sentences.
TEXTS = {
    "text-automated": ("wikipedia", DEFAULT_LENGTH),
    "L1": ("webtext", 1),
    "L3": ("samples", 1),
}
# By row, the probe's evidence and the text that its model reads.
PROBES = {"cr-probe": ("probe_bert", "wikipedia"), "L2": ("probe_gpt2", "webtext")}
# By row, the text that it is compared with, and whose contexts a profession must have.
TEXT_OF = {"L2": "L1", "L3": "L1"}
TEXT_OF |= dict.fromkeys(
    ["emb-word2vec", "emb-glove", "cr-reduction", "cr-probe"], "text-automated"
)


def read(job: Job) -> tuple[dict[str, Directed], pd.DataFrame | None]:
    """Return the directed bias of every word by row, and employment.

    {} and None where there is no census.
    """
    census = read_employment(job, job.settings["trustworthy.census_year"])
    if "gender" not in census:
        return {}, None
    tables, embeddings = read_tables(job), read_vectors(job, "professions")
    reduction, (variant, lists) = read_reduction(job), first_gender_list(job)
    level, biases = job.level, {}
    for row, (name, n) in TEXTS.items():
        if name in tables:
            biases[row] = of_text(tables[name], name, n, variant, level)
    for row, (name, text) in PROBES.items():
        if name in tables:
            weak = weakness(tables[name], variant, level, job.seed)
            biases[row] = directed(probe_counts(tables[name], "given", variant), level, text, weak)
    for role in ("word2vec", "glove"):
        if role in embeddings:
            vectors = embeddings[role]
            biases[f"emb-{role}"] = _of_vectors(vectors, [vectors.matrix], lists)
    if reduction is not None:
        matrices = [reduction.vectors.matrix, *reduction.resampled]
        biases["cr-reduction"] = _of_vectors(reduction.vectors, matrices, lists)
    return biases, census["gender"]


def _of_vectors(
    vectors: WordVectors, matrices: Sequence[Array], lists: Mapping[str, Sequence[str]]
) -> Directed:
    """Directed bias of every word; the first matrix is what was observed, the others draws."""
    groups = [[vectors.index[word] for word in vectors.known(lists[group])] for group in GENDER]
    measure, matrices = DivDist(), [np.asarray(matrix) for matrix in matrices]
    first, *draws = (measure.directed(m, [m[group] for group in groups]) for m in matrices)
    draws, n = np.reshape(draws, (len(draws), len(first))), len(first)
    unknown = np.full(n, np.nan)
    words, halves = [matrices[0][group] for group in groups], None
    if not len(draws) and min(map(len, words)) > 1:
        halves = np.array(by_halves(partial(measure.directed, matrices[0]), words))
    numbers = (first, unknown, unknown, draws, np.zeros(n, int))
    negative = measure.negative(matrices[0], words)
    return Directed(vectors.words, *numbers, negative=negative, halves=halves)


def values(
    biases: Mapping[str, Directed], employment: pd.DataFrame, job: Job, nouns: Sequence[str] = ()
) -> Iterator[dict]:
    """Rank correlations of each measure over professions, and their mean.

    A profession is taken for a row where the row's text (`TEXT_OF`) has at least 20 contexts with
    a group; for a row of vectors where there is no such text, every profession is.
    """
    level, seed = job.level, job.seed
    reliable = reliabilities(biases, employment, level)
    for name, bias in biases.items():
        text = biases.get(TEXT_OF.get(name, name))
        words = _professions(bias, text, employment.index)
        if len(words) < FEWEST_TARGETS:
            continue
        chosen, pairs = bias.of(words), {"employment": employment["female"][words] - 0.5}
        common = {"n_unit": "professions", "weak": chosen.weak, "note": ""}
        if chosen.negative is not None:
            common["note"] = negative_note(chosen.negative, chosen.observed, "professions")
        if text is not None and text is not bias:
            pairs["text"] = text.of(words).observed
        cells = []
        for column, numbers in pairs.items():
            fit = paired_spearman(chosen.observed, numbers, words, level, seed)
            cells += correlation(name, column, fit, **common)
        own = bias if EVERY in bias.targets else text
        others = references(own if chosen.influence is not None else None, employment, words)
        cells += means(name, chosen, others, level, **common)
        cells += _controls(name, bias, text, words, nouns, job)
        reliability = {"employment": CENSUS}
        if text is not None:
            reliability["text"] = text.of(words).reliability(level).value
        yield from (
            with_reliability(record, reliable[name].value, reliability.get(record["column"]))
            for record in cells
        )


def reliabilities(
    biases: Mapping[str, Directed], employment: pd.DataFrame, level: float
) -> dict[str, Reliability]:
    """Return by row, the reliability of the biases of the professions that `values` takes."""
    result = {}
    for row, bias in biases.items():
        words = _professions(bias, biases.get(TEXT_OF.get(row, row)), employment.index)
        result[row] = bias.of(words).reliability(level)
    return result


def _controls(
    row: str,
    bias: Directed,
    text: Directed | None,
    chosen: Sequence[str],
    nouns: Sequence[str],
    job: Job,
) -> list[dict]:
    """Return the mean bias of nouns for non-persons, and that of professions less it.

    A profession and the noun that it is matched with are drawn together.
    """
    contexts = dict(zip(text.targets, text.n, strict=True)) if text else {}
    known = zip(nouns, ~np.isnan(bias.of(nouns).observed), strict=True)
    candidates = {noun: contexts.get(noun, 0) for noun, measured in known if measured}
    pairs = matched({word: contexts.get(word, 0) for word in chosen}, candidates)
    if len(pairs) < FEWEST_TARGETS:
        return []
    controls = bias.of(list(pairs.values())).observed
    above = bias.of(list(pairs)).observed - controls
    common = {"n_of": len(chosen), "n_unit": "professions", "weak": bias.weak}
    return [
        mean_over(row, column, numbers, list(pairs), job.level, job.seed, unit=unit, **common)
        for column, numbers, unit in (
            ("controls", controls, UNIT),
            ("above-controls", above, DIFFERENCE),
        )
    ]


def matched(contexts: Mapping[str, int], nouns: Mapping[str, int]) -> dict[str, str]:
    """For each profession a noun that is about as frequent, the most frequent profession first."""
    left, pairs = sorted(nouns), {}
    for word in sorted(contexts, key=lambda word: (-contexts[word], word)):
        if left:
            ratios = np.abs(np.log1p([nouns[noun] for noun in left]) - np.log1p(contexts[word]))
            pairs[word] = left.pop(int(np.argmin(ratios)))
    return pairs


def _professions(bias: Directed, text: Directed | None, census: Sequence[str]) -> list[str]:
    """Return the professions of the census that the text mentions often enough."""
    known = dict(zip(bias.targets, bias.observed, strict=True))
    words = [word for word in census if not np.isnan(known.get(word, np.nan))]
    if text is None:
        return words
    contexts = dict(zip(text.targets, text.n, strict=True))
    return [word for word in words if contexts.get(word, 0) >= FEWEST_CONTEXTS]


def summarise(job: Job) -> Iterator[dict]:
    """Yield all cells; none without a census."""
    biases, employment = read(job)
    if employment is None:
        return
    yield from values(biases, employment, job, job.word_lists("controls")["nouns"])
    tables, (variant, _) = read_tables(job), first_gender_list(job)
    # How much further representations go than their text and controls, on average.
    for row, (name, text) in PROBES.items():
        if name not in tables:
            continue
        levels = of_same_contexts(tables[name], variant, job.level, biases[row].weak, text)
        mentioned = biases.get(TEXT_OF[row], biases.get(row))
        words = _professions(levels.biases["L2"], mentioned, employment.index)
        for column, side, _, further in amplified(levels, words, job.level):
            if (~np.isnan(further.value)).sum() >= FEWEST_TARGETS:
                facts = {"n_unit": "professions", "weak": levels.biases[side].weak}
                sides = further.value, further.draws
                yield mean_value(row, column, *sides, job.level, unit=DIFFERENCE, **facts)
