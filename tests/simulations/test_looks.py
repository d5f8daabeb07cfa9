"""Sequential comparisons keep their error rates under any stopping, and save items."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import binom

from socialbias.stats.seeding import generator
from tests.simulations.looks import ITEMS, LOOKS, MARGIN, TRUTHS, WORLDS, WRONG, verdicts, world

RULES = ["impatient", "patient", "adversarial"]


@pytest.fixture(scope="module")
def found() -> pd.DataFrame:
    return pd.read_csv(LOOKS)


def test_every_world_was_simulated(found):
    asked = [(*kind, name) for kind in WORLDS for name in TRUTHS]
    assert [*found[["terms", "differ", "truth"]].itertuples(index=False, name=None)] == asked


def test_no_rule_of_stopping_errs_more_often_than_allowed(found):
    part = found[found["truth"].isin(WRONG)]
    errors = (part[RULES].to_numpy() * part[["runs"]].to_numpy()).round()
    assert (errors <= binom.ppf(0.999, part[["runs"]].to_numpy(), 0.025)).all()


def test_clear_differences_take_a_third_of_the_items(found):
    clear = found[found["truth"].isin(["none", "twice the margin"])]
    assert clear["items"].mean() <= 0.35 * ITEMS
    assert (clear["items"] < clear["fixed"]).all()


def test_worlds_have_the_difference_and_disagreement_that_they_are_said_to_have():
    for n, differ in WORLDS:
        rng, both = generator(1, n, differ), []
        for truth in (0.0, 0.1):
            each = [world(rng, n, differ, truth)[0] for _ in range(200)]
            both.append([[(b - a).mean(), (a != b).mean()] for a, b in each])
        (none, some), (_, apart) = np.mean(both, axis=1), np.mean(both[0], axis=0)
        assert none[0] == pytest.approx(0, abs=0.005)
        assert some[0] == pytest.approx(0.1, abs=0.005)
        assert apart == pytest.approx(differ, rel=0.05)


@pytest.mark.long
@pytest.mark.parametrize("truth", WRONG)
def test_simulated_anew_the_rates_hold(truth):
    rng = generator(2, "looks again", truth)
    worlds = [verdicts(rng, *WORLDS[1], TRUTHS[truth] * MARGIN) for _ in range(300)]
    wrong = sum(WRONG[truth] in [verdict for _, verdict in each] for each in worlds)
    assert wrong <= binom.ppf(0.999, len(worlds), 0.025)
