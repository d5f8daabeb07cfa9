"""Text to ids of tokens: spaCy's English ones, an order of magnitude faster than spaCy, or chunks.

spaCy cuts a text at whitespace and tokenises each chunk by itself, so a chunk needs to be looked
at once (`spacy_chunks`). One thing is left: spaCy's last step joins emoticons (`good:)`) where
tokens of *several* chunks can get in each other's way: such a chunk is given to spaCy again, with
its neighbours.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from importlib.metadata import version
from itertools import chain
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from socialbias.corpora.npy import Growing

Ids = NDArray[np.uint32]
Kind = Literal["spacy", "whitespace"]
Lower = Literal["before", "after", "never"]
KINDS: tuple[Kind, ...] = ("spacy", "whitespace")
LOWER: tuple[Lower, ...] = ("before", "after", "never")

LINE, DOCUMENT = 0, 1  # ids that end a line and a document; words have the ids from 2 on
MARKS = ("\n", "\n\n")  # their chunks: no chunk of a text has whitespace
PIECE = 1 << 20  # characters of a line that are cut into chunks at a time
MEMORY = 1_000_000  # chunks that are remembered; more are forgotten together

SPACE, CHUNK = re.compile(r"\s"), re.compile(r"\S+")


class Words(dict):
    """Words and their ids, in the order in which they come: `words[w]` gives a new word an id."""

    def __init__(self):
        super().__init__({mark: i for i, mark in enumerate(MARKS)})
        self.texts: list[str] = list(MARKS)

    def __missing__(self, word: str) -> int:
        number = self[word] = len(self)
        self.texts.append(word)
        return number


class _Chunks(dict):
    """Chunks and their numbers; what is new is also put into `fresh`."""

    def __init__(self):
        super().__init__({mark: i for i, mark in enumerate(MARKS)})
        self.fresh: list[str] = []

    def __missing__(self, chunk: str) -> int:
        number = self[chunk] = len(self)
        self.fresh.append(chunk)
        return number


class _Ragged:
    """Lists of numbers of different lengths; item i is `flat[starts[i] : starts[i + 1]]`."""

    def __init__(self):
        self._flat, self._starts = Growing([], np.uint32), Growing([0], np.int64)

    def add(self, flat: Ids, lengths: NDArray[np.int64]) -> None:
        """Append lists, one behind the other, of these lengths."""
        self._flat.add(flat)
        self._starts.add(self._starts.values[-1] + np.cumsum(lengths))

    def take(self, numbers: NDArray[np.int64]) -> Ids:
        """The lists of these numbers, one behind the other."""
        if not len(numbers):
            return np.empty(0, np.uint32)
        starts = self._starts.values[numbers]
        lengths = self._starts.values[numbers + 1] - starts
        ends = np.cumsum(lengths)
        inside = np.arange(ends[-1]) - np.repeat(ends - lengths, lengths)
        return self._flat.values[np.repeat(starts, lengths) + inside]


class Tokeniser:
    """Lines and documents to ids.

    Attributes:
        words: The words so far.
        cut: Chunks that were too long for a word: their pieces were tokenised.
    """

    def __init__(self, kind: Kind = "spacy", lower: Lower = "before"):
        """Make one.

        Args:
            kind: `spacy`, or `whitespace`: every chunk is a token.
            lower: Lower-case the text `before` it is tokenised, as Bad Seeds says (section 3), or
                the tokens `after` it (`Mr.` stays one token, `mr.` is two), or `never`.
        """
        self.words = Words()
        self.cut = 0
        self._kind, self._lower = kind, lower
        self._spacy = _spacy_chunks() if kind == "spacy" else None
        self._forget()

    def _forget(self) -> None:
        self._chunks, self._tokens = _Chunks(), _Ragged()
        self._risky, self._bars = Growing([False, False], bool), Growing([True, True], bool)
        self._tokens.add(np.array([LINE, DOCUMENT], np.uint32), np.ones(2, np.int64))

    def prepared(self, text: str) -> str:
        """A document's text, lower-cased where that comes first."""
        return text.lower() if self._lower == "before" else text

    def encode(self, chunks: list[str], lines: list[str | None]) -> Ids:
        """The ids of a block of chunks.

        Args:
            chunks: Of lines as `chunks_of` gives them, the mark of a line's end behind each line;
                where a document ends, its mark follows.
            lines: The line before each mark of a line's end; None where it came in pieces.

        Returns:
            Ids of words, `LINE` and `DOCUMENT`.
        """
        if len(self._chunks) > MEMORY:
            self._forget()
        numbers = np.fromiter(map(self._chunks.__getitem__, chunks), np.int64, len(chunks))
        if self._chunks.fresh:
            self._learn(self._chunks.fresh)
            self._chunks.fresh = []
        risky = self._risky.values[numbers]
        return self._around(numbers, risky, lines) if risky.any() else self._tokens.take(numbers)

    def _learn(self, fresh: list[str]) -> None:
        """Tokenise chunks that have not been seen."""
        if self._spacy is None:
            tokens, risky = [[chunk] for chunk in fresh], np.zeros(len(fresh), bool)
            self._bars.add(~risky)
        else:
            self.cut += sum(map(self._spacy.is_cut, fresh))
            tokens, risky = self._spacy.tokenise(fresh)
            self._bars.add([self._spacy.bars(item) for item in tokens])
        lengths = np.fromiter(map(len, tokens), np.int64, len(tokens))
        self._tokens.add(self._ids(chain.from_iterable(tokens)), lengths)
        self._risky.add(risky)

    def _ids(self, tokens: Iterable[str]) -> Ids:
        if self._lower == "after":
            tokens = map(str.lower, tokens)
        return np.fromiter(map(self.words.__getitem__, tokens), np.uint32)

    def _around(
        self, numbers: NDArray[np.int64], risky: NDArray[np.bool_], lines: list[str | None]
    ) -> Ids:
        """As `take`, with the risky chunks tokenised by spaCy between their neighbours."""
        ends = np.flatnonzero(numbers == LINE)
        parts, done = [], 0
        for line in np.unique(np.searchsorted(ends, np.flatnonzero(risky))).tolist():
            if line == len(ends) or lines[line] is None:
                continue  # a line of a million characters is not looked at as a whole
            start = ends[line - 1] + 1 if line else 0
            start += numbers[start] == DOCUMENT
            spans = [match.span() for match in CHUNK.finditer(lines[line])]
            here = slice(start, ends[line])
            for first, last in _segments(risky[here], self._bars.values[numbers[here]]):
                parts.append(self._tokens.take(numbers[done : start + first]))
                segment = lines[line][spans[first][0] : spans[last][1]]
                parts.append(self._ids(self._spacy.words(segment)))
                done = start + last + 1
        return np.concatenate([*parts, self._tokens.take(numbers[done:])])


def _segments(risky: NDArray[np.bool_], bars: NDArray[np.bool_]) -> list[tuple[int, int]]:
    """First and last chunk of the parts of a line that have to be looked at together.

    From each risky chunk they reach to the next chunk on either side that bars: nothing that goes
    on beyond one touches what is before it.
    """
    found: list[tuple[int, int]] = []
    for place in np.flatnonzero(risky).tolist():
        before, after = np.flatnonzero(bars[:place]), np.flatnonzero(bars[place + 1 :])
        first = int(before[-1]) if len(before) else 0
        last = place + 1 + int(after[0]) if len(after) else len(bars) - 1
        if found and first <= found[-1][1]:
            found[-1] = (found[-1][0], max(last, found[-1][1]))
        else:
            found.append((first, last))
    return found


def chunks_of(text: str) -> Iterator[tuple[list[str], str | None, bool]]:
    r"""The chunks of a text, line by line.

    Args:
        text: Only `\n` ends a line.

    Yields:
        Chunks; the line, None for what is not a whole one; and whether it ends here. A line of
        more than `PIECE` characters comes in pieces of about that length, cut at whitespace where
        there is any.
    """
    for line in text.split("\n"):
        if len(line) <= PIECE:
            yield line.split(), line, True
            continue
        for start, end in _cuts(line):
            yield line[start:end].split(), None, end == len(line)


def _cuts(line: str) -> Iterator[tuple[int, int]]:
    """Where the pieces of a long line begin and end."""
    start = 0
    while start < len(line):
        space = SPACE.search(line, start + PIECE, start + 2 * PIECE)
        end = min(space.start() if space else start + 2 * PIECE, len(line))
        yield start, end
        start = end


def _spacy_chunks():
    """SpaCy's tokenizer, imported where it is wanted: it takes half a second."""
    from socialbias.corpora.spacy_chunks import spacy_chunks

    return spacy_chunks()


def versions() -> str:
    """What tokenised, for a report."""
    return f"spaCy {version('spacy')}"
