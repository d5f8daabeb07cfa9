"""Generalized fairness metrics against what the authors printed."""

import numpy as np
import pytest

from socialbias.measures.fairness.data import predictions, span_counts
from socialbias.measures.fairness.metrics import evaluate
from socialbias.measures.fairness.registry import METRICS
from socialbias.measures.fairness.sample import Draws, Sample
from socialbias.measures.fairness.variations import variations


def results(data, name, c=1, version="published", seed=0):
    sample = Sample(data, Draws.none(data), variations(data, seed))
    return evaluate(METRICS[name], sample, c, version)


def value(data, name, **how):
    return results(data, name, **how).value.item()


def names():
    """FN 8 and 2 of 2,000 positive examples each, 2,000 negative ones each, no FP."""
    gold = np.tile(np.repeat([1, 0], 2000), 2)
    decided = gold.copy()
    decided[:8] = decided[4000:4002] = 0
    return predictions(gold, decided, group=np.repeat(["female", "male"], 4000))


def people():
    """Spans of persons: FN 214 and 86 of 6,100, FP 7 and 38, in 6,000 sentences each."""
    found, false, missed = (np.zeros((12000, 1)) for _ in range(3))
    for first, fp, fn in ((0, 7, 214), (6000, 38, 86)):
        gold = np.ones(6000)
        gold[:100] = 2
        missed[first : first + fn, 0] = 1
        found[first : first + 6000, 0] = gold - missed[first : first + 6000, 0]
        false[first : first + fp, 0] = 1
    return span_counts(
        found, false, missed, group=np.repeat(["female", "male"], 6000), classes=["PER"]
    )


@pytest.mark.parametrize(
    ("metric", "version", "of_names", "of_people"),
    [
        ("FNED", "published", 0.003, 0.021),
        ("FNED", "corrected", 0.002, 0.010),
        ("FPED", "published", 0.000, None),
        ("FNR Ratio", "published", 2.125, 1.445),
        ("TPR Gap", "published", 0.003, 0.021),
        ("Disparity Score", "published", 0.001, 0.004),
        ("Disparity Score", "corrected", 0.002, 0.008),
        ("Parity Gap", "published", 0.002, 0.026),
    ],
)
def test_names_and_people_as_printed(metric, version, of_names, of_people):
    assert value(names(), metric, version=version) == pytest.approx(of_names, abs=5.001e-4)
    if of_people is not None:  # spans have no false-positive rate
        found = value(people(), metric, c=0, version=version)
        assert found == pytest.approx(of_people, abs=5.001e-4)
