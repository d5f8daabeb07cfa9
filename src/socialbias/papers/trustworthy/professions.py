"""Beside Tables 3 and 6: every census profession that a text mentions often enough."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial

import numpy as np
import pandas as pd

from socialbias.datasets.census import GENDER
from socialbias.embeddings.vectors import WordVectors
from socialbias.measures.divdist import DivDist, negative_note
from socialbias.measures.similarity import Array
from socialbias.papers.evidence import correlation, mean_over
from socialbias.papers.inputs import read_vectors
from socialbias.papers.reliability import CENSUS, by_halves, with_reliability
from socialbias.papers.trustworthy.directed import (
    DIFFERENCE,
    FEWEST_CONTEXTS,
    FEWEST_TARGETS,
    UNIT,
    Directed,
    directed,
    mean_value,
    means,
    references,
    shifted,
    sizes,
)
from socialbias.papers.trustworthy.inputs import (
    EVERY,
    Reduction,
    first_gender_list,
    read_employment,
    read_reduction,
    read_tables,
)
from socialbias.papers.trustworthy.probes import probe_counts, weakness
from socialbias.papers.trustworthy.table6 import Levels, amplified, of_same_contexts
from socialbias.papers.trustworthy.text import DEFAULT_LENGTH
from socialbias.pipeline.job import Job
from socialbias.stats.correlation import paired_spearman
from socialbias.stats.reliability import Reliability

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
# By row, the column that holds its size against another row's; all of these are made of counts.
AGAINST = {
    "L2": {"size-text": "L1"},
    "L3": {"size-text": "L1", "size-L2": "L2"},
    "cr-probe": {"size-text": "text-automated"},
}


def read(job: Job) -> tuple[dict[str, Directed], pd.DataFrame | None]:
    """The directed bias by row, and employment; nothing and None where there is no census."""
    census = read_employment(job, job.settings["trustworthy.census_year"])
    if "gender" not in census:
        return {}, None
    found = measured(
        read_tables(job),
        read_vectors(job, "professions"),
        read_reduction(job),
        first_gender_list(job),
        job.level,
        job.seed,
    )
    return found, census["gender"]


def measured(
    tables: Mapping[str, pd.DataFrame],
    embeddings: Mapping[str, WordVectors],
    reduction: Reduction | None,
    word_list: tuple[str, Mapping[str, Sequence[str]]],
    level: float,
    seed: int,
) -> dict[str, Directed]:
    """The directed bias of every word by each measure, by row.

    Args:
        tables: Evidence of texts and probes (`inputs.read_tables`).
        embeddings: Word vectors, by role.
        reduction: Contextualised representations reduced to one vector a word, if any.
        word_list: Name and words of the variant.
        level: Coverage of the intervals.
        seed: The configuration's seed.
    """
    variant, lists = word_list
    found = {}
    for row, (name, n) in TEXTS.items():
        if name in tables:
            table = tables[name]
            part = table[(table["n"] == n) & (table["variant"] == variant)]
            found[row] = directed(part, level, name)
    for row, (name, text) in PROBES.items():
        if name in tables:
            table = tables[name]
            part = probe_counts(table, "given", variant)
            weak = weakness(table, variant, level, seed)
            found[row] = replace(directed(part, level, text), weak=weak)
    for role in ("word2vec", "glove"):
        if role in embeddings:
            vectors = embeddings[role]
            found[f"emb-{role}"] = _of_vectors(vectors, [vectors.matrix], lists)
    if reduction is not None:
        vectors = reduction.vectors
        all_of_them = [vectors.matrix, *reduction.resampled]
        found["cr-reduction"] = _of_vectors(vectors, all_of_them, lists)
    return found


def _of_vectors(
    vectors: WordVectors,
    matrices: Sequence[Array],
    lists: Mapping[str, Sequence[str]],
) -> Directed:
    """Directed bias of every word; the first matrix is what was observed, the others draws."""
    places = {word: i for i, word in enumerate(vectors.words)}
    groups = [[places[w] for w in lists[group] if w in places] for group in GENDER]
    measure = DivDist()
    rows = [measure.directed(m, [m[group] for group in groups]) for m in map(np.asarray, matrices)]
    biases, n = np.array(rows), np.zeros(len(vectors.words), int)
    unknown = np.full(len(vectors.words), np.nan)
    # Vectors that were drawn once do not show how they vary: nothing is taken off their size.
    variance = biases[1:].var(axis=0, ddof=1) if len(biases) > 2 else np.zeros(len(vectors.words))
    draws = biases[1:]
    first = np.asarray(matrices[0])
    words = [first[group] for group in groups]
    negative = measure.negative(first, words)
    halves = None
    if not len(draws) and min(map(len, words)) > 1:
        halves = np.array(by_halves(partial(measure.directed, first), words))
    known = (vectors.words, biases[0], unknown, unknown, variance, draws, n)
    return Directed(*known, negative=negative, halves=halves)


def each(found: Mapping[str, Directed], employment: pd.DataFrame) -> pd.DataFrame:
    """The directed bias of each profession by each measure, for reading.

    Args:
        found: By row, the directed bias by that measure.
        employment: Shares of women and men by profession.

    Returns:
        Columns `profession`, `women` (share in employment), `measure`, `bias`, `ci_low`, `ci_high`
        (NaN for vectors), `contexts` (with a group, NaN for vectors): those professions that
        `values` takes for the row.
    """
    parts = []
    for row, bias in found.items():
        text = found.get(TEXT_OF.get(row, row))
        here = bias.of(_professions(bias, text, employment.index))
        part = {
            "profession": here.targets,
            "women": employment["female"].reindex(here.targets).to_numpy(),
            "measure": row,
            "bias": here.observed,
            "ci_low": here.low,
            "ci_high": here.high,
            "contexts": np.where(here.n > 0, here.n, np.nan),
        }
        parts.append(pd.DataFrame(part))
    table = pd.concat(parts, ignore_index=True)
    return table.sort_values(["profession", "measure"], ignore_index=True)


def values(
    found: Mapping[str, Directed],
    employment: pd.DataFrame,
    level: float,
    seed: int,
    nouns: Sequence[str] = (),
) -> list[dict]:
    """Rank correlations of each measure over professions, their mean and their size.

    A profession is taken for a row where the row's text (`TEXT_OF`) has at least 20 contexts with
    a group; for a row of vectors where there is no such text, every profession is. A size is
    `directed.size`, and what it is compared with is of the same professions.

    Args:
        found: By row, the directed bias by that measure.
        employment: Shares of women and men by profession.
        level: Coverage of the intervals.
        seed: The configuration's seed; the same professions are drawn throughout.
        nouns: Candidates for controls.

    Returns:
        Values of the columns `employment`, `text`, `mean`, `size`, and of `size-text` and
        `size-L2`, by how much a size is above that of the text or of the representations; of
        `mean@base` and so on, against other references (`directed.references`); and of `controls`
        and `above-controls` (`_controls`).
    """
    reliable = reliabilities(found, employment, level)
    records = []
    for name, bias in found.items():
        text = found.get(TEXT_OF.get(name, name))
        chosen = _professions(bias, text, employment.index)
        if len(chosen) < FEWEST_TARGETS:
            continue
        here, pairs = bias.of(chosen), {"employment": employment["female"][chosen] - 0.5}
        common = {"n_unit": "professions", "weak": here.weak, "note": ""}
        if here.negative is not None:
            common["note"] = negative_note(here.negative, here.observed, "professions")
        if text is not None and text is not bias:
            pairs["text"] = text.of(chosen).observed
        numbers = []
        for column, other in pairs.items():
            fit = paired_spearman(here.observed, other, chosen, level, seed)
            numbers += correlation(name, column, fit, **common)
        own = bias if EVERY in bias.targets else text
        against = references(own if here.influence is not None else None, employment, chosen)
        numbers += means(name, here, against, level, **common)
        for kind, reference in against.items():
            moved = shifted(here, reference)
            numbers += sizes(name, f"size@{kind}", moved, None, level, seed)
        numbers += _controls(name, bias, text, chosen, nouns, seed, level)
        for column, other in ({"size": ""} | AGAINST.get(name, {})).items():
            if not other or other in found:
                beside = found[other].of(chosen) if other else None
                size = sizes(name, column, here, beside, level, seed)
                numbers += [record | {"note": common["note"]} for record in size]
        others = {"employment": CENSUS}
        if text is not None:
            others["text"] = text.of(chosen).reliability(level).value
        records += [
            with_reliability(record, reliable[name].value, others.get(record["column"]))
            for record in numbers
        ]
    return records


def reliabilities(
    found: Mapping[str, Directed], employment: pd.DataFrame, level: float
) -> dict[str, Reliability]:
    """By row, the reliability of the biases of the professions that `values` takes."""
    census = employment.index
    texts = {row: found.get(TEXT_OF.get(row, row)) for row in found}
    return {
        row: bias.of(_professions(bias, texts[row], census)).reliability(level)
        for row, bias in found.items()
    }


def _controls(
    row: str,
    bias: Directed,
    text: Directed | None,
    chosen: Sequence[str],
    nouns: Sequence[str],
    seed: int,
    level: float,
) -> list[dict]:
    """The mean bias of nouns that are no persons, and how far that of professions is above it.

    A profession and the noun that it is matched with are drawn together.
    """
    at = dict(zip(text.targets, text.n, strict=True)) if text else {}
    pairs = matched({word: at.get(word, 0) for word in chosen}, _measured(nouns, bias, at))
    if len(pairs) < FEWEST_TARGETS:
        return []
    controls = bias.of(list(pairs.values())).observed
    numbers = {"controls": controls, "above-controls": bias.of(list(pairs)).observed - controls}
    common = {"n_of": len(chosen), "n_unit": "professions", "weak": bias.weak}
    units = {"controls": UNIT, "above-controls": DIFFERENCE}
    return [
        mean_over(row, column, number, list(pairs), level, seed, unit=units[column], **common)
        for column, number in numbers.items()
    ]


def _measured(nouns: Sequence[str], bias: Directed, contexts: Mapping[str, int]) -> dict[str, int]:
    """The nouns that have a bias, with their contexts that have a group."""
    known = bias.of(nouns)
    return {
        word: contexts.get(word, 0)
        for word, number in zip(nouns, known.observed, strict=True)
        if not np.isnan(number)
    }


def matched(contexts: Mapping[str, int], nouns: Mapping[str, int]) -> dict[str, str]:
    """For each profession a noun that is about as frequent, the most frequent profession first.

    Args:
        contexts: By profession, how often it stands with a group.
        nouns: By noun, the same.

    Returns:
        By profession, its noun; each noun once. Of those that are as near, the first by name.
    """
    left, pairs = sorted(nouns), {}
    for word in sorted(contexts, key=lambda word: (-contexts[word], word)):
        if left:
            ratios = np.abs(np.log1p([nouns[noun] for noun in left]) - np.log1p(contexts[word]))
            pairs[word] = left.pop(int(np.argmin(ratios)))
    return pairs


def amplification(
    same: Mapping[str, Levels],
    found: Mapping[str, Directed],
    employment: pd.DataFrame,
    level: float,
) -> list[dict]:
    """How much further representations go than their text and controls, on average.

    Args:
        same: By row, the levels of the same contexts.
        found: By row, the directed bias by that measure.
        employment: Shares of women and men by profession.
        level: Coverage of the intervals.

    Returns:
        Values of the columns `amplification@text`, `amplification@shuffled` and so on: means over
        professions of what Table 6 has for each.
    """
    records = []
    for row, levels in same.items():
        text = found.get(TEXT_OF[row], found.get(row))
        chosen = _professions(levels.biases["L2"], text, employment.index)
        for column, one, _, further in amplified(levels, chosen, level):
            if (~np.isnan(further.value)).sum() < FEWEST_TARGETS:
                continue
            said = {"n_unit": "professions", "unit": DIFFERENCE, "weak": levels.biases[one].weak}
            numbers = further.value, further.draws
            records.append(mean_value(row, column, *numbers, level, **said))
    return records


def same_contexts(
    tables: Mapping[str, pd.DataFrame], variant: str, found: Mapping[str, Directed], level: float
) -> dict[str, Levels]:
    """By row of `PROBES`, text, representations and controls in the same contexts."""
    return {
        row: of_same_contexts(tables[name], variant, level, found[row].weak, text)
        for row, (name, text) in PROBES.items()
        if name in tables
    }


def _professions(bias: Directed, text: Directed | None, census: Sequence[str]) -> list[str]:
    """The professions of the census that the text mentions often enough and that are measured."""
    known = dict(zip(bias.targets, bias.observed, strict=True))
    words = [word for word in census if not np.isnan(known.get(word, np.nan))]
    if text is None:
        return words
    contexts = dict(zip(text.targets, text.n, strict=True))
    return [word for word in words if contexts.get(word, 0) >= FEWEST_CONTEXTS]


def summarise(job: Job) -> list[dict]:
    """All cells; none without a census."""
    found, employment = read(job)
    if employment is None:
        return []
    nouns = job.word_lists("controls")["nouns"]
    records = values(found, employment, job.level, job.seed, nouns)
    same = same_contexts(read_tables(job), first_gender_list(job)[0], found, job.level)
    return records + amplification(same, found, employment, job.level)
