"""The original text of a prepared corpus's sentences, for models that need case and spacing.

A prepared corpus has ids of lower-cased tokens; the text is in the shards from which it was made.
Tokens are separated only by whitespace, so the tenth visible character of a document's tokens is
the tenth visible character of its text: this is how tokens are aligned.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from socialbias.corpora.documents import Document
from socialbias.corpora.prepared import Corpus
from socialbias.corpora.shards import read_index, read_selected
from socialbias.errors import UserError

LAST_SPACE = 0x3000  # no later character is whitespace
GROWS = ord("İ")  # the only character that becomes two in lower case
SPACES = np.array([chr(i).isspace() for i in range(LAST_SPACE + 2)])


@dataclass(frozen=True)
class RawSentence:
    """A sentence in its original form."""

    number: int  # its number among the corpus's sentences
    document: int  # the number of its document
    text: str  # its characters, from its first token to its last
    spans: list[tuple[int, int]]  # begin and end of each of its tokens in `text`


def raw_sentences(
    index_path: Path, corpus: Corpus, numbers: Iterable[int]
) -> Iterator[RawSentence]:
    """Yield sentences with their original characters; only the documents of these are read."""
    n_documents = read_index(index_path)["documents"]
    if n_documents != corpus.size:
        raise UserError(
            f"{index_path}: {n_documents} documents, but {corpus.size} were prepared: prepare the "
            "corpus again"
        )
    numbers = np.unique(np.fromiter(numbers, np.int64))
    owners = np.searchsorted(corpus.documents, corpus.sentences[numbers], side="right") - 1
    for number, document in read_selected(index_path, owners.tolist()):
        starts, ends = _aligned(corpus, number, document)
        own = slice(*np.searchsorted(owners, [number, number + 1]))
        for sentence in numbers[own].tolist():
            first, last = corpus.sentences[sentence : sentence + 2] - corpus.documents[number]
            begin, end = starts[first], ends[last - 1]
            spans = np.stack([starts[first:last], ends[first:last]], axis=1) - begin
            yield RawSentence(
                number=sentence,
                document=number,
                text=document.text[begin:end],
                spans=list(map(tuple, spans.tolist())),
            )


def _aligned(
    corpus: Corpus, number: int, document: Document
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Begin and end of each token in a document's text."""
    codes = np.frombuffer(document.text.encode("utf-32-le", "surrogatepass"), "<u4")
    visible = np.flatnonzero(~SPACES[np.minimum(codes, LAST_SPACE + 1)])
    if corpus.report.get("lower") != "never":
        visible = np.repeat(visible, 1 + (codes[visible] == GROWS))
    words = list(corpus.texts(number))
    lengths = np.array([len(word) for word in words], np.int64)
    written = "".join(document.text.split()).casefold()  # a final sigma has two forms
    if lengths.sum() != len(visible) or "".join(words).casefold() != written:
        raise UserError(
            f"document {document.id}: its tokens are not those of its text: prepare it again"
        )
    ends = np.cumsum(lengths)
    return visible[ends - lengths], visible[ends - 1] + 1
