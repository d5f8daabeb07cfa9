"""Pairs of sentences to learn from whether one follows the other.

Nadeem et al. 2021, appendix A.5: of an article of Wikipedia the sentences i and i + 1, and sentence
i with a random sentence of another article.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
import pandas as pd

from socialbias.errors import UserError

# A sentence ends at . ! or ? before a capital, unless the stop belongs to an initial or a title.
END = re.compile(
    r"(?<=[.!?])(?<![A-Z]\.)(?<!\bMr\.)(?<!\bMrs\.)(?<!\bDr\.)(?<!\bSt\.)(?<!\bJr\.)(?<!\bNo\.)"
    r"\s+(?=[\"'“(]?\s?[A-Z])"
)
# What undoes the spaces that WikiText puts around punctuation.
JOINED = (
    (re.compile(r" @([^\w\s])@ "), r"\1"),
    (re.compile(r'(?<!\S)" (.+?) "(?!\S)'), r'"\1"'),
    (re.compile(r"(?<=[(\[$£€]) | (?=[.,;:!?%)\]](?: |$|[\"')]))"), ""),
    (re.compile(r" (?='(?:s|re|ve|ll|d|m)\b)|(?<=s) (?='(?: |$))| (?=n't\b)"), ""),
)
FEWEST_WORDS = 3


def sentences(text: str) -> list[str]:
    """Return the sentences of a document, as a reader would type them.

    They end at a full stop, question or exclamation mark before a capital, and with their line;
    the spaces and marks of WikiText around punctuation (` , `, ` @-@ `) are undone.
    """
    parts = [sentence.strip() for line in text.split("\n") for sentence in END.split(line)]
    parts = [part for part in parts if part]
    for pattern, joined in JOINED:
        parts = [pattern.sub(joined, part) for part in parts]
    return parts


def next_sentence_pairs(
    documents: Sequence[Sequence[str]],
    n: int,
    rng: np.random.Generator,
    *,
    longest: int | None = None,
) -> pd.DataFrame:
    """Pairs of sentences, half of which follow each other in a document.

    Each chosen sentence i is there twice, with sentence i + 1 and with one of another document. The
    latter are the sentences i + 1 of other pairs, each used once: a second sentence by itself says
    nothing about whether it follows.
    """
    most = np.inf if longest is None else longest
    usable = [[FEWEST_WORDS <= len(s.split()) <= most for s in document] for document in documents]
    places = np.array(
        [
            (d, i)
            for d, good in enumerate(usable)
            for i in range(len(good) - 1)
            if good[i] and good[i + 1]
        ],
        np.int64,
    ).reshape(-1, 2)
    size = (n + 1) // 2 or len(places)
    if size > len(places):
        raise UserError(
            f"{len(documents)} documents have {len(places):,} sentences that another follows: "
            f"too few for {n:,} pairs; use more text or fewer pairs"
        )
    chosen = places[rng.choice(len(places), size, replace=False)]
    # Documents in random order and the pairs of each together: as many places further on as the
    # largest has pairs, there is another document.
    order = np.argsort(rng.permutation(len(documents))[chosen[:, 0]], kind="stable")
    chosen = chosen[order]
    largest = int(np.bincount(chosen[:, 0]).max(initial=0))
    if not size or 2 * largest > size:
        raise UserError(
            f"{largest} of {size} sentences are from one document, so some have no counterpart "
            "from another document: use more documents"
        )
    firsts = [documents[d][i] for d, i in chosen]
    seconds = [documents[d][i + 1] for d, i in chosen]
    others = seconds[largest:] + seconds[:largest]
    return pd.DataFrame(
        {
            "first": np.repeat(np.array(firsts, object), 2),
            "second": np.array([seconds, others], object).T.ravel(),
            "label": np.tile([1, 0], size),
            "document": np.repeat(chosen[:, 0], 2),
        }
    )
