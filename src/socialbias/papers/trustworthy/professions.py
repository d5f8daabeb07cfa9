"""Beside Tables 3 and 6: every census profession that a text mentions often enough."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from socialbias.artefacts.values import value
from socialbias.census import GENDER
from socialbias.embeddings.vectors import WordVectors
from socialbias.measures.divdist import DivDist
from socialbias.measures.similarity import Array
from socialbias.papers.trustworthy.directed import UNIT, Directed, directed, interval
from socialbias.papers.trustworthy.inputs import Input
from socialbias.papers.trustworthy.probes import probe_counts
from socialbias.papers.trustworthy.text import DEFAULT_LENGTH
from socialbias.seeding import generator
from socialbias.sources.registry import worst_fidelity
from socialbias.stats.correlation import Estimate, spearman

FEWEST = 20  # contexts with a group that a profession must have
FEWEST_PROFESSIONS = 3
# By row, the text and the sentences of a context; the levels of Table 6 are of single sentences.
TEXTS = {
    "text-automated": ("wikipedia", DEFAULT_LENGTH),
    "L1": ("webtext", 1),
    "L3": ("samples", 1),
}
PROBES = {"cr-probe": "probe_bert", "L2": "probe_gpt2"}
# By row, the text that it is compared with, and whose contexts a profession must have.
TEXT_OF = {"L2": "L1", "L3": "L1"}
TEXT_OF |= dict.fromkeys(
    ["emb-word2vec", "emb-glove", "cr-reduction", "cr-probe"], "text-automated"
)


def measured(
    tables: Mapping[str, Input],
    embeddings: Mapping[str, Input],
    reduction: Input | None,
    word_list: tuple[str, Mapping[str, Sequence[str]]],
    draws: int,
    level: float,
    seed: int,
) -> dict[str, Directed]:
    """The directed bias of every word by each measure, by row.

    Args:
        tables: Evidence of texts and probes (`inputs.read_tables`).
        embeddings: Word vectors, by role.
        reduction: Contextualised representations reduced to one vector a word, if any.
        word_list: Name and words of the variant.
        draws: Resamples of documents; word vectors have none.
        level: Coverage of the intervals.
        seed: The configuration's seed.
    """
    variant, lists = word_list
    counts = {}
    for row, (name, n) in TEXTS.items():
        if name in tables:
            table = tables[name].data
            counts[row] = name, table[(table["n"] == n) & (table["variant"] == variant)]
    for row, name in PROBES.items():
        if name in tables:
            counts[row] = name, probe_counts(tables[name].data, "given", variant)
    found = {
        row: directed(part, tables[name], draws, level, generator(seed, "professions", row))
        for row, (name, part) in counts.items()
    }
    for role in ("word2vec", "glove"):
        if role in embeddings:
            vectors = embeddings[role]
            found[f"emb-{role}"] = _of_vectors(vectors.data, [vectors.data.matrix], vectors, lists)
    if reduction:
        vectors = reduction.data.vectors
        all_of_them = [vectors.matrix, *reduction.data.resampled]
        found["cr-reduction"] = _of_vectors(vectors, all_of_them, reduction, lists)
    return found


def _of_vectors(
    vectors: WordVectors,
    matrices: Sequence[Array],
    source: Input,
    lists: Mapping[str, Sequence[str]],
) -> Directed:
    """Directed bias of every word; the first matrix is what was observed, the others draws."""
    places = {word: i for i, word in enumerate(vectors.words)}
    groups = [[places[w] for w in lists[group] if w in places] for group in GENDER]
    measure = DivDist()
    rows = [measure.directed(m, [m[group] for group in groups]) for m in map(np.asarray, matrices)]
    biases, n = np.array(rows), np.zeros(len(vectors.words), int)
    unknown = np.full(len(vectors.words), np.nan)
    return Directed(
        vectors.words, biases[0], unknown, unknown, biases[1:], n, source.source, source.fidelity
    )


def values(
    found: Mapping[str, Directed],
    employment: Input,
    replicates: int,
    level: float,
    rng: np.random.Generator,
) -> list[dict]:
    """Rank correlations of each measure over professions, their mean and their mean size.

    A profession is taken for a row where the row's text (`TEXT_OF`) has at least 20 contexts with
    a group; for a row of vectors where there is no such text, every profession is.

    Args:
        found: By row, the directed bias by that measure.
        employment: Shares of women and men by profession.
        replicates: Bootstrap samples of professions.
        level: Coverage of the intervals.
        rng: Source of randomness.

    Returns:
        Values of the columns `employment`, `text`, `mean`, `size`.
    """
    women = employment.data["female"] - 0.5
    records = []
    for row, bias in found.items():
        text = found.get(TEXT_OF.get(row, row))
        chosen = _professions(bias, text, women.index)
        if len(chosen) < FEWEST_PROFESSIONS:
            continue
        here = bias.of(chosen)
        said = {"n": len(chosen), "n_unit": "professions"}
        said |= {"sources": here.source, "fidelity": here.fidelity}
        both = said | {
            "sources": "; ".join(dict.fromkeys([here.source, employment.source])),
            "fidelity": worst_fidelity([here.fidelity, employment.fidelity]),
        }
        pairs = [("employment", women[chosen], both)]
        if text is not None and text is not bias:
            pairs.append(("text", text.of(chosen).observed, said))
        for column, other, about in pairs:
            fit = spearman(here.observed, other, replicates, level, rng)
            records += _correlation(row, column, fit, about)
        for column, draws in (("mean", here.draws), ("size", np.abs(here.draws))):
            number = (here.observed if column == "mean" else np.abs(here.observed)).mean()
            ends = interval(np.nanmean(draws, axis=1), level) if len(draws) else {}
            records.append(value(row, column, number, **ends, **said, unit=UNIT))
    return records


def _professions(bias: Directed, text: Directed | None, census: Sequence[str]) -> list[str]:
    """The professions of the census that the text mentions often enough and that are measured."""
    known = dict(zip(bias.targets, bias.observed, strict=True))
    words = [word for word in census if not np.isnan(known.get(word, np.nan))]
    if text is None:
        return words
    contexts = dict(zip(text.targets, text.n, strict=True))
    return [word for word in words if contexts.get(word, 0) >= FEWEST]


def _correlation(row: str, column: str, fit: Estimate, said: dict) -> list[dict]:
    """One rank correlation over professions; [] where it is not defined."""
    if np.isnan(fit.value):
        return []
    numbers = {"ci_low": fit.low, "ci_high": fit.high, "p_value": fit.p_value}
    return [value(row, column, fit.value, **numbers, **said | {"n": fit.n}, unit="Spearman's rho")]
