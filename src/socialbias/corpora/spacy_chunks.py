"""SpaCy's English tokenizer, applied to chunks: pieces of text without whitespace."""

from __future__ import annotations

from functools import cache

import numpy as np
from spacy.lang.en import English
from spacy.tokenizer import Tokenizer
from spacy.vocab import Vocab

MAX_CHUNK = 1000  # characters; more is not a word, and spaCy's time is quadratic


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
        """Return the tokens of a text, without whitespace."""
        return [token for token in self._words_of(text, self._all) if not token.isspace()]

    def is_barrier(self, tokens: list[str]) -> bool:
        """Return whether a token is in no special case, so that none extends across it."""
        return tokens[0] not in self._inside or not self._inside.issuperset(tokens)

    def tokenise(self, chunks: list[str]) -> tuple[list[list[str]], list[bool]]:
        """Return the tokens of each chunk, and whether its neighbours could change them."""
        result, ambiguous = self._batch(chunks, self._all), [False] * len(chunks)
        doubtful = [
            i
            for i in range(len(chunks))
            if chunks[i] not in self._rules and not self._triggers.isdisjoint(result[i])
        ]
        without = self._batch([chunks[i] for i in doubtful], self._without)
        for i, tokens in zip(doubtful, without, strict=True):
            ambiguous[i] = tokens != result[i]
        return result, ambiguous

    def _batch(self, chunks: list[str], tokenizer: Tokenizer) -> list[list[str]]:
        """Return the tokens of many chunks, as lines of one text: a line end is a token."""
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
        """Return the tokens of a text; none of them stay in the vocabulary."""
        with self._vocab.memory_zone():
            hashes, places = np.unique(tokenizer(text).to_array("ORTH"), return_inverse=True)
            words = [self._vocab.strings[key] for key in hashes.tolist()]
            return [words[place] for place in places.tolist()]


def _like(model: Tokenizer, vocab: Vocab, rules: dict, **searches) -> Tokenizer:
    """Return a tokenizer with the search functions of another one, some of them replaced."""
    names = ("prefix_search", "suffix_search", "infix_finditer", "token_match", "url_match")
    return Tokenizer(vocab, rules, **{name: getattr(model, name) for name in names} | searches)


def _without_last_step(model: Tokenizer) -> Tokenizer:
    """Return the same tokenizer without its last step, the special cases across affixes.

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
