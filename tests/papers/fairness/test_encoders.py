"""Two encoders' orders of attributes, of which it is known how they agree."""

import numpy as np
import pandas as pd
import pytest

from socialbias.papers.fairness import figure1, metrics, models
from socialbias.papers.fairness.features import measure
from socialbias.stats.draws import DRAWS
from tests import tiny_models
from tests.papers.fairness.test_models import SETTINGS, job_of, tweets  # noqa: F401
from tests.worlds.jobs import job_with, summarised
from tests.worlds.numbers import cells

ATTRIBUTES = ["a", "b", "c", "d", "e", "f", "g"]


def agreement(first, second, sd: float = 0.01):
    numbers, rng = [np.array(x, float) for x in (first, second)], np.random.default_rng(1)
    draws = [x + rng.normal(0, sd, (DRAWS, 7)) for x in numbers]
    return figure1.agreement(numbers, draws, ATTRIBUTES, job_with())


def test_an_order_agrees_with_itself_and_not_with_its_reverse():
    same, chance = agreement(range(7), range(7))
    reverse, _ = agreement(range(7), range(7)[::-1])
    assert (same["number"], reverse["number"]) == pytest.approx((1, -1))
    # Of the 5,040 orders one is the same and one the reverse.
    assert same["p_value"] == reverse["p_value"] == pytest.approx(2 / 5040)
    assert same["n"] == 7
    # Tables of Spearman's rho for seven pairs: .786 is exceeded with a probability of .025.
    assert chance == pytest.approx(0.786, abs=0.05)
    assert (same["draws"] > chance).mean() > 0.99
    assert (same["null"] > chance).mean() < 0.06
    assert abs(same["null"].mean()) < 0.1


def test_where_attributes_are_alike_no_draw_is_sure():
    result, chance = agreement(np.arange(7) / 100, np.arange(7) / 100, sd=1)
    assert 0.005 < (result["draws"] > chance).mean() < 0.2
    low, high = result["interval"]
    assert low < 0 < high


def metrics_of(order) -> pd.DataFrame:
    """Two metrics of seven attributes, with two samples and two deals each."""
    rows = [
        {
            "task": "binary", "attribute": attribute, "metric": metric, "version": "published",
            "class_": "positive", "group": "", "value": x, "null_mean": 0.5, "p_value": 1.0,
            "sampled": np.array([x - 0.01, x + 0.01]), "dealt": np.array([0.4, 0.6]),
        }
        for attribute, x in zip(ATTRIBUTES, order, strict=True)
        for metric in ("AvgGF", "CFGap")
    ]  # fmt: skip
    return pd.DataFrame(rows)


def test_the_cells_of_two_encoders():
    inputs = {metrics.METRICS_EVIDENCE: metrics_of([1, 2, 3, 4, 5, 6, 7])}
    inputs[f"{metrics.METRICS_EVIDENCE}_second"] = metrics_of([2, 1, 6, 8, 10, 12, 14])
    found = cells(summarised(figure1.summarise_encoders, inputs))
    assert found["c", "first@binary"]["value"] == pytest.approx(3 / 7)
    assert found["c", "second_above@binary"]["value"] == pytest.approx(5.5 / 14)
    # Two neighbours are exchanged: 1 - 6 * 2 / (7 * 48).
    assert found["order", "rho@binary"]["value"] == pytest.approx(1 - 12 / 336)
    assert found["order", "rho_above@binary"]["value"] == pytest.approx(1 - 12 / 336)
    assert len(found) == 4 * 7 + 3
    assert summarised(figure1.summarise_encoders, {}) == []


def test_a_second_encoder_is_asked_as_the_first(tweets, tmp_path):  # noqa: F811
    """The same model in both roles says the same."""
    model = tiny_models.write(tmp_path / "bert", "bert")
    job = job_of(model, tweets)
    inputs = dict(job.files) | {"fairness_second_encoder": [model]}
    del inputs[models.ENCODER], inputs[models.FEATURES]
    other = job_with(inputs, **SETTINGS)
    other.files[f"{models.FEATURES}_second"] = [measure(other)]
    for classify in (models.measure_binary, models.measure_three):
        pd.testing.assert_frame_equal(classify(job), classify(other))
