from itertools import permutations

import numpy as np
import pandas as pd
import pytest
from scipy.stats import kendalltau

from socialbias.reporting.compare import (
    PASSED,
    compare,
    judge_number,
    order_and_signs,
    passed_if_shuffled,
    power_of_order,
    same_digits,
)
from tests.records import value, values_table

SAID = {"fidelity": "exact", "unit": "share", "sources": "demo", "n_unit": "", "note": ""}
NAN = float("nan")


@pytest.mark.parametrize(
    ("number", "printed", "how"),
    [
        (0.8349, "0.83", "rounded"),
        (0.8391, "0.83", "truncated"),
        (0.8399999, "0.83", "truncated"),
        (0.84, "0.83", ""),
        (0.8249, "0.83", ""),
        (0.825, "0.83", "rounded"),  # half goes up in the decimal digits, as a person rounds
        (0.845, "0.85", "rounded"),  # though the nearest binary number is below 0.845
        (-0.126, "-0.13", "rounded"),
        (-0.126, "-0.12", "truncated"),
        (-0.125, "-0.13", "rounded"),  # half goes away from zero
        (-0.0004, "0.000", "rounded"),
        (0.0004, "-0.000", "rounded"),
        (0.5, ".50", "rounded"),
        (41.6, "42", "rounded"),
        (41.6, "41", "truncated"),
        (1e-7, "0.0000001", "rounded"),
        (0.3, "0.30", "rounded"),
        (0.304, "0.3", "rounded"),
        (0.5, "1.2e-44", ""),  # a number with 44 digits to the last place of print
        (1.24e-44, "1.2e-44", "rounded"),
        (NAN, "0.30", ""),
    ],
)
def test_same_digits_by_rounding_or_truncation(number, printed, how):
    assert same_digits(number, printed) == how


@pytest.mark.parametrize(
    ("number", "low", "high", "verdict", "reason"),
    [
        (0.501, 0.0, 1.0, "exact", "rounded"),  # exact whatever the interval
        (0.52, 0.45, 0.60, "compatible", "inside"),
        (0.52, 0.50, 0.70, "compatible", "inside"),  # on the edge, and just narrow enough
        (0.52, 0.40, 0.65, "undecided", "wider"),
        (0.55, 0.51, 0.60, "differs", "outside"),
        (0.55, NAN, NAN, "differs", "no interval"),
    ],
)
def test_a_number_is_judged_against_print(number, low, high, verdict, reason):
    # print says 0.50 in a column that ranges over 0.8: a quarter is 0.2
    got, why = judge_number(number, low, high, "0.50", 0.8)
    assert got == verdict
    assert reason in why


def published(**rows):
    return pd.DataFrame(
        [{"row": r, "column": "c", "value": v, "note": ""} for r, v in rows.items()]
    )


def judged(records, printed, seed=1):
    cells, columns = compare(values_table("table9", records, seed), printed, seed)
    return cells.set_index(["row", "column"]), columns.set_index("column")


def test_every_verdict_of_a_cell():
    printed = published(a="0.10", b="0.50", c="0.90", d="0.20", e="0.30", f="0.40", g="")
    records = [
        value("a", "c", 0.104, **SAID),
        value("b", "c", 0.52, ci_low=0.45, ci_high=0.62, **SAID),
        value("c", "c", 0.7, ci_low=0.65, ci_high=0.75, **SAID),
        value("d", "c", 0.2, **SAID | {"n": 19, "n_of": 20, "n_unit": "contexts"}),
        value("e", "c", 0.3, **SAID | {"n": 4, "n_of": 9, "n_unit": "words"}),
        value("f", "c", NAN, **SAID | {"note": "get the census", "fidelity": "no input"}),
        value("g", "c", 0.3, **SAID),
        value("h", "c", 0.3, **SAID),
        value("i", "c", 0.3, **SAID | {"n": 0, "n_unit": "contexts"}),
    ]
    cells, columns = judged(records, printed)
    assert cells["verdict"].droplevel("column").to_dict() == {
        "a": "exact",
        "b": "compatible",
        "c": "differs",
        "d": "too few",
        "e": "too few",
        "f": "no input",
        "g": "not printed",
        "h": "not printed",
        "i": "too few",
    }
    assert cells.loc[("f", "c"), "detail"] == "get the census"
    counts = ["cells", "exact", "compatible", "differs", "too_few", "no_input"]
    assert columns.loc["c", counts].to_list() == [6, 1, 1, 1, 3, 1]
    assert columns.loc["c", "verdict"] == ""


@pytest.mark.parametrize(
    ("n", "n_of", "unit", "enough"),
    [
        (20, NAN, "contexts", True),
        (19, NAN, "contexts", False),
        (5, NAN, "terms", True),
        (4, NAN, "terms", False),
        (3, NAN, "seeds", True),
        (2, NAN, "seeds", False),
        (19, NAN, "words", True),
        (10, 20, "words", True),
        (9, 20, "words", False),
        (30, 61, "contexts", False),
        (NAN, NAN, "", True),
        (0, 0, "words", True),
    ],
)
def test_too_few_is_under_a_unit_s_minimum_or_under_half_of_what_was_asked_for(
    n, n_of, unit, enough
):
    record = value("a", "c", 0.1, **SAID | {"n": n, "n_of": n_of, "n_unit": unit})
    cells, _ = judged([record], published(a="0.1"))
    assert cells["verdict"].item() == ("exact" if enough else "too few")


@pytest.mark.parametrize("fidelity", ["subset", "substitute"])
def test_on_other_inputs_the_column_is_judged_and_no_single_number(fidelity):
    numbers = {"a": "-0.2", "b": "0.1", "c": "0.3", "d": "0.5", "e": "0.7"}
    records = [
        value(row, "c", float(v) + 0.05, **SAID | {"fidelity": fidelity})
        for row, v in numbers.items()
    ]
    cells, columns = judged(records, published(**numbers))
    assert set(cells["verdict"]) == {"not judged"}
    assert set(cells["column_verdict"]) == {"agrees"}
    assert columns.loc["c", ["tau", "equal_signs", "passed_if_shuffled"]].to_list() == [1, 1, 0]


def test_variants_are_compared_with_the_printed_column_they_belong_to():
    records = [value("a", f"c@{v}", x, **SAID) for v, x in (("code", 0.1), ("print", 0.2))]
    cells, columns = judged(records, published(a="0.1"))
    assert cells["verdict"].droplevel("row").to_dict() == {"c@code": "exact", "c@print": "differs"}
    assert list(columns.index) == ["c@code", "c@print"]


def test_price_of_the_test_is_the_mean_over_all_orders_of_print():
    # Range 0.8, so at most 0.2 wide. a passes with 0.10 only, b with 0.50 only, c (too wide, and
    # no digits equal) with none; each of the 3 printed numbers falls to each cell in 1 of 3 orders.
    part = pd.DataFrame(
        {
            "value": [0.104, 0.55, 0.7],
            "ci_low": [NAN, 0.45, 0.5],
            "ci_high": [NAN, 0.62, 0.95],
            "printed": ["0.10", "0.50", "0.90"],
        }
    )
    assert passed_if_shuffled(part, 0.8) == pytest.approx(2 / 3)
    brute = []
    for order in permutations(part["printed"]):
        rows = zip(part["value"], part["ci_low"], part["ci_high"], order, strict=True)
        brute.append(sum(judge_number(*row, 0.8)[0] in PASSED for row in rows))
    assert passed_if_shuffled(part, 0.8) == pytest.approx(np.mean(brute))
    assert passed_if_shuffled(part.iloc[:0], 0.8) == 0


def order(ours, printed, seed=3):
    return order_and_signs(
        pd.Series(ours), pd.Series(printed, dtype=str), np.random.default_rng(seed)
    )


@pytest.mark.parametrize(
    ("ours", "printed"),
    [
        ([-0.2, 0.1, 0.3, 0.5, 0.4], [-0.1, 0.2, 0.3, 0.4, 0.5]),
        ([0.1, 0.2, 0.2, -0.5, -0.4], [0.3, 0.1, 0.3, -0.2, 0.5]),  # ties on both sides
        ([0.5, 0.4, 0.3, 0.2, 0.1], [0.1, 0.2, 0.3, 0.4, 0.5]),
    ],
)
def test_tau_and_its_null_equal_a_count_over_all_orders(ours, printed):
    got = order(ours, printed)
    tau = kendalltau(ours, printed).statistic
    assert got["tau"] == pytest.approx(tau)
    null = [
        (kendalltau(ours, p).statistic, np.sign(ours) == np.sign(p)) for p in permutations(printed)
    ]
    exact = np.mean([t >= tau - 1e-12 for t, _ in null])
    assert got["tau_p"] == pytest.approx(exact, abs=0.02)  # 9,999 shuffles: at most 4 sd of .005
    assert got["equal_signs"] == np.mean(np.sign(ours) == np.sign(printed))


def test_a_perfect_order_agrees_and_its_price_is_that_of_chance():
    # Of the 120 orders of 5 rows only the perfect one (1/120) and those with one swap of
    # neighbours (4/120), 5/120 = .042 together, reach p <= .05; the next 9 do not.
    got = order([0.1, 0.2, 0.3, 0.4, 0.5], [1, 2, 3, 4, 5])
    assert got["verdict"] == "agrees"
    assert got["agrees_if_shuffled"] == pytest.approx(5 / 120, abs=0.01)


def test_a_perfect_order_with_half_of_the_signs_wrong_is_undecided():
    got = order([-3, -2, -1, 1, 2, 3], [1, 2, 3, 4, 5, 6])
    assert got["tau"] == 1
    assert got["equal_signs"] == 0.5
    assert got["verdict"] == "undecided"


def test_a_reversed_order_contradicts():
    # One order of 120 is as bad: p = .0083 <= .0125.
    got = order([5, 4, 3, 2, 1], [1, 2, 3, 4, 5])
    assert (got["tau"], got["verdict"]) == (-1, "contradicts")
    assert got["tau_p"] == pytest.approx(1)


def test_wrong_signs_contradict_whatever_the_order():
    # All of 7 coins wrong: 1/128 = .0078 <= .0125; all of 6: .0156.
    assert order([-1, -2, -3, -4, -5, -6, -7], [7, 6, 5, 4, 3, 2, 1])["verdict"] == "contradicts"
    assert order([-6, -5, -4, -3, -2, -1], [1, 2, 3, 4, 5, 6])["verdict"] == "undecided"


def test_four_rows_cannot_contradict_by_their_order():
    assert order([4, 3, 2, 1], [1, 2, 3, 4])["verdict"] == "undecided"  # 1/24 > .0125


def test_constant_columns_are_identical_or_undecided():
    assert order([1.0] * 5, ["1.00"] * 5)["verdict"] == "identical"
    assert order([0.9] * 5, ["1.00"] * 5)["verdict"] == "undecided"
    got = order([1, 1, 1, 1, 1], [1, 2, 3, 4, 5])
    assert got["verdict"] == "undecided"
    assert np.isnan([got["tau"], got["tau_p"]]).all()


def test_power_grows_with_rows():
    # For four rows only the perfect order (1/24 = .042) is significant: its chance at a
    # correlation of .9, which the orthant probability gives, is about .43.
    found = [power_of_order(n) for n in (4, 5, 8, 20)]
    assert found == sorted(found)
    assert found[0] == pytest.approx(0.43, abs=0.05)
    assert found[-1] > 0.99


@pytest.mark.parametrize(("rows", "verdict"), [(0, ""), (1, "too few"), (3, "too few")])
def test_fewer_than_four_rows_have_no_order_to_judge(rows, verdict):
    got = order([1, 2, 3][:rows], [1, 2, 3][:rows])
    assert got["verdict"] == verdict
    assert np.isnan([got["tau"], got["tau_p"], got["equal_signs"]]).all()


def test_the_same_seed_gives_the_same_columns():
    numbers = {r: str(i) for i, r in enumerate("abcdefg")}
    records = [
        value(r, "c", x, **SAID | {"fidelity": "subset"})
        for r, x in zip(numbers, [3, 1, 2, 4, 0, 6, 5], strict=True)
    ]
    one, two = (judged(records, published(**numbers), seed=5)[1] for _ in range(2))
    pd.testing.assert_frame_equal(one, two, check_exact=True)


def test_what_describes_an_input_is_not_held_against_another_input():
    rows = ["a", "b", "c", "d", "e"]
    published = pd.DataFrame(
        [(row, column, str(i), "") for i, row in enumerate(rows) for column in ("words", "bias")],
        columns=["row", "column", "value", "note"],
    )
    records = [
        value(row, column, float(i), **(SAID | {"fidelity": fidelity}))
        for i, (row, fidelity) in enumerate(zip(rows, ["exact", *["substitute"] * 4], strict=True))
        for column in ("words@kept", "words", "bias")
    ]
    values = values_table("table9", records, 1)
    cells, columns = compare(values, published, 1, describing=["words"])
    verdicts = cells.groupby("column")["verdict"].agg(list).to_dict()
    assert verdicts["words"] == verdicts["bias"] == ["exact", *["not judged"] * 4]
    assert dict(zip(columns["column"], columns["verdict"], strict=True)) == {
        "bias": "agrees",
        "words": "",
        "words@kept": "",
    }
    told = cells.loc[cells["verdict"] == "not judged"].groupby("column")["detail"].first()
    assert "describes the input" in told["words"]
    assert "the column is judged" in told["bias"]
