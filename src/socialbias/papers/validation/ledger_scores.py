"""StereoSet's scores of nine models, in every way to score, to count ties and to aggregate.

Likelihoods are those of the released predictions; pseudo-likelihoods, and likelihoods that correct
the mistake of the released code, are the run's own.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from socialbias.datasets.stereoset import TASKS as BOTH
from socialbias.papers.stereoset.items import CORRECTED, LIKELIHOOD
from socialbias.papers.stereoset.predictions import CAUSAL
from socialbias.stats.draws import resampled_counts

Array = NDArray[np.float64]
CANDIDATES = ["stereotype", "anti-stereotype", "unrelated"]
TASKS = {"intra": "intrasentence", "inter": "intersentence"}
PREFERENCES = {"ss": [(0, 1)], "lms": [(0, 2), (1, 2)]}  # which candidate is preferred to which


@dataclass(frozen=True)
class Scores:
    """Decisions of models in items, with samples of the target terms."""

    # By model, task and scheme, the scores of the candidates (n, 3) and the term of each.
    parts: Mapping[tuple[str, str, str], tuple[Array, NDArray[np.int64]]]
    terms: list[str]  # all terms
    weights: Array  # (1 + DRAWS, terms) how often each is there: once, then in each sample

    @classmethod
    def of(cls, scores: pd.DataFrame, seed: int) -> Scores:
        """Return the scores of one split."""
        scores = scores.drop_duplicates(["row", "task", "scheme", "item"])
        terms = sorted(scores["target"].unique())
        parts = {}
        for key, part in scores.groupby(["row", "task", "scheme"]):
            of_terms = pd.Index(terms).get_indexer(part["target"])
            parts[key] = part[CANDIDATES].to_numpy(float), of_terms
        intra = BOTH[0]
        for model in CAUSAL:  # one score a sentence, in which there is nothing to correct
            if (model, intra, LIKELIHOOD) in parts:
                parts[model, intra, CORRECTED] = parts[model, intra, LIKELIHOOD]
        weights = np.vstack([np.ones(len(terms)), resampled_counts(terms, seed)])
        return cls(parts, terms, weights)

    def draws(self, model: str, task: str, scheme: str, score: str, over: str, ties: str) -> Array:
        """Return a score in percent, now and in each sample of terms: (1 + DRAWS,)."""
        key = (model, TASKS[task], scheme)
        if key not in self.parts:
            return np.full(len(self.weights), np.nan)
        candidates, of = self.parts[key]
        won, total = (np.zeros(len(self.terms)) for _ in range(2))
        for first, second in PREFERENCES[score]:
            tied = candidates[:, first] == candidates[:, second]
            wins = (candidates[:, first] > candidates[:, second]) + tied * (ties == "half") / 2
            counted = ~tied if ties == "left out" else np.ones(len(tied))
            won += np.bincount(of, wins, len(self.terms))
            total += np.bincount(of, counted, len(self.terms))
        if over == "micro":
            return 100 * (self.weights @ won) / (self.weights @ total)
        known = total > 0
        shares = np.divide(won, total, out=np.zeros_like(won), where=known)
        return 100 * (self.weights @ shares) / (self.weights @ known.astype(float))
