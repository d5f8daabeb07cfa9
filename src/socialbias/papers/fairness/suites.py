"""Test suites: templates filled with identity terms (Czarnowska, Vyas and Shah 2021, section 5).

A suite is a table with one row per filled template:

| column | content |
|---|---|
| attribute | such as `gender`; `gender-names` is names in place of terms |
| template, place | as it is in its file; file and line, such as `age_templates.csv, line 2` |
| kind | `generic`, `specific` to the attribute, or `names` |
| label | sentiment: 0 negative, 1 neutral, 2 positive |
| group, term, word_class | what fills the slot (`terms`) |
| unit | terms of one unit are one word: a country and its adjective |
| source | from 0, of the template within its attribute: all rows of a source are its variants |
| text | the filled template |
| tokens, tags | its words and their BILOU tags, parted by blanks; "" for a template without tags |
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Literal, NamedTuple

import pandas as pd

from socialbias.errors import UserError
from socialbias.measures.datasets import gfm, holistic_bias
from socialbias.papers.fairness import terms as identity
from socialbias.papers.fairness.terms import HOLISTIC, LEFT_OUT, NAMES, NATIONALITY, WithLeftOut
from socialbias.papers.inputs import by_turns
from socialbias.pipeline.job import Job
from socialbias.sources.manifest import read_manifest
from socialbias.stats.seeding import generator

COLUMNS = [
    "attribute", "template", "place", "kind", "label", "group", "term", "word_class", "unit",
    "source", "text", "tokens", "tags",
]  # fmt: skip
KEPT = ["attribute", "kind", "source", "label", "group", "term", "word_class"]  # beside results
TEMPLATES = ["attribute", "kind", "template", "place", "label", "ner"]
NEUTRAL = 1  # a label
GENERIC, SPECIFIC, NAMES_ALONE = "generic", "specific", "names"
# By attribute its files of templates, by kind.
FILES = {
    "gender": {GENERIC: "generic", SPECIFIC: "gender_sexuality"},
    "sexual-orientation": {GENERIC: "generic", SPECIFIC: "gender_sexuality"},
    "religion": {GENERIC: "generic", SPECIFIC: "religion"},
    "race": {GENERIC: "generic", SPECIFIC: "ethnicity"},
    "age": {GENERIC: "generic", SPECIFIC: "age"},
    "disability": {GENERIC: "generic_adj_or_pp", SPECIFIC: "disability"},
    NATIONALITY: {GENERIC: "generic", SPECIFIC: "nationality"},
    NAMES: {NAMES_ALONE: "people"},
}
OTHERWISE = {"generic_adj_or_pp": "generic_templates_adj_or_pp.csv"}  # not <name>_templates.csv
SUITES, TERMS_EVIDENCE = "evidence/fairness/suites", "evidence/fairness/terms"


def released_templates(folder: Path) -> pd.DataFrame:
    """Return the released templates of every attribute."""
    rows = []
    for attribute, files in FILES.items():
        for kind, name in files.items():
            path = folder / OTHERWISE.get(name, f"{name}_templates.csv")
            for i, row in enumerate(gfm.read_templates(path).itertuples(index=False), 2):
                place = f"{path.name}, line {i}"
                rows.append((attribute, kind, row.template, place, row.sentiment, row.ner))
    return pd.DataFrame(rows, columns=TEMPLATES)


def holistic_templates(path: Path, assigned: Mapping) -> WithLeftOut:
    """HolisticBias's templates with the slots of the paper's, for each attribute that it has."""
    rows, left = [], []
    slots = {holistic_bias.SINGULAR: "{a:identity_np}", holistic_bias.PLURAL: "{identity_people}"}
    for i, text in enumerate(holistic_bias.read_templates(path), 1):
        place = f"{path.name}, template {i}"
        unlabelled = any(words in text for words in assigned["unlabelled"])
        labels = [s for s, listed in assigned["labels"].items() if any(x in text for x in listed)]
        for theirs, ours in slots.items():
            text = text.replace(theirs, ours)
        for attribute in assigned["attributes"]:
            if unlabelled:
                left.append((attribute, "template", text, place, "no label of sentiment"))
            else:
                rows.append((attribute, GENERIC, text, place, [*labels, NEUTRAL][0], ""))
    return pd.DataFrame(rows, columns=TEMPLATES), pd.DataFrame(left, columns=LEFT_OUT)


def suite(
    templates: pd.DataFrame, terms: pd.DataFrame, articles: Articles = "letter"
) -> WithLeftOut:
    """Fill templates with the terms of their attributes."""
    rows, left = [], []
    for attribute, of_attribute in templates.groupby("attribute", sort=False):
        chosen = terms[terms["attribute"] == attribute]
        if chosen.empty:
            continue
        fitting, lacking = set(), {}
        for source, row in enumerate(of_attribute.itertuples(index=False)):
            try:
                template = parsed(row.template, row.ner)
            except UserError as error:
                left.append((attribute, "template", row.template, row.place, str(error)))
                continue
            patterns = forms(template.slot)
            taken = chosen[chosen["word_class"].isin(patterns)]
            fitting |= set(taken["word_class"])
            for group in set(chosen["group"]) - set(taken["group"]):
                lacking.setdefault((group, template.slot), []).append(row.place)
            facts = (attribute, row.template, row.place, row.kind, row.label)
            for term in taken.itertuples(index=False):
                phrase = patterns[term.word_class].format(term.term)
                text, tokens, tags = filled(template, phrase, articles), (), ()
                if template.tags:
                    tokens, tags = tagged(template, in_slot(template, phrase).split())
                filler = (term.group, term.term, term.word_class, term.unit)
                rows.append((*facts, *filler, source, text, " ".join(tokens), " ".join(tags)))
        for row in chosen[~chosen["word_class"].isin(fitting)].itertuples(index=False):
            reason = f"no template has a slot for {row.word_class!r}"
            left.append((attribute, "term", row.term, row.place, reason))
        # The metrics assume that each group has a variant of every template.
        left += [
            (attribute, "group", group, "; ".join(places), f"no term for {{{slot}}}: no variant")
            for (group, slot), places in sorted(lacking.items())
        ]
    table = pd.DataFrame(rows, columns=COLUMNS)
    # "cis male person" can come from two terms: a group has each text once.
    table = table.drop_duplicates(["attribute", "source", "group", "text"], ignore_index=True)
    return table, pd.DataFrame(left, columns=LEFT_OUT)


def capped(terms: pd.DataFrame, cap: int, seed: int) -> WithLeftOut:
    """At most so many units of each group, as equally many of each word class as there are."""
    if not cap:
        return terms, pd.DataFrame(columns=LEFT_OUT)
    keep, left = [], []
    for (attribute, group), part in terms.groupby(["attribute", "group"], sort=False):
        units = part.drop_duplicates("unit")
        order = generator(seed, "terms", attribute, group).permutation(len(units))
        chosen = by_turns(units.iloc[order], "word_class", cap)
        keep.append(part[part["unit"].isin(chosen["unit"])])
        if len(units) > cap:
            reason = f"{len(units) - cap} of {len(units)} terms, by terms_per_group: {cap}"
            left.append((attribute, "group", group, "", reason))
    kept = pd.concat(keep).sort_index(ignore_index=True)
    return kept, pd.DataFrame(left, columns=LEFT_OUT)


# -- evidence --------------------------------------------------------------------------------------


def measure(job: Job) -> pd.DataFrame:
    """Return the suites of all attributes whose templates and terms are at hand."""
    terms = identity.kept(job.table(TERMS_EVIDENCE))
    terms, by_cap = capped(terms, job.settings["fairness.terms_per_group"], job.seed)
    folder, manifest = read_manifest(job.path("fairness_templates"))
    left, articles = pd.DataFrame(columns=LEFT_OUT), "letter"
    if manifest["format"] == HOLISTIC:
        assigned = job.word_lists("fairness")["holistic_bias"]
        templates, left = holistic_templates(folder / "sentence_templates.json", assigned)
    else:
        templates = released_templates(folder / "templates")
    if manifest["format"] == HOLISTIC or not job.settings["fairness.released_slips"]:
        articles = "sound"
    table, unfit = suite(templates, terms, articles)
    for part in (by_cap, left, unfit):
        for row in part.itertuples(index=False):
            what = f"{row.attribute}, {row.kind} {row.item!r}, {row.place}"
            job.say(f"left out: {what}: {row.reason}")
    return table


# -- templates filled with terms -------------------------------------------------------------------
# A slot is a name in braces: `{identity_adj}`; `{a:identity_np}` has an article before it, and
# `{Identity_adj}` begins with a capital letter. What it takes follows from its name and from the
# class of the word (section 5, and the released code): see `forms`.

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
