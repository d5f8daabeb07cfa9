"""Text to ids of tokens: chunks, or spaCy's English tokens, many times as fast as spaCy itself.

spaCy splits a text at whitespace and tokenises each chunk separately, so each distinct chunk needs
to be tokenised only once (`spacy_chunks`). There is one refinement: spaCy's last step joins
emoticons (`good:)`), in which tokens of *several* chunks can interfere: such an ambiguous chunk is
tokenised again by spaCy, together with its neighbours.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, compress
from typing import Literal

import numpy as np
from numpy.typing import NDArray

Ids = NDArray[np.uint32]
Kind = Literal["spacy", "whitespace"]
Lower = Literal["before", "after", "never"]
KINDS: tuple[Kind, ...] = ("spacy", "whitespace")
LOWER: tuple[Lower, ...] = ("before", "after", "never")

LINE, DOCUMENT = 0, 1  # ids that end a line and a document; words have the ids from 2 on
MARKS = ("\n", "\n\n")  # their words: no word contains whitespace
MAX_CACHED = 500_000  # chunks in the cache, which is cleared when it is full
CHUNK = re.compile(r"\S+")


class Words(dict):
    """Words and their ids, in order of appearance: `words[w]` gives a new word an id."""

    def __init__(self):
        super().__init__({mark: i for i, mark in enumerate(MARKS)})
        self.texts: list[str] = list(MARKS)

    def __missing__(self, word: str) -> int:
        number = self[word] = len(self)
        self.texts.append(word)
        return number


class Tokeniser:
    """Converts documents to ids.

    Attributes:
        words: The words so far.
    """

    def __init__(self, kind: Kind = "spacy", lower: Lower = "before"):
        """Create a tokeniser."""
        self.words = Words()
        self._lower, self._spacy = lower, None
        if kind == "spacy":
            from socialbias.corpora.spacy_chunks import spacy_chunks  # half a second to import

            self._spacy = spacy_chunks()
        self._clear_cache()

    def _clear_cache(self) -> None:
        self._tokens: dict[str, tuple[int, ...]] = {}  # ids by chunk
        self._ambiguous: set[str] = set()
        self._barriers: set[str] = set()  # chunks across which tokens cannot interfere

    def encode(self, texts: Sequence[str]) -> Ids:
        """Return the ids of documents, with a mark behind each line and each document."""
        if len(self._tokens) > MAX_CACHED:
            self._clear_cache()
        if self._lower == "before":
            texts = [text.lower() for text in texts]
        distinct = dict.fromkeys(chain.from_iterable(map(str.split, texts)))
        self._learn([chunk for chunk in distinct if chunk not in self._tokens])
        ids: list[int] = []
        for text in texts:
            for line in text.split("\n"):
                chunks = line.split()
                if self._ambiguous.isdisjoint(chunks):
                    ids.extend(self._known(chunks))
                else:
                    ids.extend(self._with_neighbours(line))
                ids.append(LINE)
            ids.append(DOCUMENT)
        return np.array(ids, np.uint32)

    def _learn(self, new: list[str]) -> None:
        """Tokenise new chunks."""
        tokens = [[chunk] for chunk in new]
        if self._spacy is not None:
            tokens, ambiguous = self._spacy.tokenise(new)
            self._ambiguous.update(compress(new, ambiguous))
            self._barriers.update(compress(new, map(self._spacy.is_barrier, tokens)))
        self._tokens |= zip(new, map(self._ids, tokens), strict=True)

    def _known(self, chunks: Iterable[str]) -> Iterator[int]:
        return chain.from_iterable(map(self._tokens.__getitem__, chunks))

    def _ids(self, tokens: Iterable[str]) -> tuple[int, ...]:
        if self._lower == "after":
            tokens = map(str.lower, tokens)
        return tuple(map(self.words.__getitem__, tokens))

    def _with_neighbours(self, line: str) -> Iterator[int]:
        """Yield the ids of a line whose ambiguous chunks are tokenised with their neighbours.

        Those are the chunks up to the next barrier on either side.
        """
        places = list(CHUNK.finditer(line))
        chunks, segments = [place[0] for place in places], []
        barriers = [i for i, chunk in enumerate(chunks) if chunk in self._barriers]
        for i in (i for i, chunk in enumerate(chunks) if chunk in self._ambiguous):
            before, after = bisect_left(barriers, i), bisect_right(barriers, i)
            first = barriers[before - 1] if before else 0
            last = barriers[after] if after < len(barriers) else len(chunks) - 1
            if segments and first <= segments[-1][1]:
                first = segments.pop()[0]
            segments.append((first, last))
        done = 0
        for first, last in segments:
            yield from self._known(chunks[done:first])
            text = line[places[first].start() : places[last].end()]
            yield from self._ids(self._spacy.words(text))
            done = last + 1
        yield from self._known(chunks[done:])
