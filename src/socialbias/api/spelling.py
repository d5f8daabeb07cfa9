"""Words and texts of other languages than English: how they are looked up, and cut into tokens."""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Iterator, Mapping
from dataclasses import replace

from socialbias.api.lists import WordLists
from socialbias.corpora.documents import Document
from socialbias.embeddings.vectors import WordVectors
from socialbias.languages import ENGLISH, lower, spellings

TOKEN = re.compile(r"\w+(?:-\w+)*|[^\w\s]")


def languages_of(language: str | None, *lists: WordLists) -> dict[str, str]:
    """By word the language by whose rule it is looked up, "" for as it is written alone.

    Args:
        language: Of them all; None for what each of the lists says. The English ones are looked up
            as they are written, as the papers do, unless this is `en`.
        lists: The words.
    """
    return {
        word: language or (each.language if each.language != ENGLISH else "")
        for each in lists
        for word in each.all
    }


def all_spellings(languages: Mapping[str, str]) -> list[str]:
    """Every spelling as which one of the words may be looked up."""
    return [
        each
        for word, language in languages.items()
        for each in (spellings(word, language) if language else [word])
    ]


def spelt(known: Container[str], languages: Mapping[str, str]) -> dict[str, str]:
    """By word the spelling as which it is known; words that are unknown are left out.

    Args:
        known: Words as the maker of the vectors spelt them.
        languages: As `languages_of` gives them. A spelling that is itself one of these words is no
            other word's.
    """
    found = {}
    for word, language in languages.items():
        others = spellings(word, language)[1:] if language else ()
        tried = (word, *(each for each in others if each not in languages))
        spelling = next((each for each in tried if each in known), None)
        if spelling is not None:
            found[word] = spelling
    return found


def respelt(vectors: WordVectors, languages: Mapping[str, str]) -> tuple[WordVectors, int]:
    """The vectors of words, under the words that were asked for.

    Args:
        vectors: Of `all_spellings`.
        languages: As for `spelt`.

    Returns:
        The vectors of those that have one, and how many were found in another spelling.
    """
    found = spelt(vectors.index, languages)
    rows = [vectors.index[spelling] for spelling in found.values()]
    changed = sum(word != spelling for word, spelling in found.items())
    return WordVectors(tuple(found), vectors.matrix[rows]), changed


def tokenised(documents: Iterable[Document], language: str) -> Iterator[Document]:
    """Documents in lower case, with blanks between words and marks: for the tokenizer `whitespace`.

    spaCy's English rules would take German *im* for *I'm*, and *l'uomo* for one word.
    """
    for document in documents:
        tokens = [
            " ".join(TOKEN.findall(line)) for line in lower(document.text, language).split("\n")
        ]
        yield replace(document, text="\n".join(tokens))
