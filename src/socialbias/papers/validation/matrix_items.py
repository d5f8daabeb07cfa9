"""What the validity matrix is computed from: for each word the numbers that its scores are made of.

A score is made of items: cosines with the words of a trait's two poles, answers in templates,
counts in parts of a text, bootstrapped models. They stand in one table, so that a score and its
reliability over halves of the items are both computed from it.

| column | content |
|---|---|
| unit, term | such as `professions`, `nurse` |
| trait, method | such as `gender`, `glove`; a criterion has its name as trait and no method |
| pole | 1 or -1: the items of -1 are subtracted |
| item | an attribute word, or a template, a part of a text, a model |
| number | of the term in this item |
| how | how items become a score (`matrix.score`) |
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
import pandas as pd

from socialbias.corpora.contexts import contexts_of, match_blocks
from socialbias.corpora.prepared import Corpus
from socialbias.embeddings.vectors import WordVectors
from socialbias.measures.datasets.census import GENDER, read_shares
from socialbias.measures.text import exclusive
from socialbias.papers.inputs import read_vectors
from socialbias.papers.trustworthy.text import DEFAULT_LENGTH
from socialbias.papers.validation import units
from socialbias.papers.validation.units import NATIONALITIES, PROFESSIONS
from socialbias.pipeline.job import Job
from socialbias.sources.manifest import read_manifest
from socialbias.stats.similarity import Array, cosine_matrix

COSINES, LOG_ODDS, CONTEXTS, MODELS, KNOWN = "cosines", "log-odds", "contexts", "models", "known"
COLUMNS = ["unit", "term", "trait", "method", "pole", "item", "number", "how"]
SENTIMENT = "sentiment"  # a method
PARTS = 20  # of a text: its documents in turn, so that halves of them are halves of the text
TEXT, OWN = "prepared/wikipedia", "corpus/wikitext"


def measure(job: Job) -> pd.DataFrame:
    """Return the items of all methods but models, and of the criteria."""
    words, traits = units.terms(job), units.traits(job)
    parts = []
    for role, vectors in read_vectors(job, "matrix").items():
        parts += of_vectors(vectors, role, words, traits)
    if OWN in job:
        parts += _of_own_vectors(job, words, traits)
    if TEXT in job:
        corpus = Corpus.load(job.path(TEXT).parent)
        for trait, poles in traits.items():
            parts.append(of_text(corpus, words, poles).assign(trait=trait, method="text"))
    criteria = [("gdp", NATIONALITIES, pd.Series(units.nationalities(job), dtype=float))]
    if "census_gender" in job:
        year = job.settings["trustworthy.census_year"]
        shares = read_shares(*read_manifest(job.path("census_gender")), GENDER, year)
        women = shares["female"].reindex(words[PROFESSIONS])
        criteria.insert(0, ("women", PROFESSIONS, women))
    for name, unit, numbers in criteria:
        grid = numbers.dropna().to_frame("all")
        if len(grid):
            parts.append(long(grid, 1, KNOWN).assign(unit=unit, trait=name, method=""))
    table = pd.concat(parts, ignore_index=True)[COLUMNS]
    for unit, listed in words.items():
        job.say(f"{unit}: {len(listed)} words")
    return table


def of_vectors(
    vectors: WordVectors,
    method: str,
    words: Mapping[str, Sequence[str]],
    traits: Mapping[str, units.Poles],
) -> Iterator[pd.DataFrame]:
    """Cosines of each word with each word of each trait, as far as vectors have them."""
    for trait, poles in traits.items():
        if not all(map(vectors.covers, poles)):
            continue
        for unit, listed in words.items():
            forms = units.looked_up(listed, vectors.index)
            if not forms:
                continue
            rows = vectors.rows(list(forms.values()))
            known = [vectors.known(words) for words in poles]
            table = cosines(rows, list(forms), [vectors.rows(k) for k in known], known)
            yield table.assign(unit=unit, trait=trait, method=method)


def cosines(
    rows: Array, terms: Sequence[str], poles: Sequence[Array], words: Sequence[Sequence[str]]
) -> pd.DataFrame:
    """Cosines of n terms with the words of two poles as items.

    Args:
        rows: (n, d).
        terms: n names.
        poles: (m, d) of each pole.
        words: m names of each.
    """
    parts = []
    for pole, matrix, names in zip((1, -1), poles, words, strict=True):
        grid = pd.DataFrame(cosine_matrix(rows, matrix), index=list(terms), columns=list(names))
        parts.append(long(grid, pole, COSINES))
    return pd.concat(parts, ignore_index=True)


def long(grid: pd.DataFrame, pole: int, how: str) -> pd.DataFrame:
    """Numbers of terms (rows) in items (columns) as rows of a table."""
    table = grid.rename_axis("term").reset_index()
    table = table.melt("term", var_name="item", value_name="number")
    return table.assign(pole=pole, how=how, item=table["item"].astype(str))


def _of_own_vectors(
    job: Job, words: Mapping[str, Sequence[str]], traits: Mapping[str, units.Poles]
) -> Iterator[pd.DataFrame]:
    """Yield the score in each bootstrapped model that has enough words of a trait."""
    models = [WordVectors.load(path.parent) for path in job.files[f"{OWN}/models"]]
    for trait, poles in traits.items():
        for unit, listed in words.items():
            scores = {}
            for i, vectors in enumerate(models):
                forms = units.looked_up(listed, vectors.index)
                if not forms or not all(map(vectors.covers, poles)):
                    continue
                rows = vectors.rows(list(forms.values()))
                means = [cosine_matrix(rows, vectors.rows(vectors.known(p))).mean(1) for p in poles]
                scores[str(i)] = pd.Series(means[0] - means[1], index=list(forms))
            if scores:
                table = long(pd.DataFrame(scores), 1, MODELS)
                yield table.assign(unit=unit, trait=trait, method="own")


def of_text(corpus: Corpus, words: Mapping[str, Sequence[str]], poles: units.Poles) -> pd.DataFrame:
    """Return how often each word occurs with one pole and not with the other, in parts of a text.

    Contexts of three sentences, as of Table 3 (`trustworthy.text`).
    """
    names = {word.lower(): [word.lower()] for listed in words.values() for word in listed}
    targets = list(names)
    counts = np.zeros((2, len(targets), PARTS))
    for block in match_blocks(corpus, names, dict(zip("ab", poles, strict=True))):
        contexts = contexts_of(block, DEFAULT_LENGTH, keep_last=True)
        label = exclusive(contexts.masks, 2)
        for pole in (0, 1):
            chosen = label == pole
            cells = (contexts.targets[chosen], contexts.documents[chosen] % PARTS)
            np.add.at(counts[pole], cells, 1)
    parts = []
    for unit, listed in words.items():
        for pole, sign in enumerate((1, -1)):
            grid = pd.DataFrame(counts[pole], index=targets).loc[[w.lower() for w in listed]]
            parts.append(long(grid.set_axis(list(listed)), sign, CONTEXTS).assign(unit=unit))
    return pd.concat(parts, ignore_index=True)
