"""Text to ids of tokens: chunks, or spaCy's English tokens, many times as fast as spaCy itself.

spaCy splits a text at whitespace and tokenises each chunk separately, so each distinct chunk needs
to be tokenised only once (`spacy_chunks`). There is one refinement: spaCy's last step joins
emoticons (`good:)`), in which tokens of *several* chunks can interfere: such an ambiguous chunk is
tokenised again by spaCy, together with its neighbours.

Chunks are found in the bytes of a block of text and numbered by Arrow, so that Python sees each
distinct chunk of a block once.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import chain, pairwise
from typing import Literal

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from socialbias.corpora.npy import GrowableArray

Bytes = NDArray[np.uint8]
Ids = NDArray[np.uint32]
Kind = Literal["spacy", "whitespace"]
Lower = Literal["before", "after", "never"]
KINDS: tuple[Kind, ...] = ("spacy", "whitespace")
LOWER: tuple[Lower, ...] = ("before", "after", "never")

LINE, DOCUMENT = 0, 1  # ids that end a line and a document; words have the ids from 2 on
MARKS = ("\n", "\n\n")  # their words: no word contains whitespace
END = b"\xff"  # of a document, in the bytes of a block: UTF-8 has no such byte
PIECE = 1 << 20  # characters of a line split into chunks at a time
AT_ONCE = 20_000  # chunks turned into ids at a time: as many as fit into the processor's cache
MAX_CACHED = 1_000_000  # chunks in the cache, which is cleared when it is full

SPACE = re.compile(r"\s")
BLANKS = bytes(i for i in range(128) if chr(i).isspace() and chr(i) != "\n")
# Whitespace of two and three bytes, as numbers; no later character is whitespace.
WIDE = [chr(i).encode() for i in range(128, 0x3001) if chr(i).isspace()]
WIDE_BLANKS = {n: [int.from_bytes(x) for x in WIDE if len(x) == n] for n in (2, 3)}
BLANK, VISIBLE, MARK = 0, 1, 2
KIND_OF_BYTE = np.full(256, VISIBLE, np.uint8)
KIND_OF_BYTE[list(BLANKS)] = BLANK
KIND_OF_BYTE[list(b"\n" + END)] = MARK


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
    """Numbers of chunks, each with the whitespace behind it; new chunks are added to `new`."""

    def __init__(self):
        super().__init__({b"\n ": LINE, END + b" ": DOCUMENT})
        self.size = len(self)
        self.new: list[str] = []

    def __missing__(self, spaced: bytes) -> int:
        chunk = spaced.rstrip(BLANKS)
        usual = chunk + b" "
        if spaced != usual:
            number = self[spaced] = self[usual]
            return number
        number = self[spaced] = self.size
        self.size += 1
        self.new.append(chunk.decode("utf-8", "surrogatepass"))
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
        """Return the lists with these numbers, concatenated."""
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
        cut: Distinct chunks too long to be a word, whose pieces were tokenised.
    """

    def __init__(self, kind: Kind = "spacy", lower: Lower = "before"):
        """Create a tokeniser."""
        self.words = Words()
        self.cut: set[str] = set()
        self._kind, self._lower = kind, lower
        self._spacy = None
        if kind == "spacy":
            from socialbias.corpora.spacy_chunks import spacy_chunks  # half a second to import

            self._spacy = spacy_chunks()
        self._clear_cache()

    def _clear_cache(self) -> None:
        self._chunks, self._tokens = _Chunks(), _Ragged()
        self._ambiguous = GrowableArray([False, False], bool)
        self._barriers = GrowableArray([True, True], bool)
        self._tokens.add(np.array([LINE, DOCUMENT], np.uint32), np.ones(2, np.int64))

    def prepared(self, text: str) -> str:
        """Return a document's text, lower-cased if that comes first."""
        return text.lower() if self._lower == "before" else text

    def encode(self, text: bytes, *, whole: bool = True) -> Iterator[Ids]:
        """Yield the ids of a block of text."""
        if len(self._chunks) > MAX_CACHED:
            self._clear_cache()
        starts, codes, distinct = _numbered(text)
        numbers = np.fromiter(map(self._chunks.__getitem__, distinct), np.int64, len(distinct))
        new, self._chunks.new = self._chunks.new, []
        for first in range(0, len(new), AT_ONCE):
            self._learn(new[first : first + AT_ONCE])
        numbers = numbers[codes]
        cuts = np.arange(AT_ONCE, len(codes), AT_ONCE)
        if whole:  # cut behind marks alone
            ends = np.flatnonzero(numbers <= DOCUMENT) + 1
            cuts = np.unique(ends[np.searchsorted(ends[:-1], cuts)])
        cuts = cuts[cuts < len(codes)].tolist()
        for first, last in pairwise([0, *cuts, len(codes)]):
            part = numbers[first:last]
            if whole and self._ambiguous.values[part].any():
                yield self._with_neighbours(part, text, starts[first : last + 1])
            else:
                yield self._tokens.take(part)

    def _learn(self, new: list[str]) -> None:
        """Tokenise new chunks."""
        if self._spacy is None:
            tokens, ambiguous = [[chunk] for chunk in new], np.zeros(len(new), bool)
            self._barriers.add(~ambiguous)
        else:
            self.cut.update(filter(self._spacy.is_split, new))
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
        self, numbers: NDArray[np.int64], text: bytes, starts: NDArray[np.int32]
    ) -> Ids:
        """As `take`, with ambiguous chunks tokenised by spaCy together with their neighbours."""
        ends, ambiguous = np.flatnonzero(numbers <= DOCUMENT), self._ambiguous.values[numbers]
        parts, done = [], 0
        for line in np.unique(np.searchsorted(ends, np.flatnonzero(ambiguous))).tolist():
            start = ends[line - 1] + 1 if line else 0
            line_range = slice(start, ends[line])
            barriers = self._barriers.values[numbers[line_range]]
            for first, last in _segments(ambiguous[line_range], barriers):
                parts.append(self._tokens.take(numbers[done : start + first]))
                segment = text[starts[start + first] : starts[start + last + 1]]
                segment = segment.decode("utf-8", "surrogatepass").rstrip()
                parts.append(self._ids(self._spacy.words(segment)))
                done = start + last + 1
        return np.concatenate([*parts, self._tokens.take(numbers[done:])])


def _numbered(text: bytes) -> tuple[NDArray[np.int32], NDArray[np.int32], list[bytes]]:
    """Chunks and marks of a text."""
    letters = _with_blanks(np.frombuffer(text, np.uint8))
    kinds = KIND_OF_BYTE[letters]
    begins = kinds == VISIBLE
    begins[1:] &= kinds[:-1] != VISIBLE
    begins |= kinds == MARK
    starts = np.append(np.flatnonzero(begins).astype(np.int32), np.int32(len(text)))
    del kinds, begins
    buffers = [None, pa.py_buffer(starts), pa.py_buffer(letters)]
    chunks = pa.Array.from_buffers(pa.binary(), len(starts) - 1, buffers).dictionary_encode()
    return starts, chunks.indices.to_numpy(), chunks.dictionary.to_pylist()


def _with_blanks(letters: Bytes) -> Bytes:
    """UTF-8 with a blank for each byte of whitespace beyond ASCII."""
    first = np.flatnonzero((letters >= WIDE[0][0]) & (letters <= WIDE[-1][0]))
    if not len(first):
        return letters
    pair = letters[first].astype(np.int64) << 8 | letters[first + 1]
    triple = pair << 8 | np.take(letters, first + 2, mode="clip")
    changed = letters.copy()
    for size, values in ((2, pair), (3, triple)):
        places = first[np.isin(values, WIDE_BLANKS[size])]
        changed[places[:, None] + np.arange(size)] = ord(" ")
    return changed


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


def pieces_of(text: str) -> Iterator[tuple[bytes, bool]]:
    r"""Yield a text in pieces for `Tokeniser.encode`."""
    if len(text) <= PIECE:
        yield _utf8(text) + b"\n" + END, True
        return
    for line in text.split("\n"):
        if len(line) <= PIECE:
            yield _utf8(line) + b"\n", True
            continue
        start = 0
        while start < len(line):
            space = SPACE.search(line, start + PIECE, start + 2 * PIECE)
            end = min(space.start() if space else start + 2 * PIECE, len(line))
            yield _utf8(line[start:end]), False
            start = end
        yield b"\n", True
    yield END, True


def _utf8(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")
