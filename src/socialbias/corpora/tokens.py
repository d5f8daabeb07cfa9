"""Text to ids of tokens: chunks, or spaCy's English tokens, ten times as fast as spaCy itself.

spaCy splits a text at whitespace and tokenises each chunk separately, so each distinct chunk needs
to be tokenised only once (`spacy_chunks`). There is one refinement: spaCy's last step joins
emoticons (`good:)`), in which tokens of *several* chunks can interfere: such an ambiguous chunk is
tokenised again by spaCy, together with its neighbours.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from importlib.metadata import version
from itertools import chain
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from socialbias.corpora.npy import GrowableArray

Ids = NDArray[np.uint32]
Kind = Literal["spacy", "whitespace"]
Lower = Literal["before", "after", "never"]
KINDS: tuple[Kind, ...] = ("spacy", "whitespace")
LOWER: tuple[Lower, ...] = ("before", "after", "never")

LINE, DOCUMENT = 0, 1  # ids that end a line and a document; words have the ids from 2 on
MARKS = ("\n", "\n\n")  # their chunks: no chunk of a text contains whitespace
PIECE = 1 << 20  # characters of a line split into chunks at a time
MAX_CACHED = 1_000_000  # chunks in the cache, which is cleared when it is full

SPACE, CHUNK = re.compile(r"\s"), re.compile(r"\S+")


class Words(dict):
    """Words and their ids, in order of appearance: `words[w]` gives a new word an id."""

    def __init__(self):
        super().__init__({mark: i for i, mark in enumerate(MARKS)})
        self.texts: list[str] = list(MARKS)

    def __missing__(self, word: str) -> int:
        number = self[word] = len(self)
        self.texts.append(word)
        return number


class _Chunks(dict):
    """Chunks and their numbers; new chunks are also added to `new`."""

    def __init__(self):
        super().__init__({mark: i for i, mark in enumerate(MARKS)})
        self.new: list[str] = []

    def __missing__(self, chunk: str) -> int:
        number = self[chunk] = len(self)
        self.new.append(chunk)
        return number


class _Ragged:
    """Lists of numbers of different lengths; item i is `flat[starts[i] : starts[i + 1]]`."""

    def __init__(self):
        self._flat, self._starts = GrowableArray([], np.uint32), GrowableArray([0], np.int64)

    def add(self, flat: Ids, lengths: NDArray[np.int64]) -> None:
        """Append concatenated lists of these lengths."""
        self._flat.add(flat)
        self._starts.add(self._starts.values[-1] + np.cumsum(lengths))

    def take(self, numbers: NDArray[np.int64]) -> Ids:
        """The lists with these numbers, concatenated."""
        if not len(numbers):
            return np.empty(0, np.uint32)
        starts = self._starts.values[numbers]
        lengths = self._starts.values[numbers + 1] - starts
        ends = np.cumsum(lengths)
        inside = np.arange(ends[-1]) - np.repeat(ends - lengths, lengths)
        return self._flat.values[np.repeat(starts, lengths) + inside]


class Tokeniser:
    """Converts lines and documents to ids.

    Attributes:
        words: The words so far.
        cut: Chunks too long to be a word, whose pieces were tokenised.
    """

    def __init__(self, kind: Kind = "spacy", lower: Lower = "before"):
        """Create a tokeniser.

        Args:
            kind: `spacy`, or `whitespace`: every chunk is a token.
            lower: Lower-case the text `before` tokenising, as in Bad Seeds (section 3), or the
                tokens `after` it (`Mr.` stays one token, `mr.` is two), or `never`.
        """
        self.words = Words()
        self.cut = 0
        self._kind, self._lower = kind, lower
        self._spacy = _spacy_chunks() if kind == "spacy" else None
        self._clear_cache()

    def _clear_cache(self) -> None:
        self._chunks, self._tokens = _Chunks(), _Ragged()
        self._ambiguous = GrowableArray([False, False], bool)
        self._barriers = GrowableArray([True, True], bool)
        self._tokens.add(np.array([LINE, DOCUMENT], np.uint32), np.ones(2, np.int64))

    def prepared(self, text: str) -> str:
        """A document's text, lower-cased if that comes first."""
        return text.lower() if self._lower == "before" else text

    def encode(self, chunks: list[str], lines: list[str | None]) -> Ids:
        """The ids of a block of chunks.

        Args:
            chunks: Of lines as yielded by `chunks_of`, with the line mark after each line, and the
                document mark at the end of a document.
            lines: The line before each line mark; None if it was split into pieces.

        Returns:
            Ids of words, `LINE` and `DOCUMENT`.
        """
        if len(self._chunks) > MAX_CACHED:
            self._clear_cache()
        numbers = np.fromiter(map(self._chunks.__getitem__, chunks), np.int64, len(chunks))
        if self._chunks.new:
            self._learn(self._chunks.new)
            self._chunks.new = []
        ambiguous = self._ambiguous.values[numbers]
        if not ambiguous.any():
            return self._tokens.take(numbers)
        return self._with_neighbours(numbers, ambiguous, lines)

    def _learn(self, new: list[str]) -> None:
        """Tokenise new chunks."""
        if self._spacy is None:
            tokens, ambiguous = [[chunk] for chunk in new], np.zeros(len(new), bool)
            self._barriers.add(~ambiguous)
        else:
            self.cut += sum(map(self._spacy.is_split, new))
            tokens, ambiguous = self._spacy.tokenise(new)
            self._barriers.add([self._spacy.is_barrier(item) for item in tokens])
        lengths = np.fromiter(map(len, tokens), np.int64, len(tokens))
        self._tokens.add(self._ids(chain.from_iterable(tokens)), lengths)
        self._ambiguous.add(ambiguous)

    def _ids(self, tokens: Iterable[str]) -> Ids:
        if self._lower == "after":
            tokens = map(str.lower, tokens)
        return np.fromiter(map(self.words.__getitem__, tokens), np.uint32)

    def _with_neighbours(
        self, numbers: NDArray[np.int64], ambiguous: NDArray[np.bool_], lines: list[str | None]
    ) -> Ids:
        """As `take`, with ambiguous chunks tokenised by spaCy together with their neighbours."""
        ends = np.flatnonzero(numbers == LINE)
        parts, done = [], 0
        for line in np.unique(np.searchsorted(ends, np.flatnonzero(ambiguous))).tolist():
            if line == len(ends) or lines[line] is None:
                continue  # a line of a million characters is not processed as a whole
            start = ends[line - 1] + 1 if line else 0
            start += numbers[start] == DOCUMENT
            spans = [match.span() for match in CHUNK.finditer(lines[line])]
            here = slice(start, ends[line])
            barriers = self._barriers.values[numbers[here]]
            for first, last in _segments(ambiguous[here], barriers):
                parts.append(self._tokens.take(numbers[done : start + first]))
                segment = lines[line][spans[first][0] : spans[last][1]]
                parts.append(self._ids(self._spacy.words(segment)))
                done = start + last + 1
        return np.concatenate([*parts, self._tokens.take(numbers[done:])])


def _segments(ambiguous: NDArray[np.bool_], barriers: NDArray[np.bool_]) -> list[tuple[int, int]]:
    """First and last chunk of the parts of a line that have to be tokenised together.

    They extend from each ambiguous chunk to the next barrier on either side, across which tokens
    cannot interfere.
    """
    segments: list[tuple[int, int]] = []
    for place in np.flatnonzero(ambiguous).tolist():
        before, after = np.flatnonzero(barriers[:place]), np.flatnonzero(barriers[place + 1 :])
        first = int(before[-1]) if len(before) else 0
        last = place + 1 + int(after[0]) if len(after) else len(barriers) - 1
        if segments and first <= segments[-1][1]:
            segments[-1] = (segments[-1][0], max(last, segments[-1][1]))
        else:
            segments.append((first, last))
    return segments


def chunks_of(text: str) -> Iterator[tuple[list[str], str | None, bool]]:
    r"""The chunks of a text, line by line.

    Args:
        text: Only `\n` ends a line.

    Yields:
        Chunks; the line, None if it was split; and whether it ends here. A line of more than
        `PIECE` characters is split into pieces of about that length, at whitespace if there is
        any.
    """
    for line in text.split("\n"):
        if len(line) <= PIECE:
            yield line.split(), line, True
            continue
        for start, end in _cuts(line):
            yield line[start:end].split(), None, end == len(line)


def _cuts(line: str) -> Iterator[tuple[int, int]]:
    """Begin and end of the pieces of a long line."""
    start = 0
    while start < len(line):
        space = SPACE.search(line, start + PIECE, start + 2 * PIECE)
        end = min(space.start() if space else start + 2 * PIECE, len(line))
        yield start, end
        start = end


def _spacy_chunks():
    """SpaCy's tokenizer, imported only if it is needed: the import takes half a second."""
    from socialbias.corpora.spacy_chunks import spacy_chunks

    return spacy_chunks()


def versions() -> str:
    """The tokenizer's version, for a report."""
    return f"spaCy {version('spacy')}"
