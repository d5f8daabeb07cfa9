"""English of a kind, in which every word that the papers measure has contexts."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from itertools import cycle
from pathlib import Path

import numpy as np
import yaml

from socialbias.files.paths import resources
from socialbias.papers.bad_seeds.inputs import BAD, GOOD

# By file, how much of what it has: `documents`, `words`, `dimensions` or `rows`.
Counts = dict[str, dict[str, int]]


def listed(text: str) -> list[str]:
    return text.split()


VERBS = listed("""
    said made found took saw kept left lost moved opened painted praised read sold thanked told
    watched wrote carried closed counted crossed drew followed guarded
""")
NOUNS = listed("""
    house river garden road letter window table morning village market bridge station winter summer
    kitchen story harbour mountain school engine
""")
ADJECTIVES = listed("old new small quiet bright long heavy early famous narrow")
ADVERBS = listed("often rarely slowly quickly early late gladly quietly")
FUNCTION = listed("the a an of and in on to was were that with for by his her they it when before")
# Each with its adjective.
COUNTRIES = """
Norway Norwegian, Ghana Ghanaian, Peru Peruvian, Japan Japanese, Nepal Nepalese,
Chile Chilean, Kenya Kenyan, Spain Spanish, Poland Polish, India Indian, Cuba Cuban,
Fiji Fijian, Oman Omani, Mali Malian, Iran Iranian, Egypt Egyptian, Brazil Brazilian,
Samoa Samoan, Italy Italian, Greece Greek, Turkey Turkish, Mexico Mexican, Canada Canadian,
France French, Sweden Swedish, Gabon Gabonese, Angola Angolan, Jordan Jordanian,
Bolivia Bolivian, Tonga Tongan
"""
COUNTRIES = [tuple(pair.split()) for pair in COUNTRIES.split(",")]
ABOUT = 8  # sentences of a text about one profession


def word_list(name: str) -> dict:
    """A file of the project's own word lists."""
    return yaml.safe_load(Path(resources(), "word_lists", f"{name}.yaml").read_text("utf-8"))


def printed_in(artefact: str) -> list[str]:
    """What print measures, of an artefact whose columns are words."""
    path = Path(resources(), "published", f"{artefact}.csv")
    with path.open(encoding="utf-8", newline="") as file:
        return [row["column"] for row in csv.DictReader(file)]


class Words:
    """The words that texts and vectors are made of.

    Attributes:
        groups: Lists of words of which a text about a profession has those of one alone.
        professions: All of the paper's.
        targets: Those of Table 3.
        mentioned: What such a text is about.
        seeds: Words of the seed sets, and others that are measured.
        all: All of them, each once, in an order that stands for frequency.
    """

    def __init__(self) -> None:
        trustworthy, seeds = word_list("trustworthy"), word_list("bad_seeds")
        gender = trustworthy["gender"].values()
        self.groups = [
            sorted({word for variant in gender for word in variant[group]})
            for group in ("female", "male")
        ]
        self.groups += list(trustworthy["race"].values())
        self.professions = list(trustworthy["professions"])
        self.targets = list(trustworthy["table3_targets"])
        self.mentioned = sorted({*self.targets, *self.professions[::12]})
        sets = [words["words"] for words in seeds["sets"]]
        sets += [pair[side] for pair in seeds["pairs"].values() for side in ("first", "second")]
        sets += [pair[side] for pair in seeds["generated"] for side in ("first", "second")]
        sets += [seeds["unpleasantness"], *_lists(trustworthy), *_lists(word_list("debiasing"))]
        sets += [word_list("controls")["nouns"], printed_in("bad_seeds_figure4")]
        sets += [GOOD, BAD, [adjective.lower() for _, adjective in COUNTRIES]]
        grouped = {word for group in self.groups for word in group}
        found = [w for words in sets for w in words if w.isalpha() and w == w.lower()]
        self.seeds = [w for w in dict.fromkeys(found) if w not in grouped]
        common = [*FUNCTION, *VERBS, *NOUNS, *ADJECTIVES, *ADVERBS]
        grouped = [word for group in self.groups for word in group]
        self.all = list(dict.fromkeys([*common, *grouped, *self.professions, *self.seeds]))


def _lists(tree: object) -> Iterator[list[str]]:
    """Every list of words in a tree of word lists."""
    if isinstance(tree, dict):
        for part in tree.values():
            yield from _lists(part)
    elif isinstance(tree, list) and tree and all(isinstance(word, str) for word in tree):
        yield tree
    elif isinstance(tree, list):
        for part in tree:
            yield from _lists(part)


class Writer:
    """Texts without end, the same for the same seed.

    Every other one is about a profession and one group; the others go through all seeds in turn.
    """

    def __init__(self, words: Words, seed: int) -> None:
        self.words, self.rng = words, np.random.default_rng(seed)
        pool = [*words.seeds, *(word for group in words.groups[:2] for word in group)]
        self.seeds = cycle(self.rng.permutation(pool).tolist())
        everyone = [*words.targets * 2, *words.mentioned]
        pairs = [(about, group) for about in everyone for group in range(len(words.groups))]
        order = self.rng.permutation(len(pairs))
        self.about = cycle([pairs[i] for i in order])

    def documents(self, number: int) -> list[list[str]]:
        """So many texts, each a list of sentences with capitals and full stops."""
        return [self._about() if i % 2 else self._seeded() for i in range(number)]

    def _about(self) -> list[str]:
        about, group = next(self.about)
        chosen = self.words.groups[group]
        return [self._sentence(about, self._of(chosen)) for _ in range(ABOUT)]

    def _seeded(self) -> list[str]:
        return [self._sentence(next(self.seeds), next(self.seeds)) for _ in range(ABOUT)]

    def _sentence(self, first: str, second: str) -> str:
        adjective, noun, verb, adverb = map(self._of, (ADJECTIVES, NOUNS, VERBS, ADVERBS))
        text = f"the {adjective} {first} {adverb} {verb} the {noun} of {second}"
        if self.rng.random() < 0.5:
            text += f" and the {self._of(NOUNS)} was {self._of(ADJECTIVES)}"
        return f"{text[0].upper()}{text[1:]}."

    def _of(self, words: list[str]) -> str:
        return words[self.rng.integers(len(words))]
