"""SpaCy's English tokenizer on chunks, pieces of text without whitespace.

Chunks of plain words, hyphens and common punctuation, half of all distinct ones, are cut by one
regular expression instead of spaCy's many.
"""

from __future__ import annotations

import re
from functools import cache

import numpy as np

from socialbias.corpora.light_spacy import English, Tokenizer, Vocab

LONGEST_CHUNK = 1000  # characters; more is no word, and spaCy's time grows with the square

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

    @staticmethod
    def is_cut(chunk: str) -> bool:
        """Whether a chunk is so long that it is tokenised in pieces."""
        return len(chunk) > LONGEST_CHUNK

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
