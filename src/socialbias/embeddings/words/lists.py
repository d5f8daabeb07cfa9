"""Word lists by name, from a file, or as they are given: groups of words, and targets."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from types import MappingProxyType

from socialbias.embeddings.words.files import read_word_list
from socialbias.embeddings.words.languages import ENGLISH, checked_tag, primary
from socialbias.errors import UserError, nearest
from socialbias.files.paths import check_file, exists, resources
from socialbias.files.text import SURROGATE, plain, shown

Lists = Mapping[str, Sequence[str]]
GIVEN = "given by the user"


@dataclass(frozen=True)
class WordLists:
    """Lists of words, with where they are from."""

    name: str  # of the lists together
    kind: str  # `groups` or `targets`
    # By name, such as `female`; targets in a single list have the name "".
    words: dict[str, tuple[str, ...]]
    about: str = ""  # what they are, in a line
    language: str = ""  # BCP 47 tag; "" if it is not known
    script: str = ""  # ISO 15924 code, likewise
    gender: str = ""  # how the words, or the words of the language, are marked for gender
    source: str = GIVEN  # who made them
    licence: str = GIVEN  # of the source; `none stated` if it has none
    pairs: bool = False  # whether the lists are pairs row by row

    @property
    def all(self) -> list[str]:
        """Every word once, in order."""
        return list(dict.fromkeys(word for words in self.words.values() for word in words))

    def provenance(self) -> dict:
        """Return what a reader needs to know of them, as plain values."""
        about = {"role": self.kind, "name": self.name, "language": self.language}
        about |= {"source": self.source, "licence": self.licence}
        return about | {"words": {name: list(words) for name, words in self.words.items()}}


@cache
def lists() -> Mapping[str, WordLists]:
    """Return the packaged lists by name, of groups and of targets."""
    entries = json.loads((resources() / "lists.json").read_text("utf-8"))
    packaged = {}
    for name, entry in entries.items():
        words = entry.pop("words")
        named = words if isinstance(words, dict) else {"": words}
        words = {key: tuple(value) for key, value in named.items()}
        packaged[name] = WordLists(name, words=words, **entry)
    return MappingProxyType(packaged)


def groups_of(given: str | Path | Lists | WordLists, language: str | None = None) -> WordLists:
    """Return the groups that bias is measured between."""
    found = _lists(given, "groups", language)
    if len(found.words) < 2:
        raise UserError(f"groups {found.name}: only one list of words: a bias needs two groups")
    return found


def targets_of(
    given: str | Path | Lists | WordLists | Iterable[str], language: str | None = None
) -> WordLists:
    """Return the words that may be biased."""
    return _lists(given, "targets", language)


def _lists(given: object, kind: str, language: str | None) -> WordLists:
    if isinstance(given, WordLists):
        return given
    if language is not None:
        checked_tag(language)
        if not isinstance(given, str) or _in_language(given, language) not in lists():
            _refuse_another(given, kind, language)
            return replace(_lists(given, kind, None), language=language)
        given = _in_language(given, language)
    if isinstance(given, Mapping):
        return _checked("given", kind, given)
    if not isinstance(given, str | Path):
        if not isinstance(given, Iterable):
            raise UserError(f"{kind}: must be words, a file or a list's name, not {given!r}")
        return _checked("given", kind, {"": list(given)})
    if str(given) in lists():
        found = lists()[str(given)]
        if found.kind != kind:
            raise UserError(f"{kind}: {found.name} is a list of {found.kind}")
        return found
    path = Path(given)
    if exists(path) and path.is_file():
        sets = read_word_list(path)
        if kind == "targets" and list(sets) == [path.stem]:
            sets = {"": sets[path.stem]}
        return _checked(shown(path), kind, sets)
    like_a_path = "/" in str(given) or path.suffix in (".txt", ".csv")
    if isinstance(given, Path) or ("," not in given and (kind == "groups" or like_a_path)):
        check_file(path)
        hint = nearest(str(given), _named(kind)) or "; socialbias lists shows the packaged ones"
        if kind == "groups" and "did you" not in hint:
            hint = f"; name a file with a [section] of words for each group{hint}"
        raise UserError(f"{kind}: no list and no file is called {str(given)!r}{hint}")
    words = [word for word in map(plain, given.split(",")) if word]
    sets = {word: [word] for word in words} if kind == "groups" else {"": words}
    return _checked("given", kind, sets)


def _named(kind: str) -> list[str]:
    """Return the names of the packaged lists of groups or of targets."""
    return [name for name, entry in lists().items() if entry.kind == kind]


def list_meant(words: Iterable[str]) -> str:
    """Return a hint if a single target word is nearly the name of a packaged list."""
    alone = list(words)
    return nearest(alone[0], _named("targets")) if len(alone) == 1 else ""


def _in_language(name: str, language: str) -> str:
    """Return the name that a packaged list has, or would have, in a language."""
    tag = primary(language)
    return name if name.endswith(f"-{tag}") or tag == ENGLISH else f"{name}-{tag}"


def _refuse_another(given: object, kind: str, language: str) -> None:
    """UserError for the name of a packaged list that there is in other languages alone."""
    if not isinstance(given, str) or given not in lists():
        return
    known = [
        name
        for name, entry in lists().items()
        if entry.kind == kind and entry.language == primary(language)
    ]
    hint = f"there are {', '.join(known)}" if known else "give words or a file of your own"
    raise UserError(f"{kind}: {given} is not packaged in {language}: {hint}")


def _checked(name: str, kind: str, sets: Lists) -> WordLists:
    words = {}
    for key, value in sets.items():
        if (
            isinstance(value, str)
            or not isinstance(value, Iterable)
            or not all(isinstance(word, str) for word in value)
        ):
            raise UserError(f"{kind}: {key or name}: not a list of words")
        if wrong := next((word for word in value if SURROGATE.search(word)), ""):
            raise UserError(f"{kind}: {shown(wrong)!r} is not UTF-8: write it in UTF-8")
        words[str(key)] = tuple(value)
    if not words or not all(words.values()):
        empty = next((key for key, value in words.items() if not value), "") or name
        raise UserError(f"{kind}: {empty}: there are no words")
    return WordLists(name, kind, words)
