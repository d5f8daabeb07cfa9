"""What depends on the language of words: tags, lower case, and what they are looked up as."""

from __future__ import annotations

import re
import unicodedata

from socialbias.errors import UserError

ENGLISH = "en"
# Language, script and region of BCP 47 (RFC 5646, section 2.1).
TAG = re.compile(r"[a-z]{2,3}(-[A-Z][a-z]{3})?(-([A-Z]{2}|[0-9]{3}))?")
DOTTED = ("az", "tr")  # whose dotless and dotted i are two letters (Unicode, SpecialCasing.txt)
TO_LOWER = str.maketrans({"İ": "i", "I": "ı"})


def checked_tag(language: str) -> str:
    """Return a BCP 47 tag."""
    if not TAG.fullmatch(language):
        raise UserError(f"language: must be a tag such as de, pt-BR or sr-Cyrl, not {language!r}")
    return language


def primary(language: str) -> str:
    """Return the tag of the language alone: `de` of `de-CH`."""
    return language.partition("-")[0]


def lower(text: str, language: str = "") -> str:
    """Return a text in lower case and with composed letters, by the rule of its language.

    `ß` stays, and no letters are folded: *Maße* and *Masse* are two words.
    """
    text = unicodedata.normalize("NFC", text)
    if primary(language) in DOTTED:
        text = text.translate(TO_LOWER)
    return text.lower()


def spellings(word: str, language: str) -> list[str]:
    """As what a word is looked up, one after the other: as given, in lower case, decomposed."""
    cases = (word, lower(word, language))
    return list(dict.fromkeys([*cases, *(unicodedata.normalize("NFD", case) for case in cases)]))
