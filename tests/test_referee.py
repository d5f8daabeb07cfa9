"""The referee's table: its statistics in worlds made by hand, and its page. No peer is needed."""

import numpy as np
import pandas as pd
import pytest

from bench.referee import table
from bench.referee.attempts import reason_of
from bench.referee.doses import DOSES

SIGNED = {"kind": "people", "tool": "AIF360", "measure": "statistical_parity_difference"}
GAP = {"kind": "people", "tool": "socialbias", "measure": "Parity Gap"}
SS = {"kind": "models", "tool": "socialbias", "measure": "ss"}


def measured(which: dict, seeds: list[list[dict]]) -> pd.DataFrame:
    """Rows of `measured.csv`: of each seed, one for each dose from 0 on."""
    nothing = {"value": 0.0, "low": np.nan, "high": np.nan, "p": np.nan, "seconds": 1.0}
    return pd.DataFrame(
        which | nothing | {"seed": seed, "dose": dose} | row
        for seed, rows in enumerate(seeds)
        for dose, row in zip(DOSES[which["kind"]], rows, strict=False)
    )


def summed_up(*tables: pd.DataFrame) -> dict:
    [row] = table.summary(pd.concat(tables))
    return row


def values(*numbers: float) -> list[dict]:
    return [{"value": number} for number in numbers]


def test_rank_correlation_is_of_each_seed_and_of_all_doses():
    seeds = [values(0, 1, 2, 3, 4), values(9, 7, 5, 3, 1), values(1, 1, 1, 1, 1)]
    # Ranks 2 1 3 4 5 beside 1 2 3 4 5: rho = 1 - 6 * (1 + 1) / (5 * 24).
    swapped = values(-0.1, -0.3, 0, 2, 8)
    rho = summed_up(measured(SIGNED, [*seeds, swapped, values(0)]))["rho"]
    assert rho == pytest.approx([1, -1, 0, 0.9])
    assert len(summed_up(measured(SIGNED, [values(0, 1, 2)]))["rho"]) == 0


def test_a_p_value_decides_before_an_interval():
    wide, narrow = {"low": -1, "high": 1}, {"low": 0.1, "high": 0.2}
    seeds = [[{"p": 0.05} | wide], [{"p": 0.051} | narrow], [narrow], [wide], [{}]]
    assert summed_up(measured(GAP, seeds))["alarms"] == (2, 4)
    below = measured(SS, [[{"low": 40, "high": 49.9}], [{"low": 40, "high": 50}]])
    assert summed_up(below)["alarms"] == (1, 2)


def test_an_interval_is_compared_with_the_truth_of_its_dose():
    # Of logits with a standard deviation of 1.063 around 0.5, .681 are above 0; around 0, .5.
    right = [{"low": 0, "high": 0.1}, {}, {"low": 0.18, "high": 0.182}]
    wrong = [{"low": 0.01, "high": 0.1}, {}, {"low": 0.183, "high": 0.3}]
    assert summed_up(measured(GAP, [right, wrong]))["coverage"] == (2, 4)
    unknown = [{"low": 50, "high": 60}, {"low": 50, "high": 60}]
    assert summed_up(measured(SS, [unknown]))["coverage"] == (1, 1)


def test_the_reason_is_the_error_at_the_end_of_a_traceback():
    text = "Traceback (most recent call last):\n  File x\nKeyError: 1\n\nDuring ...\n  File y\n"
    assert (
        reason_of(f"{text}a.b.LookupError: \n*****\n  No /home/me/x.\n") == "a.b.LookupError: No x."
    )
