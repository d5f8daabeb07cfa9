"""Doses of planted bias, and what they make true of predictions."""

from __future__ import annotations

import numpy as np
from scipy.stats import norm

from socialbias.papers.validation import recovery_scores

# Logits that the first group has more, or the largest association (a in `planted_design`).
DOSES = {
    "people": (0.0, 0.25, 0.5, 0.75, 1.0),
    "terms": (0.0, 0.25, 0.5, 0.75, 1.0),
    "vectors": (0.0, 0.225, 0.45, 0.675, 0.9),
    "models": (0.0, 0.225, 0.45, 0.675, 0.9),
}
MIDDLE = 2  # the level of the dose at which power is counted
# Numbers of seeds: of every dose, and of dose 0, at which false alarms are counted.
SEEDS = {"people": (20, 40), "terms": (20, 40), "vectors": (8, 20), "models": (6, 16)}
# Standard deviation of logits around the mean of a group.
PARTS = recovery_scores.OF_TEMPLATES, recovery_scores.OF_TERMS, recovery_scores.OF_NOISE
SPREAD = float(np.sqrt(np.square(PARTS).sum()))


def selection_rates(dose: float) -> tuple[float, float]:
    """Return the groups' true shares of positive predictions: normal logits above 0."""
    return float(norm.cdf(dose / SPREAD)), 0.5
