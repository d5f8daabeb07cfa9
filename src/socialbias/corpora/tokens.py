r"""The tokens of spaCy's English tokenizer, an order of magnitude faster than spaCy itself.

spaCy splits a text at whitespace and tokenises each chunk separately, so each distinct chunk needs
to be tokenised only once. There are two refinements. Chunks of plain words, hyphens and common
punctuation, half of all distinct ones, are split by a single regular expression instead of spaCy's
many. And spaCy's last step joins emoticons (`good:)`), in which tokens of *several* chunks can
interfere: such an ambiguous chunk is tokenised again by spaCy, together with its neighbours.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cache
from itertools import chain
from typing import Literal

import numpy as np
import spacy
from numpy.typing import NDArray
from spacy.lang.en import English
from spacy.tokenizer import Tokenizer
from spacy.vocab import Vocab

from socialbias.corpora.npy import GrowableArray

Ids = NDArray[np.uint32]
Kind = Literal["spacy", "whitespace"]
Lower = Literal["before", "after", "never"]
KINDS: tuple[Kind, ...] = ("spacy", "whitespace")
LOWER: tuple[Lower, ...] = ("before", "after", "never")

LINE, DOCUMENT = 0, 1  # ids that end a line and a document; words have the ids from 2 on
MARKS = ("\n", "\n\n")  # their chunks: no chunk of a text contains whitespace
MAX_CHUNK = 1000  # characters; more is not a word, and spaCy's time is quadratic
PIECE = 1 << 20  # characters of a line split into chunks at a time
MAX_CACHED = 1_000_000  # chunks in the cache, which is cleared when it is full

# Words, and marks around and between them that spaCy's rules split off one by one.
PLAIN = re.compile(
    r"""(["('`*]?)"""
    r"([A-Za-z][a-z]+(?:(?:--?|/|,|\.\.\.)[A-Za-z][a-z]+)*)('s)?"
    r"""([:;]|\.\.\.[")']?|(?:(?!\.\.|'')[,!?)".']){0,3})"""
)
BETWEEN = re.compile(r"(--?|/|,|\.\.\.)")
AFTER = re.compile(r"\.\.\.|.")
LAST = frozenset(":;,!?).\"'")  # those of these marks that can occur alone
# Sentences without a space between them, and the like: one token, whether or not it is an address.
WHOLE = re.compile(r"[a-z]{2,}(?:[.()!][a-z]{2,})+")
LETTERS = re.compile("[A-Za-z]+")
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
        cut: Chunks longer than `MAX_CHUNK` characters, whose pieces were tokenised.
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
        self._spacy = spacy_chunks() if kind == "spacy" else None
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
            self.cut += sum(len(chunk) > MAX_CHUNK for chunk in new)
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


@cache
def spacy_chunks() -> SpacyChunks:
    """SpaCy's tokenizer; creating it takes a tenth of a second, and it keeps no text."""
    return SpacyChunks()


class SpacyChunks:
    """spaCy's English tokenizer, applied to chunks."""

    def __init__(self):
        english = English().tokenizer
        self._rules = english.rules
        # A bare vocabulary: no rule uses a word's shape and norm, which take most of the time.
        self._vocab = Vocab()
        self._all = _like(english, self._vocab, self._rules)
        self._stems = {stem for rule in self._rules for stem in LETTERS.findall(rule)}
        self._without = _without_last_step(self._all)
        self._triggers: set[str] = set()
        self._inside: set[str] = set()
        self._examine_rules()

    def _examine_rules(self) -> None:
        """Collect the tokens that the last step can produce, and those that it joins."""
        plain = _like(self._all, self._vocab, {})
        for rule in self._rules:
            tokens = [token.text for token in self._all(rule)]
            pieces = [token.text for token in plain(rule)]
            if not rule.isspace():
                self._inside.update(pieces)
                if tokens != pieces:
                    self._triggers.add(max(tokens, key=len))

    def words(self, text: str) -> list[str]:
        """The tokens of a text, without whitespace."""
        return [token for token in self._words_of(text, self._all) if not token.isspace()]

    def is_barrier(self, tokens: list[str]) -> bool:
        """Whether one of the tokens is in no special case, so that none extends across it."""
        return tokens[0] not in self._inside or not self._inside.issuperset(tokens)

    def tokenise(self, chunks: list[str]) -> tuple[list[list[str]], list[bool]]:
        """The tokens of each chunk, and whether its neighbours could change them."""
        result = [self._plain(chunk) for chunk in chunks]
        rest = [i for i, tokens in enumerate(result) if tokens is None]
        ambiguous = [False] * len(chunks)
        for i, tokens in zip(rest, self._batch([chunks[i] for i in rest], self._all), strict=True):
            result[i] = tokens
        doubtful = [i for i in rest if self._doubtful(chunks[i], result[i])]
        without = self._batch([chunks[i] for i in doubtful], self._without)
        for i, tokens in zip(doubtful, without, strict=True):
            ambiguous[i] = tokens != result[i]
        return result, ambiguous

    def _plain(self, chunk: str) -> list[str] | None:
        """The tokens of a chunk of words and punctuation; None if spaCy is needed."""
        if len(chunk) >= MAX_CHUNK:
            return None
        if chunk.isascii():
            if chunk.isdecimal():
                return [chunk]
            # A shortcut for the most common chunks: a word with at most one mark after it.
            word = chunk[:-1] if chunk[-1] in LAST else chunk
            if word.isalpha() and word[1:].islower():
                if word in self._stems:
                    return None
                return [chunk] if word is chunk else [word, chunk[-1]]
            if WHOLE.fullmatch(chunk):
                return [chunk] if self._stems.isdisjoint(LETTERS.findall(chunk)) else None
        match = PLAIN.fullmatch(chunk)
        if match is None:
            return None
        before, words, possessive, after = match.groups()
        parts = [words] if words.isalpha() else BETWEEN.split(words)
        if not self._stems.isdisjoint(parts):
            return None  # it may be a special case: `dr.`, `can't`, `xD`
        marks = AFTER.findall(after)
        return [*before, *parts, *([possessive] if possessive else ()), *marks]

    def _doubtful(self, chunk: str, tokens: list[str]) -> bool:
        return chunk not in self._rules and not self._triggers.isdisjoint(tokens)

    def _batch(self, chunks: list[str], tokenizer: Tokenizer) -> list[list[str]]:
        """The tokens of many chunks, tokenised as lines of one text: a line end is a token."""
        if not chunks:
            return []
        pieces, owners = [], []
        for i, chunk in enumerate(chunks):
            for start in range(0, len(chunk), MAX_CHUNK):
                pieces.append(chunk[start : start + MAX_CHUNK])
                owners.append(i)
        tokens = self._words_of("\n".join(pieces), tokenizer)
        ends = [i for i, token in enumerate(tokens) if token == "\n"]
        bounds = zip([0, *(end + 1 for end in ends)], [*ends, len(tokens)], strict=True)
        result: list[list[str]] = [[] for _ in chunks]
        for owner, (start, end) in zip(owners, bounds, strict=True):
            result[owner] += tokens[start:end]
        return result

    def _words_of(self, text: str, tokenizer: Tokenizer) -> list[str]:
        """The tokens of a text; none of them stay in the vocabulary."""
        with self._vocab.memory_zone():
            hashes, places = np.unique(tokenizer(text).to_array("ORTH"), return_inverse=True)
            words = [self._vocab.strings[key] for key in hashes.tolist()]
            return [words[place] for place in places.tolist()]


def _like(model: Tokenizer, vocab: Vocab, rules: dict, **searches) -> Tokenizer:
    """A tokenizer with the search functions of another one, some of them replaced."""
    names = ("prefix_search", "suffix_search", "infix_finditer", "token_match", "url_match")
    return Tokenizer(vocab, rules, **{name: getattr(model, name) for name in names} | searches)


def _without_last_step(model: Tokenizer) -> Tokenizer:
    """The same tokenizer without its last step, the special cases across affixes.

    When a tokenizer is created, spaCy prepares that step for the special cases in which it finds
    affixes: so the search functions find nothing at first, and are enabled afterwards.
    """
    enabled: list[bool] = []
    prefix, suffix, infix = model.prefix_search, model.suffix_search, model.infix_finditer
    tokenizer = _like(
        model,
        model.vocab,
        model.rules,
        prefix_search=lambda text: prefix(text) if enabled else None,
        suffix_search=lambda text: suffix(text) if enabled else None,
        infix_finditer=lambda text: infix(text) if enabled else [],
    )
    enabled.append(True)
    return tokenizer


def versions() -> str:
    """The tokenizer's version, for a report."""
    return f"spaCy {spacy.__version__}"
