"""A world in which a known amount is amplified: a model's text leans twice as far as another.

The GPT-2 of the recovery has learnt a text in which targets lean by up to `DESIGN.most`. Here it
and the probe on its representations are compared with a second text, of the same words, in which
each leans by half of that: what the model writes goes further than this text by the difference, and
so does a probe that knows a word and has learnt its labels in the model's own text. A probe that
reads the sentence that it is tested on goes less far.
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
WITH_WORD = " told"  # ends the names of rows


def measure(job: Job) -> pd.DataFrame:
    """Probes by row of `planted_table6`, in the column `row`.

    Those of `gpt2 amplified` learn from the model's own text and are tested on the other one. In
    rows with `told`, in both worlds, probes know which word they are about.
    """
    learnt = Corpus.load(job.path(CORPUS).parent)
    held_out = other_text(job.settings["trustworthy.recovery.tokens"], job.seed)
    most, words = job.settings["trustworthy.recovery.sentences"], near_targets(HALF)
    rng = generator(job.seed, "recovery", "amplified", "sentences")
    training = mentions(learnt, words, HALF, most, rng)
    test = mentions(held_out, words, HALF, round((1 - PROBE.train_share) * most), rng)
    both = list(zip((learnt, held_out), balanced(training, test, len(words)), strict=True))
    model = load_model(job.path(MODEL), "causal", device="cpu")
    random = load_model(job.path(MODEL), "causal", device="cpu", seed=job.seed)
    how = HALF, job.settings["trustworthy.probe_seeds"], job.seed
    parts = [
        probed(model, random, texts, *how, with_word=with_word).assign(row=row)
        for row, texts, with_word in (
            (WORLD, both, False),
            (f"{WORLD}{WITH_WORD}", both, True),
            (f"gpt2{WITH_WORD}", [(learnt, training)], True),
        )
    ]
    return pd.concat(parts, ignore_index=True)


def balanced(training: Mentions, test: Mentions, n: int) -> tuple[Mentions, Mentions]:
    """Return the first sentences of each of n words, as a probe's train share asks for."""
    odds = PROBE.train_share / (1 - PROBE.train_share)
    counts = [np.bincount(sample.words, minlength=n) for sample in (training, test)]
    tested = np.minimum(counts[1], (counts[0] / odds).astype(int))
    learnt = (tested * odds + 1e-9).astype(int)
    return _at_most(training, learnt), _at_most(test, tested)


def _at_most(sample: Mentions, most: np.ndarray) -> Mentions:
    """Return the first sentences of each word."""
    turns = pd.Series(sample.words).groupby(sample.words).cumcount().to_numpy()
    kept = turns < most[sample.words]
    return Mentions(*(column[kept] for column in vars(sample).values()))
