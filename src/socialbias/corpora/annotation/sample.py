"""Drawing the contexts that people label, and their text.

The sample is representative: shares of labels in it estimate those of the corpus. It is stratified
by the groups whose words a context contains, each stratum in its natural proportion, and spread
over documents, so that a document with many contexts of a target contributes more of them.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from socialbias.corpora.annotation.items import Item, Sample, compose, item_name
from socialbias.corpora.contexts import Contexts, Matches
from socialbias.corpora.prepared import Corpus
from socialbias.corpora.raw import raw_sentences
from socialbias.stats.seeding import generator


def draw(table: pd.DataFrame, n: int, per_target: int, shared: int, seed: int) -> pd.DataFrame:
    """Contexts for annotation, in the order in which annotators see them.

    Within a target and a stratum the contexts, in corpus order, are divided into as many segments
    of equal length as contexts are needed, and one is drawn from each. No sentence is drawn twice,
    not even for different targets; if that leaves a segment without a context, one is drawn from
    anywhere. The rarest target chooses first.

    `table` is of `candidates`, `n` are the sentences of a context, `per_target` the contexts of
    each target, and `shared` those of them that all annotators label, which come first.
    """
    table = table.sort_values(["target", "first"], ignore_index=True)
    sizes = table["target"].value_counts()
    used: set[int] = set()
    parts = []
    for target in sorted(sizes.index, key=lambda name: (sizes[name], name)):
        rng = generator(seed, "annotation", target)
        own = table[table["target"] == target]
        rows = _spread(own, n, per_target, used, rng)
        everyone = rng.permutation(len(rows)) < shared
        parts.append(own.iloc[rows].assign(everyone=everyone))
    drawn = pd.concat(parts) if parts else table.assign(everyone=False)
    drawn = drawn.sample(frac=1, random_state=generator(seed, "annotation", "order"))
    drawn = drawn.sort_values("everyone", ascending=False, kind="stable", ignore_index=True)
    # The stratum nearly determines the automated label.
    return drawn[["target", "document", "first", "everyone"]]


def _spread(
    own: pd.DataFrame, n: int, size: int, used: set[int], rng: np.random.Generator
) -> list[int]:
    """Rows of one target's contexts, spread over strata and documents; updates `used`."""
    firsts, strata = own["first"].to_numpy(), own["stratum"].to_numpy()
    chosen: list[int] = []
    for stratum, quota in proportional(strata, min(size, len(own))).items():
        for segment in np.array_split(np.flatnonzero(strata == stratum), quota or 1):
            chosen += _free(rng.permutation(segment), firsts, n, min(1, quota), used)
    return chosen + _free(rng.permutation(len(own)), firsts, n, size - len(chosen), used)


def _free(
    rows: NDArray[np.int64], firsts: NDArray[np.int64], n: int, needed: int, used: set[int]
) -> list[int]:
    """Return the first `needed` rows without a used sentence; updates `used`."""
    chosen: list[int] = []
    for row in rows.tolist():
        if len(chosen) == needed:
            break
        window = range(firsts[row], firsts[row] + n)
        if used.isdisjoint(window):
            used.update(window)
            chosen.append(row)
    return chosen


def proportional(strata: NDArray, size: int) -> dict[int, int]:
    """Sample sizes by stratum, in natural proportion, by the method of largest remainders."""
    names, counts = np.unique(strata, return_counts=True)
    shares = counts * size / max(1, counts.sum())
    quotas = np.floor(shares).astype(int)
    largest = np.argsort(quotas - shares, kind="stable")[: size - quotas.sum()]
    quotas[largest] += 1
    return dict(zip(names.tolist(), quotas.tolist(), strict=True))


def candidates(matches: Matches, contexts: Contexts) -> pd.DataFrame:
    """Return a table of target, document, window's first sentence, and groups as stratum."""
    targets = np.array(list(matches.targets), dtype=object)[contexts.targets]
    columns = {"target": targets, "document": contexts.documents, "first": contexts.firsts}
    return pd.DataFrame(columns | {"stratum": contexts.masks})


def distinct(table: pd.DataFrame, n: int, matches: Matches, corpus: Corpus) -> pd.DataFrame:
    """Candidates without those of the same target, document and text as another.

    An item is named after its text, so equal ones would become one item, and fewer would be
    labelled than were drawn.
    """
    windows = _windows(table, n, matches)
    lengths = corpus.sentences[windows + 1] - corpus.sentences[windows]
    shape = pd.DataFrame(np.hstack([lengths, np.diff(windows) == 1]), table.index)
    shape = shape.assign(target=table["target"], document=table["document"])
    alike = shape.duplicated(keep=False)  # few contexts, and only these have to be read
    tokens = [
        b"".join(corpus.tokens[slice(*corpus.sentences[i : i + 2])].tobytes() for i in window)
        for window in windows[alike].tolist()
    ]
    repeated = shape[alike].assign(tokens=tokens).duplicated()
    return table.drop(index=repeated.index[repeated]).reset_index(drop=True)


def make_sample(
    drawn: pd.DataFrame, n: int, matches: Matches, corpus: Corpus, documents: Path, provenance: dict
) -> Sample:
    """Drawn contexts with their text, from `documents`, the index of the documents' shards."""
    windows = _windows(drawn, n, matches)
    raw = {s.number: s for s in raw_sentences(documents, corpus, np.unique(windows).tolist())}
    items = []
    for row, numbers in zip(drawn.itertuples(), windows.tolist(), strict=True):
        target_words = set(matches.targets[row.target])
        tokens = [corpus.tokens[slice(*corpus.sentences[i : i + 2])] for i in numbers]
        sentences = [[corpus.words[token] for token in sentence] for sentence in tokens]
        pieces = []
        for number, words in zip(numbers, sentences, strict=True):
            spans = zip(raw[number].spans, words, strict=True)
            mentions = [span for span, word in spans if word in target_words]
            pieces.append((raw[number].text, mentions))
        text, spans = compose(pieces, [True, *(np.diff(numbers) == 1)])
        name = item_name(row.target, row.document, text)
        items.append(Item(name, row.target, row.document, text, spans, sentences, row.everyone))
    return Sample(tuple(matches.groups), {item.item: item for item in items}, provenance)


def _windows(table: pd.DataFrame, n: int, matches: Matches) -> NDArray[np.int64]:
    """(rows, n) the sentence numbers of each context."""
    rows = table["first"].to_numpy(np.int64)[:, None] + np.arange(n)
    return matches.sentences.numbers[rows]
