"""Word lists, judgements and tables of the papers, in their files' layouts."""

from __future__ import annotations

import csv
import json
import re
from itertools import islice
from pathlib import Path

import numpy as np

from socialbias.sources.registry import Source
from tests.rehearsal.texts import Counts, Words, word_list

CENSUS_YEARS = (*range(1900, 2000, 10), *range(2000, 2016))
SEED_SETS = 178  # records of the published file
WEAT_SET = 8
# Sets with a single word that is no phrase: a component needs more (Table 4's declaration).
PHRASES = {f"{word}-Rudinger_et_al_2017": word for word in ("old", "young")}
LEAST = 12  # words added to a set that print cuts


def _write_json(path: Path, content: object) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(content, indent=2), "utf-8")


def write_csv(path: Path, rows: list[list], end: str = "\n") -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file, lineterminator=end).writerows(rows)


def weat(source: Source, folder: Path, words: Words) -> Counts:
    """One JSON object a file: two targets, two attributes."""
    pool = [word for word in words.seeds if len(word) > 2]
    for i, file in enumerate(source.files):
        chosen = [pool[(4 * i + j) * WEAT_SET % len(pool) :][:WEAT_SET] for j in range(4)]
        chosen = [part if len(part) == WEAT_SET else pool[:WEAT_SET] for part in chosen]
        keys = ("targ1", "targ2", "attr1", "attr2")
        _write_json(
            folder / file.name,
            {
                key: {"category": f"{key} of test {i}", "examples": part}
                for key, part in zip(keys, chosen, strict=True)
            },
        )
    return {}


def bolukbasi(source: Source, folder: Path, words: Words) -> Counts:
    """Pairs as lists of two, words as lists; professions with two numbers each."""
    female, male = (
        word_list("trustworthy")["gender"]["released-code"][g] for g in ("female", "male")
    )
    pairs = [list(pair) for pair in zip(female, male, strict=True)]
    professions = [[word, 0.0, 0.5] for word in words.professions[:50]]
    content = {
        "definitional_pairs.json": [*pairs, ["her", "his"], ["gal", "guy"]],
        "equalize_pairs.json": [*pairs, ["sister", "brother"], ["aunt", "uncle"]],
        "gender_specific_full.json": [*words.groups[0], *words.groups[1], "businesswoman"],
        "gender_specific_seed.json": [*words.groups[0], *words.groups[1]],
        "professions.json": professions,
    }
    for file in source.files:
        _write_json(folder / file.name, content[file.name])
    return {}


def gathered_seeds(source: Source, folder: Path, words: Words) -> Counts:
    """Records whose `Seeds` are a Python list written as a string, slashes escaped."""
    lists = word_list("bad_seeds")
    printed = {entry["id"]: entry for entry in lists["sets"]}
    named = dict.fromkeys([*printed, *_ids(lists)])
    rng = np.random.default_rng(81)
    records = []
    for i in range(SEED_SETS):
        name = next(islice(named, i, None), f"set_{i}-Nobody_et_al_2020")
        entry = printed.get(name, {})
        seeds = entry.get("words") or _seeds_of(name, words, rng)
        if not entry.get("complete", True):
            seeds = [*seeds, *rng.permutation(words.seeds)[:LEAST].tolist()]
        records.append(
            {
                "Category": name.split("-")[0].replace("_", " "),
                "Seeds": str([] if i == SEED_SETS - 1 else list(seeds)),
                "Source / Justification": entry.get("rationale", "chosen for the rehearsal"),
                "Source Categories": ", ".join(entry.get("source_categories", ["curated"])),
                "Used in Paper": entry.get("paper", "Nobody et al. 2020"),
                "Link": "https://example.org/paper",
                "Seeds ID": name,
            }
        )
    text = json.dumps(records, indent=2).replace("/", "\\/")
    (folder / source.files[0].name).write_text(text, "utf-8")
    return {source.files[0].name: {"records": len(records)}}


def _ids(tree: object) -> list[str]:
    """Every id of a gathered set that the project's lists name."""
    return re.findall(r"[\w-]+-\w+?_et_al_\d{4}", str(tree))


def _seeds_of(name: str, words: Words, rng: np.random.Generator) -> list[str]:
    """Words for a set that print does not show."""
    if name in PHRASES:
        return [PHRASES[name], f"{PHRASES[name]}_one"]
    for part, group in (("female", 0), ("male", 1)):
        if re.search(rf"(^|_){part}", name):
            return rng.permutation(words.groups[group])[:6].tolist()
    return rng.permutation(words.seeds)[:LEAST].tolist()


def census(source: Source, folder: Path, words: Words) -> Counts:
    """A row for each profession and year; shares of the groups."""
    gender = "gender" in source.id
    groups = (
        ["Female", "Male"]
        if gender
        else ["multirace", "aian", "white", "hispanic", "asian", "black"]
    )
    rng = np.random.default_rng(91 + gender)
    rows = []
    for year in CENSUS_YEARS:
        for word in words.mentioned:
            shares = rng.dirichlet(np.ones(len(groups)))
            rows.append([year, word, float(rng.integers(1000, 9999)), *shares.round(6).tolist()])
    head = ["Census year", "Occupation", "Total Weight", *groups]
    write_csv(folder / source.files[0].name, [head, *rows])
    return {source.files[0].name: {"rows": len(rows)}}


def analogies(source: Source, folder: Path, words: Words) -> Counts:
    """Four words a line, below a line with the section."""
    pool = words.seeds
    for i, file in enumerate(source.files):
        lines = [" ".join(pool[j : j + 4]) for j in range(i, len(pool) - 4, 4)]
        head = ": gram1-rehearsal" if i == 0 else ": all"
        (folder / file.name).write_text("\n".join([head, *lines]) + "\n", "utf-8")
    return {}


def similarity(source: Source, folder: Path, words: Words) -> Counts:
    """Two words and a score, tab-separated; two files have lines of comment."""
    pool = words.seeds
    heads = {
        "wordsim353.tsv": "# Two words and a mean\n",
        "SimLex-999.tsv": "#word1\tword2\tSimLex999\n",
    }
    for i, file in enumerate(source.files):
        lines = [f"{pool[j]}\t{pool[j + 1 + i]}\t{j % 10}.5\n" for j in range(0, 120, 2)]
        (folder / file.name).write_text(heads.get(file.name, "") + "".join(lines), "utf-8")
    return {}
