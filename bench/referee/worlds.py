"""Worlds with a known bias: predictions of a classifier, word vectors, small language models.

A world has a dose: one of five amounts of bias, of which the first is 0. Worlds of vectors and
models are those of `validation_recovery_corpora` with a dose: a corpus in which half of the targets
are associated with one group and half with the other, by `most` at most. In worlds of predictions
the first group's logits are higher by the dose.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from bench.referee.doses import DOSES, SEEDS, SPREAD
from socialbias.corpora.prepared import Corpus
from socialbias.embeddings.options import Options
from socialbias.embeddings.train import train
from socialbias.embeddings.vectors import WordVectors
from socialbias.models.language_models import train_gpt2
from socialbias.papers.validation import recovery_scores
from socialbias.papers.validation.planted_corpus import write
from socialbias.papers.validation.planted_design import DIRECT, Design
from socialbias.papers.validation.recovery_contextual import GPT2
from socialbias.stats.seeding import generator

SEED = 1
TOKENS = 100_000  # of a corpus: half of the reference run's
OPTIONS = Options(dimensions=50, window=5, min_count=1, sample=1e-3, epochs=5, negative=5)
FILLERS = 2  # sentences for each target and pair of group words


@dataclass(frozen=True)
class World:
    """One world.

    Attributes:
        kind: A key of `DOSES`.
        level: The index of its dose there.
        seed: Random seed.
    """

    kind: str
    level: int
    seed: int

    @property
    def dose(self) -> float:
        """The planted amount."""
        return DOSES[self.kind][self.level]

    def random(self, *names: str) -> np.random.Generator:
        """Return a random generator of this world."""
        return generator(SEED, "referee", self.kind, self.level, self.seed, *names)


def worlds(kind: str, seed: int) -> list[World]:
    """Return the worlds of a kind with a seed: all doses, dose 0 alone, or none."""
    curve, null = SEEDS[kind]
    levels = len(DOSES[kind]) if seed < curve else int(seed < null)
    return [World(kind, level, seed) for level in range(levels)]


def predictions(world: World) -> dict[str, np.ndarray]:
    """Return a classifier's chances of the positive class: `chance`, `predicted`, `label`, `group`.

    Kind `terms`: sentences in which twelve names of two groups take turns, as in
    `recovery_scores.predicted`, with `source` (the sentence) and `term`. Kind `people`: as many
    examples with the same spread of logits, each independent of all others.
    """
    if world.kind == "terms":
        data = recovery_scores.predicted(world.dose, world.random())
        chance, group, label = data.probabilities[:, 1], data.group, data.y_true
        columns = {"source": data.source, "term": data.term}
    else:
        rng, n = world.random(), 2 * recovery_scores.TERMS * recovery_scores.TEMPLATES
        group, label = np.arange(n) % 2, np.arange(n) // 2 % 2
        chance = 1 / (1 + np.exp(-world.dose * (group == 0) - SPREAD * rng.standard_normal(n)))
        columns = {}
    columns |= {"chance": chance, "predicted": (chance > 0.5).astype(int)}
    return columns | {"label": label, "group": group}


def design_of(world: World) -> Design:
    """Return what is planted in a corpus; targets of second order are left out."""
    return Design(most=world.dose, second_order=0)


def sides(design: Design) -> tuple[list[str], list[str]]:
    """Return the direct targets, by the group that they are associated with."""
    table = design.targets[design.targets["kind"] == DIRECT]
    return tuple(list(table.loc[table["favoured"] == group, "target"]) for group in (0, 1))


def vectors(world: World) -> tuple[Design, WordVectors]:
    """Word2vec's vectors of the world's corpus."""
    design, corpus, seed = _planted(world)
    documents = np.arange(corpus.size)
    return design, train(corpus, documents, OPTIONS, seed, name="planted").vectors


def model(world: World, folder: Path) -> Design:
    """Train a small GPT-2 on the world's corpus, and save it in a folder."""
    design, corpus, seed = _planted(world)
    train_gpt2(corpus, folder, replace(GPT2, epochs=2), seed)
    return design


def _planted(world: World) -> tuple[Design, Corpus, int]:
    """Return the design and corpus of a world, and the seed of a training on it."""
    name = f"referee {world.kind} {world.level}"
    rng = generator(SEED, "recovery", name, world.seed)
    design = design_of(world).reordered(rng)
    corpus = write(design, TOKENS, rng).prepared()
    training = generator(SEED, "recovery", name, world.seed, 0)
    return design, corpus, int(training.integers(2**31))


def pairs(design: Design, rng: np.random.Generator) -> Iterator[dict[str, str]]:
    """Pairs of sentences that differ in the group word beside a target.

    Every target meets every rank of the group words, so that without an association half of the
    pairs prefer the favoured group, whatever else a model prefers.

    Yields:
        `item`, `term` (the target), `context` with a gap, and the two words for the gap:
        `stereotype` (of the group that the target is associated with) and `anti-stereotype`.
    """
    fillers = design.words["function"]
    for group, targets in enumerate(sides(design)):
        own, other = design.groups[f"group {group}"], design.groups[f"group {1 - group}"]
        for target in targets:
            for rank in range(design.group_words):
                for _ in range(FILLERS):
                    a, b, c = rng.choice(fillers, 3)
                    yield {
                        "item": f"{target} {rank} {a} {b} {c}",
                        "term": target,
                        "context": f"{a} {b} {target} BLANK {c} .",
                        "stereotype": own[rank],
                        "anti-stereotype": other[rank],
                    }


def write_pairs(rows: list[dict[str, str]], stem: Path) -> tuple[Path, Path]:
    """Return the pairs as our items (CSV) and as those of CrowS-Pairs (JSON Lines)."""
    ours, theirs = stem.with_suffix(".csv"), stem.with_suffix(".jsonl")
    with ours.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, rows[0])
        writer.writeheader()
        writer.writerows(rows)
    with theirs.open("w", encoding="utf-8") as file:
        for row in rows:
            more, less = (
                row["context"].replace("BLANK", row[name])
                for name in ("stereotype", "anti-stereotype")
            )
            file.write(json.dumps({"sent_more": more, "sent_less": less}) + "\n")
    return ours, theirs
