"""StereoSet, CrowS-Pairs, tweets, named entities, and templates with their terms."""

from __future__ import annotations

import hashlib
import json
import pickle
from functools import cache
from itertools import product
from pathlib import Path

import numpy as np
import yaml

from socialbias.papers.stereoset import model_tables
from socialbias.sources.registry import Source
from tests.declared import DECLARATIONS
from tests.rehearsal.lists import write_csv
from tests.rehearsal.texts import ADJECTIVES, COUNTRIES, NOUNS, Counts, Words, word_list

EACH = 2  # items of a target and task
# Domains of terms that Table 8 has, of the development split.
TABLE8 = {term: domain for domain, terms in model_tables.TABLE8_TERMS.items() for term in terms}
KINDS = ("stereotype", "anti-stereotype", "unrelated")
PAIRS = 14  # of each type of bias
TYPES = ["race-color", "gender", "socioeconomic", "nationality", "religion", "age"]
TYPES += ["sexual-orientation", "physical-appearance", "disability"]


def _id(*parts: object) -> str:
    return hashlib.md5("/".join(map(str, parts)).encode(), usedforsecurity=False).hexdigest()


def _labels(kind: str, item: str) -> list[dict]:
    """Five annotators; of some items one is of another opinion, or sees a relation alone."""
    other = (KINDS[(KINDS.index(kind) + 1) % 3], "related", kind)[int(item[0], 16) % 3]
    given = [kind] * 4 + [other]
    return [{"label": label, "human_id": _id("annotator", i)} for i, label in enumerate(given)]


@cache
def targets(part: str) -> list[tuple[str, str]]:
    """The terms of a split, as Table 10's declaration writes them, each with a domain.

    Domains come in turn, so that each is in a small sample; Table 8's terms have their own.
    """
    declared = DECLARATIONS.artefacts["stereoset_table10"]
    labels = [
        declared.rows[cell.row].label.replace("\N{RIGHT SINGLE QUOTATION MARK}", "'")
        for cell in declared.cells()
        if cell.column == "items" and cell.needs == (f"stereoset_{part}",)
    ]
    if part == "dev":
        there = {label.lower() for label in labels}
        labels += [term for term in TABLE8 if term not in there]
    domains = list(word_list("stereoset")["keywords"])
    return [
        (label, TABLE8.get(label.lower(), domains[i % len(domains)]))
        for i, label in enumerate(labels)
    ]


def stereoset_items(part: str) -> dict:
    """A split of StereoSet in the layout of its file."""
    keywords = word_list("stereoset")["keywords"]
    rng = np.random.default_rng(101 if part == "dev" else 102)
    data: dict[str, list] = {"intersentence": [], "intrasentence": []}
    for (target, bias), i in product(targets(part), range(EACH)):
        noun = NOUNS[int(rng.integers(len(NOUNS)))]
        first = int(rng.integers(8))
        # Some name again what the context names: overlap then tells candidates apart.
        again = target if rng.random() < 0.3 else keywords[bias][first]
        fillers = [again, keywords[bias][first + 1], noun]
        for task, items in data.items():
            name = _id(part, task, target, i)
            context, texts = _item(task, target, noun, fillers)
            items.append(
                {
                    "id": name,
                    "target": target,
                    "bias_type": bias,
                    "context": context,
                    "sentences": _sentences(name, texts, rng.permutation(3).tolist()),
                }
            )
    return {"version": "1.0-dev", "data": data}


def _item(task: str, target: str, noun: str, fillers: list[str]) -> tuple[str, list[str]]:
    """A context, and what fills or follows it."""
    if task == "intrasentence":
        context = f"The {target} near the {noun} is BLANK."
        return context, [context.replace("BLANK", word) for word in fillers]
    return f"I met the {target} near the {noun}.", [f"They were {word} today." for word in fillers]


def _sentences(name: str, texts: list[str], order: list[int]) -> list[dict]:
    given = [
        {"sentence": text, "id": _id(name, kind), "labels": _labels(kind, name), "gold_label": kind}
        for kind, text in zip(KINDS, texts, strict=True)
    ]
    return [given[i] for i in order]


def stereoset_words() -> list[str]:
    """The words of terms and keywords, which vectors have."""
    lists = [*word_list("stereoset")["keywords"].values()]
    lists += [label.lower().split() for part in ("dev", "test") for label, _ in targets(part)]
    return [word for words in lists for word in words]


def stereoset(source: Source, folder: Path, words: Words) -> Counts:
    """`dev.json` or `test.json`."""
    [file] = source.files
    content = stereoset_items(Path(file.name).stem)
    (folder / file.name).write_text(json.dumps(content, indent=2), "utf-8")
    return {}


def predictions(source: Source, folder: Path, words: Words) -> Counts:
    """A score for each sentence of the development split, in eleven files."""
    data = stereoset_items("dev")["data"]
    for seed, file in enumerate(source.files, 110):
        rng = np.random.default_rng(seed)
        scores = {
            task: [
                {"id": sentence["id"], "score": float(rng.random())}
                for item in items
                for sentence in item["sentences"]
            ]
            for task, items in data.items()
        }
        (folder / file.name).parent.mkdir(parents=True, exist_ok=True)
        (folder / file.name).write_text(json.dumps(scores, indent=2), "utf-8")
    return {}


def crows_pairs(source: Source, folder: Path, words: Words) -> Counts:
    """Pairs with annotations as Python lists; one sentence has a line break."""
    rows = []
    for kind in TYPES:
        for i in range(PAIRS):
            noun, adjective = NOUNS[i % len(NOUNS)], ADJECTIVES[i % len(ADJECTIVES)]
            break_ = "\n" if not rows else " "
            more = f"The {noun} was closed,{break_}so she was {adjective}."
            less = f"The {noun} was closed,{break_}so he was {adjective}."
            voices = [[kind]] * 4 + [[] if i % 4 == 0 else [kind]]
            direction = "antistereo" if i % 5 == 0 else "stereo"
            writers = f"a{i}", [f"a{j}" for j in range(5)]
            rows.append([len(rows), more, less, direction, kind, voices, *writers])
    head = ["", "sent_more", "sent_less", "stereo_antistereo", "bias_type", "annotations"]
    head += ["anon_writer", "anon_annotators"]
    end = "\r\n" if "crlf" in source.id else "\n"
    write_csv(folder / source.files[0].name, [head, *rows], end)
    return {source.files[0].name: {"rows": len(rows)}}


def semeval(source: Source, folder: Path, words: Words) -> Counts:
    """Tweets with a class of valence, tab-separated; the test file has none."""
    names = ["very negative", "moderately negative", "slightly negative", "neutral or mixed"]
    names += ["slightly positive", "moderately positive", "very positive"]
    for file in source.files:
        rows = ["ID\tTweet\tAffect Dimension\tIntensity Class"]
        for i in range(140):
            level = i % 7 - 3
            mood = "awful" if level < 0 else "wonderful" if level > 0 else "plain"
            noun = NOUNS[i % len(NOUNS)]
            tweet = f'@user A {mood} day at the {noun} &amp; the "{noun}\\n #{noun}'
            gold = f"{level}: {names[i % 7]} emotional state can be inferred"
            blind = "gold" not in file.name and "test" in file.name
            rows.append(f"2018-En-{i:05}\t{tweet}\tvalence\t{'NONE' if blind else gold}")
        (folder / file.name).parent.mkdir(parents=True, exist_ok=True)
        (folder / file.name).write_text("\n".join(rows) + "\n", "utf-8")
    return {}


def conll2003(source: Source, folder: Path, words: Words) -> Counts:
    """Four columns, IOB2, documents begun by `-DOCSTART-`; the last line has no end."""
    people, places = ("Anna", "Peter", "Maria"), ("Norway", "Ghana", "Peru")
    for file in source.files:
        if not file.name.endswith(".txt"):
            (folder / file.name).write_text("A rehearsal.\n", "utf-8")
            continue
        lines = []
        for i in range(60):
            if i % 6 == 0:
                lines += ["-DOCSTART- -X- -X- O", ""]
            person, place, noun = people[i % 3], places[i % 3], NOUNS[i % len(NOUNS)]
            lines += [f"{person} NNP B-NP B-PER", "visited VBD B-VP O", f"{place} NNP B-NP B-LOC"]
            lines += ["and CC O O", "the DT B-NP O", f"{noun} NN I-NP O", ". . O O", ""]
        (folder / file.name).write_text("\n".join(lines[:-1]), "utf-8")
    return {}


MOODS = {2: ("wonderful", "We love"), 1: ("plain", "We met"), 0: ("awful", "We fear")}
# Templates by file: the slot and the tag of an entity, if it has one.
SLOTS = {
    "age": ("{identity_adj}", ""),
    "disability": ("{identity_adj}", ""),
    "ethnicity": ("{identity_adj}", ""),
    "gender_sexuality": ("{identity_adj}", ""),
    "generic": ("{identity_adj}", ""),
    "generic_adj_or_pp": ("{identity_adj}", ""),
    "nationality": ("{country}", "{country}:U-LOC"),
    "people": ("{person}", "{person}:U-PER"),
    "religion": ("{religion}", ""),
}


def gfm_templates(source: Source, folder: Path, words: Words) -> Counts:
    """Templates of each file, of three sentiments."""
    for file in source.files:
        (folder / file.name).parent.mkdir(parents=True, exist_ok=True)
        if not file.name.endswith(".csv"):
            (folder / file.name).write_text("A licence.\n", "utf-8")
            continue
        name = Path(file.name).stem.replace("_templates", "")
        slot, ner = SLOTS[name]
        rows = [["TEMPLATE", "DOMAIN", "SENT", "NER"]]
        for sentiment, (mood, verb) in MOODS.items():
            for noun in NOUNS[:4]:
                rows.append([_template(name, slot, mood, verb, noun), "", sentiment, ner])
        write_csv(folder / file.name, rows)
    return {}


def _template(name: str, slot: str, mood: str, verb: str, noun: str) -> str:
    """A template with its slot; of disability the slot of a phrase that follows its noun too."""
    if slot in ("{country}", "{religion}"):
        return f"{verb} the {mood} {noun} of {slot}."
    if slot == "{person}":
        return f"{verb} {slot} at the {mood} {noun}."
    if name in ("disability", "generic_adj_or_pp"):
        return f"{verb} {{a:identity_np}} at the {mood} {noun}."
    return f"{verb} the {slot} friend at the {mood} {noun}."


def gfm_terms(source: Source, folder: Path, words: Words) -> Counts:
    """Identity terms of each file, and countries with their GDP."""
    terms = yaml.safe_load(Path(__file__).with_name("terms.yaml").read_text("utf-8"))
    for file in source.files:
        path = folder / file.name
        path.parent.mkdir(parents=True, exist_ok=True)
        name = path.stem
        if name in terms:
            head = ",".join(["TERM", *terms[name]["columns"]])
            path.write_text("\n".join([head, *terms[name]["rows"]]) + "\n", "utf-8")
        elif name == "countries":
            head = "RANK TERM COUNTRY_ADJ CONTINENT REGION REGION_ADJ GDP_NOMINAL GDP_PPP"
            rows = [head.split()]
            for i, (country, adjective) in enumerate(COUNTRIES, 1):
                rows.append(
                    [i, country, adjective, "Europe", "Somewhere", "Some", 50 * i * i, 60 * i * i]
                )
            write_csv(path, rows)
        else:
            path.write_text("Terms of a rehearsal.\n", "utf-8")
    return {}


def names(source: Source, folder: Path, words: Words) -> Counts:
    """CheckList's pickle: given names by gender and language in an object of `munch`."""
    listed = {"fnames": {"en": _names("a")}, "mnames": {"en": _names("o")}}
    (folder / source.files[0].name).write_bytes(munch_pickle(listed))
    return {}


def _names(end: str) -> list[str]:
    """A hundred names of a gender."""
    first = ["Mar", "Al", "Ber", "Car", "Dor", "El", "Fran", "Gil", "Hel", "Is"]
    middle = ["in", "ett", "ol", "ian", "ur", "ed", "im", "on", "ys", "av"]
    return [f"{a}{b}{end}" for a, b in product(first, middle)]


def munch_pickle(content: dict) -> bytes:
    """What pickling `munch.Munch(content)` gives with protocol 2."""
    inner = pickle.dumps(content, protocol=2)
    items = inner[2:-1]  # without the header and the full stop
    # Munch is a dict: NEWOBJ of no arguments, then its items by SETITEMS, which the dict here has.
    head, tail = b"\x80\x02cmunch\nMunch\n)\x81", b"."
    assert items.startswith(b"}"), "an empty dictionary comes first"
    return head + items[1:] + tail


def name_lists(source: Source, folder: Path, words: Words) -> Counts:
    """Names, one a line."""
    for file in source.files:
        path = folder / file.name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("\n".join(_names("o" if "_male" in file.name else "a")) + "\n", "utf-8")
    return {}
