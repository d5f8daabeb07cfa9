r"""Text to tokens of spaCy's English tokenizer, an order of magnitude faster than spaCy itself.

spaCy cuts a text at whitespace and tokenises each chunk by itself, so a chunk needs to be looked
at once. Two things are left. Chunks of plain words, hyphens and common punctuation, half of all
distinct ones, are cut by one regular expression instead of spaCy's many. And spaCy's last step
joins emoticons (`good:)`) where tokens of *several* chunks can get in each other's way: such a
chunk is given to spaCy again, with its neighbours.
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

from socialbias.corpora.npy import Growing

Ids = NDArray[np.uint32]
Kind = Literal["spacy", "whitespace"]
Lower = Literal["before", "after", "never"]
KINDS: tuple[Kind, ...] = ("spacy", "whitespace")
LOWER: tuple[Lower, ...] = ("before", "after", "never")

LINE, DOCUMENT = 0, 1  # ids that end a line and a document; words have the ids from 2 on
MARKS = ("\n", "\n\n")  # their chunks: no chunk of a text has whitespace
LONGEST_CHUNK = 1000  # characters; more is no word, and spaCy's time grows with the square
PIECE = 1 << 20  # characters of a line that are cut into chunks at a time
MEMORY = 1_000_000  # chunks that are remembered; more are forgotten together

# Words, and marks around and between them that spaCy's rules cut off one by one.
PLAIN = re.compile(
    r"""(["('`*]?)"""
    r"([A-Za-z][a-z]+(?:(?:--?|/|,|\.\.\.)[A-Za-z][a-z]+)*)('s)?"
    r"""([:;]|\.\.\.[")']?|(?:(?!\.\.|'')[,!?)".']){0,3})"""
)
BETWEEN = re.compile(r"(--?|/|,|\.\.\.)")
BEHIND = re.compile(r"\.\.\.|.")
LAST = frozenset(":;,!?).\"'")  # of those marks, the ones that may stand alone
# Sentences without a blank between them, and the like: one token, with or without an address in it.
WHOLE = re.compile(r"[a-z]{2,}(?:[.()!][a-z]{2,})+")
LETTERS = re.compile("[A-Za-z]+")
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
        cut: Chunks that were longer than `LONGEST_CHUNK` characters: their pieces were tokenised.
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
        self._spacy = spacy_chunks() if kind == "spacy" else None
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
            self.cut += sum(len(chunk) > LONGEST_CHUNK for chunk in fresh)
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


@cache
def spacy_chunks() -> SpacyChunks:
    """SpaCy's tokenizer; it takes a tenth of a second to make, and remembers no text."""
    return SpacyChunks()


class SpacyChunks:
    """spaCy's English tokenizer, on chunks."""

    def __init__(self):
        english = English().tokenizer
        self._rules = english.rules
        # A bare vocabulary: no rule looks at a word's shape and norm, which take most of the time.
        self._vocab = Vocab()
        self._all = _like(english, self._vocab, self._rules)
        self._stems = {stem for rule in self._rules for stem in LETTERS.findall(rule)}
        self._without = _without_last_step(self._all)
        self._triggers: set[str] = set()
        self._inside: set[str] = set()
        self._look_at_rules()

    def _look_at_rules(self) -> None:
        """Note what the last step can be about: tokens that it makes, and that it makes them of."""
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

    def bars(self, tokens: list[str]) -> bool:
        """Whether one of the tokens is in no special case, so that none reaches across it."""
        return tokens[0] not in self._inside or not self._inside.issuperset(tokens)

    def tokenise(self, chunks: list[str]) -> tuple[list[list[str]], list[bool]]:
        """The tokens of each chunk, and whether what stands beside it could change them."""
        found = [self._plain(chunk) for chunk in chunks]
        rest = [i for i, tokens in enumerate(found) if tokens is None]
        risky = [False] * len(chunks)
        for i, tokens in zip(
            rest, self._at_once([chunks[i] for i in rest], self._all), strict=True
        ):
            found[i] = tokens
        doubtful = [i for i in rest if self._doubtful(chunks[i], found[i])]
        without = self._at_once([chunks[i] for i in doubtful], self._without)
        for i, tokens in zip(doubtful, without, strict=True):
            risky[i] = tokens != found[i]
        return found, risky

    def _plain(self, chunk: str) -> list[str] | None:
        """The tokens of a chunk of words and punctuation; None where spaCy has to be asked."""
        if len(chunk) >= LONGEST_CHUNK:
            return None
        if chunk.isascii():
            if chunk.isdecimal():
                return [chunk]
            # As below, and quickly told: most chunks are a word with one mark at most.
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
        before, words, possessive, behind = match.groups()
        parts = [words] if words.isalpha() else BETWEEN.split(words)
        if not self._stems.isdisjoint(parts):
            return None  # something like it is a special case: `dr.`, `can't`, `xD`
        marks = BEHIND.findall(behind)
        return [*before, *parts, *([possessive] if possessive else ()), *marks]

    def _doubtful(self, chunk: str, tokens: list[str]) -> bool:
        return chunk not in self._rules and not self._triggers.isdisjoint(tokens)

    def _at_once(self, chunks: list[str], tokenizer: Tokenizer) -> list[list[str]]:
        """The tokens of many chunks: as lines of one text, since a line's end is a token."""
        if not chunks:
            return []
        pieces, owners = [], []
        for i, chunk in enumerate(chunks):
            for start in range(0, len(chunk), LONGEST_CHUNK):
                pieces.append(chunk[start : start + LONGEST_CHUNK])
                owners.append(i)
        tokens = self._words_of("\n".join(pieces), tokenizer)
        ends = [i for i, token in enumerate(tokens) if token == "\n"]
        bounds = zip([0, *(end + 1 for end in ends)], [*ends, len(tokens)], strict=True)
        found: list[list[str]] = [[] for _ in chunks]
        for owner, (start, end) in zip(owners, bounds, strict=True):
            found[owner] += tokens[start:end]
        return found

    def _words_of(self, text: str, tokenizer: Tokenizer) -> list[str]:
        """The tokens of a text; nothing of it stays in the vocabulary."""
        with self._vocab.memory_zone():
            hashes, places = np.unique(tokenizer(text).to_array("ORTH"), return_inverse=True)
            words = [self._vocab.strings[key] for key in hashes.tolist()]
            return [words[place] for place in places.tolist()]


def _like(model: Tokenizer, vocab: Vocab, rules: dict, **searches) -> Tokenizer:
    """A tokenizer with the searches of another one, or with some of its own."""
    names = ("prefix_search", "suffix_search", "infix_finditer", "token_match", "url_match")
    return Tokenizer(vocab, rules, **{name: getattr(model, name) for name in names} | searches)


def _without_last_step(model: Tokenizer) -> Tokenizer:
    """The same tokenizer without its last step, the special cases across affixes.

    spaCy prepares that step when it is made, for the special cases in which it finds affixes: so
    it is made with searches that find none, and they start to work afterwards.
    """
    works: list[bool] = []
    prefix, suffix, infix = model.prefix_search, model.suffix_search, model.infix_finditer
    made = _like(
        model,
        model.vocab,
        model.rules,
        prefix_search=lambda text: prefix(text) if works else None,
        suffix_search=lambda text: suffix(text) if works else None,
        infix_finditer=lambda text: infix(text) if works else [],
    )
    works.append(True)
    return made


def versions() -> str:
    """What tokenised, for a report."""
    return f"spaCy {spacy.__version__}"
