"""A world in which a known amount is amplified: a model's text leans twice as far as another.

The GPT-2 of the recovery has learnt a text in which targets lean by up to `DESIGN.most`. Here it
and the probe on its representations are held against another text, of the same words, in which each
leans by half of that: what the model writes goes further than this text by what they differ, and so
does a probe that knows a word and has learnt its labels in the model's own text. A probe that reads
the sentence it is asked about goes less far.
"""

from __future__ import annotations

import numpy as np
import pandas as pd

from socialbias.contextual.models import load_model
from socialbias.corpora.prepared import Corpus
from socialbias.papers.validation.planted_probes import probed
from socialbias.papers.validation.planted_table6 import (
    CORPUS,
    HALF,
    WORLD,
    near_targets,
    other_text,
)
from socialbias.papers.validation.recovery_contextual import PROBE, Mentions, mentions
from socialbias.pipeline.job import Job
from socialbias.stats.seeding import generator

MODEL = "planted/gpt2_model"
TOLD = " told"  # ends the names of rows


def measure(job: Job) -> pd.DataFrame:
    """Probes by row of `planted_table6`, in the column `row`.

    Those of `gpt2 amplified` learn from the model's own text and are asked about the other one.
    With `told`, of both worlds, probes are told which word they are about.
    """
    learnt = Corpus.load(job.path(CORPUS).parent)
    asked = other_text(job.settings["trustworthy.recovery.tokens"], job.seed)
    most, words = job.settings["trustworthy.recovery.sentences"], near_targets(HALF)
    rng = generator(job.seed, "recovery", "amplified", "sentences")
    share = 1 - PROBE.train_share
    first = mentions(learnt, words, HALF, most, rng)
    then = mentions(asked, words, HALF, round(share * most), rng)
    other = list(zip((learnt, asked), balanced(first, then, len(words)), strict=True))
    model = load_model(job.path(MODEL), "causal", device="cpu")
    random = load_model(job.path(MODEL), "causal", device="cpu", seed=job.seed)
    how = HALF, job.settings["trustworthy.probe_seeds"], job.seed
    parts = [
        probed(model, random, texts, *how, told=told).assign(row=row)
        for row, texts, told in (
            (WORLD, other, False),
            (f"{WORLD}{TOLD}", other, True),
            (f"gpt2{TOLD}", [(learnt, first)], True),
        )
    ]
    return pd.concat(parts, ignore_index=True)


def balanced(first: Mentions, then: Mentions, n: int) -> tuple[Mentions, Mentions]:
    """As many sentences of each of n words that those of the first text are what a probe learns."""
    odds = PROBE.train_share / (1 - PROBE.train_share)
    counts = [np.bincount(found.words, minlength=n) for found in (first, then)]
    asked = np.minimum(counts[1], (counts[0] / odds).astype(int))
    learnt = (asked * odds + 1e-9).astype(int)
    return _at_most(first, learnt), _at_most(then, asked)


def _at_most(found: Mentions, most: np.ndarray) -> Mentions:
    """The first sentences of each word."""
    turns = pd.Series(found.words).groupby(found.words).cumcount().to_numpy()
    kept = turns < most[found.words]
    return Mentions(*(column[kept] for column in vars(found).values()))
