"""Templates filled with terms: which phrase a slot takes, its article, and the tags of its words.

A slot is a name in braces: `{identity_adj}`; `{a:identity_np}` has an article before it, and
`{Identity_adj}` begins with a capital letter. What it takes follows from its name and from the
class of the word (Czarnowska, Vyas and Shah 2021, section 5, and their released code):

| slot | `adj` | `n` | `pp` | other |
|---|---|---|---|---|
| `identity_adj`, `country_adj`, `religion_adj` | term | | | |
| `identity_np`, `person` | term person | term | person term | `name`: term |
| `disability_adj_or_pp` | term | | term | |
| `identity_<noun>`, such as `identity_people` | term people | | people term | |
| `country`, `religion` | | | | `country`, `religion`: term |
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal, NamedTuple

from socialbias.errors import UserError

SLOT = re.compile(r"\{(?P<article>a:)?(?P<name>\w+)\}")
PREFIXES = ("identity_", "disability_", "religion_", "country_")  # of slots' names
ENTITIES = ("country", "religion")  # slots that take words of one class, of the same name
PERSON = "person"
# Words as CoNLL-2003 has them: contractions and punctuation stand alone, hyphens do not part words.
TOKEN = re.compile(r"\{[^}]*\}|n't\b|['’]\w+|\w+?(?=n't\b)|\w+(?:[-.&]\w+)*|\.{3}|[^\w\s]")
VOWELS = tuple("aeiou")
# Sounds that the first letter does not tell: "a Ukrainian", "an FTM person".
CONSONANT_SOUND = re.compile(r"(?i)(uk|ug|ur(?=ug)|uni|eu|one\b)")
VOWEL_SOUND = re.compile(r"([AEFHILMNORSX][A-Z0-9]+\b|(?i:honest|hour|heir))")
Articles = Literal["letter", "sound"]


class Template(NamedTuple):
    """A template taken apart."""

    before: str  # the text before its slot
    slot: str  # the slot's name, in lower case
    article: bool  # whether an article stands before it
    capital: bool  # whether what fills it begins with a capital letter
    after: str  # the text after its slot
    # (word, tag) of each entity in the order of the text; the slot's own word is "".
    tags: tuple[tuple[str, str], ...]


def parsed(template: str, tags: str = "") -> Template:
    """Take a template apart; blanks at its ends are dropped."""
    slots = list(SLOT.finditer(template))
    if len(slots) != 1:
        raise UserError(f"{len(slots)} slots instead of one: {template!r}")
    [match] = slots
    slot, capital, article = match["name"], match["name"][0].isupper(), bool(match["article"])
    before, after = template[: match.start()], template[match.end() :]
    name = slot[0].lower() + slot[1:]
    if not forms(name):
        raise UserError(f"no words fill {match[0]}: {template!r}")
    parts = [entity.rpartition(":") for entity in tags.split("|") if entity]
    entities = tuple(("" if word == f"{{{slot}}}" else word, tag) for word, _, tag in parts)
    whole = Template(before.lstrip(), name, article, capital, after.rstrip(), entities)
    if entities:
        tagged(whole, ["x"])  # refuses an entity that is not in the text
    return whole


def forms(slot: str) -> dict[str, str]:
    """Return how a slot takes a term `{}`, by word class; {} for an unknown slot."""
    if slot in ENTITIES:
        return {slot: "{}"}
    if slot == PERSON:
        return forms("identity_np") | {"name": "{}"}
    kind = next((slot.removeprefix(name) for name in PREFIXES if slot.startswith(name)), "")
    if kind == "adj":
        return {"adj": "{}"}
    if kind == "np":
        return {"adj": "{} person", "n": "{}", "pp": "person {}"}
    if kind == "adj_or_pp":
        return {"adj": "{}", "pp": "{}"}
    return {"adj": f"{{}} {kind}", "pp": f"{kind} {{}}"} if kind else {}


def article(phrase: str, by: Articles = "letter") -> str:
    """Return the indefinite article of a phrase."""
    if by == "sound" and (CONSONANT_SOUND.match(phrase) or VOWEL_SOUND.match(phrase)):
        return "an" if VOWEL_SOUND.match(phrase) else "a"
    return "an" if phrase.lower().startswith(VOWELS) else "a"


def filled(template: Template, phrase: str, articles: Articles = "letter") -> str:
    """Return a template's text with a phrase in its slot."""
    before = f"{article(phrase, articles)} " if template.article else ""
    return f"{template.before}{before}{in_slot(template, phrase)}{template.after}"


def in_slot(template: Template, phrase: str) -> str:
    """Return a phrase as it is written in the slot."""
    return phrase[0].upper() + phrase[1:] if template.capital else phrase


def tagged(template: Template, words: Sequence[str]) -> tuple[list[str], list[str]]:
    """Return the tokens and BILOU tags of a template with some words in its slot.

    The tag of the slot is stretched over its words, `U-LOC` to `B-LOC L-LOC` for two.
    """
    tokens, tags, waiting = [], [], list(template.tags)

    def put(word: str, parts: Sequence[str]) -> None:
        tag = waiting.pop(0)[1] if waiting and waiting[0][0] == word else "O"
        tokens.extend(parts)
        tags.extend(stretched(tag, len(parts)))

    for token in TOKEN.findall(template.before):
        put(token, [token])
    put("", words)
    for token in TOKEN.findall(template.after):
        put(token, [token])
    if waiting:
        word = waiting[0][0] or "the slot"
        raise UserError(f"{word!r} is tagged but not in the text in this order: {template}")
    return tokens, tags


def stretched(tag: str, number: int) -> list[str]:
    """Return the tags of an entity's part of some words: a BILOU tag stretched over them."""
    if number == 1 or tag == "O":
        return [tag] * number
    place, _, kind = tag.partition("-")
    first = "B" if place in "UB" else "I"
    last = "L" if place in "UL" else "I"
    return [f"{part}-{kind}" for part in (first, *"I" * (number - 2), last)]
