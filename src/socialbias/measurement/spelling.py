"""Looking up words and splitting texts into tokens, in other languages than English."""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Iterator, Mapping
from dataclasses import replace
from difflib import get_close_matches
from itertools import islice, takewhile
from unicodedata import category

from socialbias.corpora.documents import Document
from socialbias.embeddings.vectors import WordVectors
from socialbias.embeddings.words.languages import ENGLISH, lower, spellings
from socialbias.embeddings.words.lists import GIVEN, WordLists, lists

# Vowel signs and joiners belong to words (Hindi, Persian), but not to Python's `\w`.
MARKS = "".join(char for char in map(chr, range(0x10000)) if category(char).startswith("M"))
WORD = rf"\w[\w{MARKS}\u200c\u200d]*"
TOKEN = re.compile(rf"{WORD}(?:-{WORD})*|[^\w\s]")
LIKELY = 50_000  # words of a vocabulary, the most frequent ones, that may have been meant
MOST_GUESSED = 20  # words of which it is guessed what was meant
MIN_LETTERS = 4  # letters of such a word: a shorter one is near to too many
CLOSE = 0.8  # difflib's ratio of a packaged word to one that may be it


def languages_of(language: str | None, *lists: WordLists) -> dict[str, str]:
    """Return, by word, the language whose rule looks it up; "" for only as written.

    Without a language for all, it is that of each list. English lists are then looked up as they
    are written, as the papers do.
    """
    return {
        word: language or (some.language if some.language != ENGLISH else "")
        for some in lists
        for word in some.all
    }


def all_spellings(languages: Mapping[str, str]) -> list[str]:
    """Return every spelling in which one of the words may be looked up."""
    return [
        spelling
        for word, language in languages.items()
        for spelling in (spellings(word, language) if language else [word])
    ]


def spelt(known: Container[str], languages: Mapping[str, str]) -> dict[str, str]:
    """Return, by word, the spelling that is known; unknown words are left out.

    A spelling that is itself one of the words is no other word's.
    """
    chosen = {}
    for word, language in languages.items():
        others = spellings(word, language)[1:] if language else ()
        candidates = (word, *(other for other in others if other not in languages))
        spelling = next((candidate for candidate in candidates if candidate in known), None)
        if spelling is not None:
            chosen[word] = spelling
    return chosen


def respelt(vectors: WordVectors, languages: Mapping[str, str]) -> tuple[WordVectors, int]:
    """Return the vectors of words as written, and how many were found in another spelling."""
    chosen = spelt(vectors.index, languages)
    rows = [vectors.index[spelling] for spelling in chosen.values()]
    changed = sum(word != spelling for word, spelling in chosen.items())
    return WordVectors(tuple(chosen), vectors.matrix[rows]), changed


def meant(unknown: Iterable[str], vocabulary: Iterable[str], *users: WordLists) -> dict[str, str]:
    """Return, by unknown word, the known word that was probably meant, if any is near.

    It is a near word of the packaged lists or, without one, the most frequent word of the
    vocabulary, which is sorted by frequency, that is one slip of the hand away. Only words of the
    user's own lists may be misspelt.
    """
    typed = {word for some in users if some.source == GIVEN for word in some.all}
    packaged = dict.fromkeys(word for some in lists().values() for word in some.all)
    tried = [w for w in unknown if w in typed and len(w) >= MIN_LETTERS and w not in packaged]
    if not tried:
        return {}
    likely = dict.fromkeys(islice(vocabulary, LIKELY))
    known = [word for word in packaged if word in likely]
    guesses = {}
    for word in tried[:MOST_GUESSED]:
        one_off = (other for other in likely if _is_one_off(word, other))
        near = get_close_matches(word, known, n=1, cutoff=CLOSE) or list(islice(one_off, 1))
        parts = word.lower().split("-")
        if len(parts) > 1 and all(part in likely for part in parts):
            guesses[word] = " - ".join(parts)  # as the tokenizer of a text splits it
        elif near and word not in likely:
            guesses[word] = near[0]
    return guesses


def _is_one_off(one: str, other: str) -> bool:
    """Return whether two words differ by one letter added, removed, changed, or two exchanged."""
    if abs(len(one) - len(other)) > 1:
        return False
    alike = sum(1 for _ in takewhile(bool, map(str.__eq__, one, other)))
    a, b = one[alike:], other[alike:]
    longer, shorter = (a, b) if len(a) > len(b) else (b, a)
    if len(a) == len(b):
        return a[1:] == b[1:] or (a[1::-1], a[2:]) == (b[:2], b[2:])
    return longer[1:] == shorter


def tokenised(documents: Iterable[Document], language: str) -> Iterator[Document]:
    """Yield documents in lower case with spaces between tokens, for the tokenizer `whitespace`.

    spaCy's English rules would take German *im* for *I'm*, and *l'uomo* for one word.
    """
    for document in documents:
        tokens = [
            " ".join(TOKEN.findall(line)) for line in lower(document.text, language).split("\n")
        ]
        yield replace(document, text="\n".join(tokens))
