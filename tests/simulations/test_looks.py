"""Sequential comparisons keep their error rates under any stopping, and save items."""

import pandas as pd
import pytest
from scipy.stats import binom

from tests.simulations.looks import (
    ITEMS,
    LOOKS,
    OF_RARE,
    TRUTHS,
    WORLDS,
    WRONG,
)

RULES = ["impatient", "patient", "adversarial"]


@pytest.fixture(scope="module")
def found() -> pd.DataFrame:
    return pd.read_csv(LOOKS).dropna(subset="differ")


def test_rare_terms_are_an_exception_unless_terms_are_many():
    rare = pd.read_csv(LOOKS).query("differ.isna()").set_index("terms")
    assert [*rare.index.unique()] == [*OF_RARE]
    assert rare.loc[40, RULES].max(axis=None) > 0.05  # as the page says
    assert rare.loc[300, RULES].max(axis=None) <= binom.ppf(0.999, 1000, 0.025) / 1000


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
