"""Identity terms by attribute and group, and what is left out of them with its reason.

| column of terms | content |
|---|---|
| attribute, group | such as `gender`, `many-genders`; `q1` of nationality has the lowest GDP |
| term, word_class | as `suites.forms` takes it: `adj`, `n`, `pp`, `country`, `religion`, `name` |
| unit | what counts once under a cap: a country with its adjective, else the term |
| place | file and line |

| column of what is left out | content |
|---|---|
| attribute, item, place | such as `age`, `toddler`, `age.csv, line 9` |
| kind | `term`, `template` or `group` |
| reason | why |
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

import pandas as pd

from socialbias.errors import UserError
from socialbias.measures.datasets import gfm, holistic_bias
from socialbias.pipeline.job import Job
from socialbias.sources.manifest import read_manifest

TERMS = ["attribute", "group", "term", "word_class", "unit", "place"]
LEFT_OUT = ["attribute", "kind", "item", "place", "reason"]
NATIONALITY, NAMES = "nationality", "gender-names"
FILES = {
    "gender": "gender.csv",
    "sexual-orientation": "sexuality.csv",
    "religion": "religion.csv",
    "race": "race.csv",
    "age": "age.csv",
    "disability": "disability.csv",
}
CLASSES = ("adj", "n", "pp")
QUANTILES = 6
HOLISTIC = "holistic-bias"  # a format of sources
WithLeftOut = tuple[pd.DataFrame, pd.DataFrame]  # terms or templates, and what is left out


def identity_terms(folder: Path, slips: bool = True) -> WithLeftOut:
    """Return the released terms of all attributes but nationality.

    As in the released code: of disability those that are recommended, of age adjectives, of race
    all as adjectives. Left out are terms without a group or a part of speech.
    """
    kept, left = [], []
    for attribute, name in FILES.items():
        table = gfm.read_terms(folder / name)
        for i, row in enumerate(table.itertuples(index=False), 2):
            place = f"{name}, line {i}"
            word_class = _class(attribute, row, slips)
            reason = _reason(attribute, row, word_class)
            if reason:
                left.append((attribute, "term", row.term, place, reason))
            else:
                group = row.group.lower().replace(" ", "-").replace("_", "-")
                kept.append((attribute, group, row.term, word_class, place, place))
    return _without_repeats(kept, left)


def _class(attribute: str, row: tuple, slips: bool) -> str:
    """Return the word class of a released term; "" without one."""
    if attribute == "race":
        return "adj"
    if attribute == "religion" and row.pos == "n":
        return "religion" if row.sem == "religion" else "n"
    if not row.pos and not slips:
        return "n"  # of all files the only such row is "cis man"
    return row.pos


def _reason(attribute: str, row: tuple, word_class: str) -> str:
    """Return why a released term is left out; "" for one that is kept."""
    if not row.group:
        return "no group"
    if row.type == "nonrec":
        return "not recommended"
    if word_class not in (*CLASSES, "religion"):
        return "no part of speech"
    if attribute == "age" and word_class != "adj":
        return "of age, adjectives alone are used"
    return ""


def _without_repeats(kept: list[tuple], left: list[tuple]) -> WithLeftOut:
    """Both tables; a term that a group has twice in one class counts once."""
    terms = pd.DataFrame(kept, columns=TERMS)
    again = terms.duplicated(["attribute", "group", "term", "word_class"])
    for row in terms[again].itertuples(index=False):
        left.append((row.attribute, "term", row.term, row.place, f"appears twice in {row.group}"))
    return terms[~again].reset_index(drop=True), pd.DataFrame(left, columns=LEFT_OUT)


def nationalities(path: Path, slips: bool = True) -> WithLeftOut:
    """Countries and their adjectives, in six equal groups by GDP at purchasing power.

    `q1` has the lowest GDP, as in the released code; the prose of section 6 calls the first
    quantiles the richest.
    """
    table = gfm.read_countries(path)
    quantile = pd.qcut(table["gdp_ppp"], QUANTILES, labels=False)
    kept, left = [], []
    for i, row in enumerate(table.itertuples(index=False)):
        place = f"{path.name}, line {i + 2}"
        if pd.isna(quantile[i]):
            left.append((NATIONALITY, "term", row.term, place, "no GDP at purchasing power"))
            continue
        group = f"q{int(quantile[i]) + 1}"
        kept.append((NATIONALITY, group, row.term, "country", row.term, place))
        adjective = row.adjective.replace(" ", "-") if slips else row.adjective
        if adjective:
            kept.append((NATIONALITY, group, adjective, "adj", row.term, place))
        else:
            reason = "no adjective: it fills slots of countries alone"
            left.append((NATIONALITY, "term", row.term, place, reason))
    return pd.DataFrame(kept, columns=TERMS), pd.DataFrame(left, columns=LEFT_OUT)


def names(manifest: Mapping, folder: Path) -> WithLeftOut:
    """Given names of women and men."""
    if manifest["format"] == "restricted-pickle":
        [file] = manifest["files"]
        by_gender = gfm.read_wikidata_names(folder / file["path"])
    else:
        path = folder / "terms/identity_terms/wiktionary_names"
        by_gender = {g: gfm.read_names(path / f"only_{g}_names.txt") for g in ("female", "male")}
    rows = [
        (NAMES, gender, name, "name", name, f"{manifest['source']}, {gender}, name {i}")
        for gender, listed in by_gender.items()
        for i, name in enumerate(listed, 1)
    ]
    return _without_repeats(rows, [])


def holistic_terms(folder: Path, assigned: Mapping) -> WithLeftOut:
    """HolisticBias's descriptors in the paper's groups, and phrases that follow a noun."""
    descriptors = holistic_bias.read_descriptors(folder / "descriptors.json")
    phrases = holistic_bias.read_phrases(folder / "standalone_noun_phrases.json")
    kept, left = [], []
    for attribute, (axis, groups) in ((a, part.values()) for a, part in assigned.items()):
        of_axis = descriptors[descriptors["axis"] == axis]
        of_phrases = phrases[(phrases["axis"] == axis) & phrases["follows"]]
        taken = set()
        for group, items in groups.items():
            for item in items:
                for term, word_class, preference in _items(of_axis, of_phrases, item):
                    taken.add((term, word_class))
                    place = f"{axis}, {item}"
                    if preference == "dispreferred":
                        left.append((attribute, "term", term, place, "dispreferred"))
                    else:
                        kept.append((attribute, group, term, word_class, term, place))
        left += [
            (attribute, "term", row.descriptor, f"{axis}, {row.bucket}", "in no group of the paper")
            for row in of_axis.itertuples(index=False)
            if (row.descriptor, "adj") not in taken
        ]
        left += [
            (attribute, "term", row.phrase, axis, "in no group of the paper")
            for row in phrases[phrases["axis"] == axis].itertuples(index=False)
            if (row.phrase, "pp") not in taken
        ]
    return _without_repeats(kept, left)


def _items(
    descriptors: pd.DataFrame, phrases: pd.DataFrame, item: str
) -> Iterator[tuple[str, str, str]]:
    """Term, word class and preference of what an assignment names."""
    bucket, _, descriptor = item.partition("/")
    of_bucket = descriptors["bucket"] == bucket
    if descriptor:
        of_bucket &= descriptors["descriptor"] == descriptor
    named = phrases[phrases["phrase"] == item]
    if not of_bucket.any() and named.empty:
        raise UserError(f"resources/word_lists/fairness.yaml: HolisticBias has no {item!r}")
    for row in descriptors[of_bucket].itertuples(index=False):
        yield row.descriptor, "adj", row.preference
    for row in named.itertuples(index=False):
        yield row.phrase, "pp", row.preference


# -- evidence --------------------------------------------------------------------------------------


def measure(job: Job) -> pd.DataFrame:
    """Return all terms at hand, those that are left out among them."""
    folder, manifest = read_manifest(job.path("fairness_terms"))
    _, of_templates = read_manifest(job.path("fairness_templates"))
    if (manifest["format"] == HOLISTIC) != (of_templates["format"] == HOLISTIC):
        raise UserError(
            f"templates of {of_templates['source']} and terms of {manifest['source']} cannot be "
            "combined: name one source in inputs.fairness_templates and inputs.fairness_terms"
        )
    slips, tables = job.settings["fairness.released_slips"], []
    if manifest["format"] == HOLISTIC:
        assigned = job.word_lists("fairness")["holistic_bias"]["attributes"]
        tables.append(holistic_terms(folder, assigned))
    else:
        tables.append(identity_terms(folder / "terms/identity_terms", slips))
        if "fairness_countries" in job:
            folder, _ = read_manifest(job.path("fairness_countries"))
            tables.append(nationalities(folder / "terms/identity_terms/countries.csv", slips))
        if "fairness_names" in job:
            folder, manifest = read_manifest(job.path("fairness_names"))
            tables.append(names(manifest, folder))
    terms, left = (pd.concat(parts) for parts in zip(*tables, strict=True))
    left = left.rename(columns={"item": "term"})[["attribute", "term", "place", "reason"]]
    return pd.concat([terms.assign(reason=""), left], ignore_index=True).fillna("")


def kept(table: pd.DataFrame) -> pd.DataFrame:
    """Return the terms that are kept, among those of `measure`."""
    return table.loc[table["reason"] == "", TERMS].reset_index(drop=True)
