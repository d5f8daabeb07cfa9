from itertools import permutations

import numpy as np
import pandas as pd
import pytest

from socialbias.reporting.compare import (
    EQUAL,
    PASSED,
    by_chance,
    caution,
    compare,
    judge_number,
    rank_correlation,
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
        (0.501, 0.0, 1.0, "equal", "rounded"),  # equal whatever the interval
        (0.509, NAN, NAN, "equal by truncation", "truncated"),
        (0.52, 0.45, 0.60, "within", "is in our"),
        (0.52, 0.50, 1.30, "within", "is in our"),  # on the edge, and just narrow enough
        (0.52, 0.40, 1.25, "open", "wider"),
        (0.55, 0.51, 0.60, "outside", "outside"),
        (0.55, 0.51, 1.60, "outside", "outside"),  # wide, but without the printed number
        (0.55, NAN, NAN, "outside", "no interval"),
    ],
)
def test_a_number_is_judged_against_print(number, low, high, verdict, reason):
    # print says 0.50 in a column that ranges over 0.8
    got, why = judge_number(number, low, high, "0.50", 0.8)
    assert got == verdict
    assert reason in why


def published(**rows):
    return pd.DataFrame(
        [{"row": r, "column": "c", "value": v, "note": ""} for r, v in rows.items()]
    )


def judged(records, printed):
    cells, columns = compare(values_table("table9", records, 1), printed)
    return cells.set_index(["row", "column"]), columns.set_index("column")


def test_every_verdict_of_a_cell():
    printed = published(
        a="0.10", b="0.50", c="0.90", d="0.20", e="0.30", f="0.40", g="", j="0.3", k="0.6"
    )
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
        value("j", "c", 0.3, **SAID | {"fidelity": "own"}),
        value("k", "c", 0.5, ci_low=0.1, ci_high=1.0, **SAID),
    ]
    cells, columns = judged(records, printed)
    verdicts = ["equal", "within", "outside", "equal", "equal", "no input"]
    verdicts += [*["not judged"] * 4, "open"]
    assert cells["verdict"].to_list() == verdicts
    assert cells.loc[("f", "c"), "detail"] == "get the census"
    assert set(cells.loc[[("g", "c"), ("h", "c")], "detail"]) == {"not in the paper"}
    assert "your own input" in cells.loc[("j", "c"), "detail"]
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
def test_a_caution_is_due_below_a_unit_s_minimum_or_half_and_changes_no_verdict(
    n, n_of, unit, enough
):
    record = value("a", "c", 0.1, **SAID | {"n": n, "n_of": n_of, "n_unit": unit})
    cells, _ = judged([record], published(a="0.1"))
    assert (cells["caution"].item() == "") is enough
    assert cells["verdict"].item() == "equal"


def test_a_caution_names_little_data_and_weak_inputs():
    cell = {"n": 4, "n_of": 9, "n_unit": "words", "weak": "the probe learned nothing"}
    assert caution(cell) == "4 of 9 words, less than half; the probe learned nothing"


@pytest.mark.parametrize("fidelity", ["subset", "substitute"])
def test_on_other_inputs_the_column_is_judged_and_no_single_number(fidelity):
    numbers = {"a": "-0.2", "b": "0.1", "c": "0.3", "d": "0.5", "e": "0.7"}
    said = SAID | {"fidelity": fidelity}
    records = [value(row, "c", float(v) + 0.05, **said) for row, v in numbers.items()]
    cells, columns = judged(records, published(**numbers))
    assert set(cells["verdict"]) == {"not judged"}
    assert set(cells["column_verdict"]) == {"agrees"}
    assert columns.loc["c", ["rows", "rho"]].to_list() == pytest.approx([5, 1])


def test_variants_are_compared_with_the_printed_column_they_belong_to():
    records = [value("a", f"c@{v}", x, **SAID) for v, x in (("code", 0.1), ("print", 0.2))]
    cells, columns = judged(records, published(a="0.1"))
    assert cells["verdict"].droplevel("row").to_dict() == {"c@code": "equal", "c@print": "outside"}
    assert list(columns.index) == ["c@code", "c@print"]


def test_price_of_the_test_is_the_mean_over_all_orders_of_print():
    # Range 0.2, the widest interval. a passes with 0.10 only, b with 0.50 only, c (too wide, and
    # no digits equal) with none; each of the 3 printed numbers falls to each cell in 1 of 3 orders.
    part = pd.DataFrame(
        {
            "value": [0.104, 0.55, 0.7],
            "ci_low": [NAN, 0.45, 0.5],
            "ci_high": [NAN, 0.62, 0.95],
            "printed": ["0.10", "0.50", "0.90"],
        }
    )
    found = by_chance(part, 0.2)
    assert found["passed_by_chance"].to_list() == pytest.approx([1 / 3, 1 / 3, 0])
    assert found["equal_by_chance"].to_list() == pytest.approx([1 / 3, 0, 0])
    brute = []
    for order in permutations(part["printed"]):
        rows = zip(part["value"], part["ci_low"], part["ci_high"], order, strict=True)
        verdicts = [judge_number(*row, 0.2)[0] for row in rows]
        brute.append([verdicts.count(EQUAL), sum(verdict in PASSED for verdict in verdicts)])
    assert found.sum().to_list() == pytest.approx(np.mean(brute, axis=0))
    assert by_chance(part.iloc[:1], 0.2).isna().all(axis=None)  # nothing to shuffle


@pytest.mark.parametrize(
    ("ours", "printed", "rho", "p", "verdict"),
    [
        # Two of 120 orders of five are as far from 0 as a perfect one.
        ([0.1, 0.2, 0.3, 0.4, 0.5], [1, 2, 3, 4, 5], 1, 2 / 120, "agrees"),
        ([5, 4, 3, 2, 1], [1, 2, 3, 4, 5], -1, 2 / 120, "contradicts"),
        # A swap of neighbours: 1 - 6 * 2 / 120, in four orders; their reverses are as far.
        ([0.1, 0.2, 0.3, 0.5, 0.4], [1, 2, 3, 4, 5], 0.9, 10 / 120, "unclear"),
    ],
)
def test_a_column_is_judged_by_an_exact_test_of_its_rank_correlation(
    ours, printed, rho, p, verdict
):
    got = rank_correlation(ours, printed)
    assert (got["rows"], got["verdict"]) == (5, verdict)
    assert (got["rho"], got["p_value"]) == pytest.approx((rho, p))


@pytest.mark.parametrize(
    ("ours", "printed", "detail"),
    [
        ([], [], ""),
        ([1, 2, 3, 4], [1, 2, 3, 4], "fewer than 5 different numbers in the paper"),
        ([1, 2, 3, 4, 5, 6], [1, 2, 3, 4, 4, 4], "fewer than 5 different numbers in the paper"),
        ([1.0] * 5, range(5), "constant rows have no order"),
    ],
)
def test_a_column_has_an_order_from_five_different_numbers_on(ours, printed, detail):
    got = rank_correlation(ours, printed)
    assert (got["rows"], got["verdict"], got["detail"]) == (len(ours), "", detail)
    assert np.isnan(got["rho"])


def test_of_the_variants_of_a_column_the_first_with_a_verdict_counts():
    numbers = {r: str(i) for i, r in enumerate("abcdefg")}
    records = [
        value(r, column, x, **SAID | {"fidelity": "subset"})
        for column, of in (("c@few", "abc"), ("c@same", numbers), ("c@turned", numbers))
        for x, r in enumerate(of if column != "c@turned" else reversed(of))
    ]
    values = values_table("table9", records, 1)
    for order_ in (["c@few", "c@same", "c@turned"], ["c@turned", "c@same", "c@few"]):
        _, columns = compare(values, published(**numbers), order=order_)
        assert columns["column"].to_list() == order_
        counted = columns.set_index("column")["counted"]
        assert counted.to_dict() == {"c@few": 0, "c@same": 0, "c@turned": 0} | {
            next(name for name in order_ if name != "c@few"): 1
        }


def of_kind(kind, rows=("*",), columns=("*",), repeats=""):
    return {"kind": kind, "rows": rows, "columns": columns, "repeats": repeats}


KINDS = [
    of_kind("by construction", rows=["ideal"]),
    of_kind("derived", columns=["icat"]),
    of_kind("re-scored", columns=["*@old"]),
    of_kind("", rows=["again *"], repeats="demo_table9"),
    of_kind("measured"),
]


def test_a_printed_number_counts_once_and_has_the_kind_of_its_first_variant():
    rows = {"ideal": "100", "a": "60.0", "again a": "60.0", "b": "70.0"}
    printed = pd.DataFrame(
        [(row, column, x, "") for row, x in rows.items() for column in ("ss", "icat")],
        columns=["row", "column", "value", "note"],
    )
    records = [
        value(row, column, float(x), **SAID)
        for row, x in rows.items()
        for column in ("ss", "ss@old", "icat")
        if (row, column) != ("b", "ss")
    ]
    records.append(value("b", "ss", NAN, **SAID | {"fidelity": "no input"}))
    records.append(value("extra", "ss", 1.0, **SAID))
    values = values_table("table9", records, 1)
    cells, _ = compare(values, printed, KINDS, ["ss", "ss@old", "icat"])
    cells = cells.set_index(["row", "column"])
    assert cells["kind"].groupby("row").agg(list).to_dict() == {
        "a": ["derived", "measured", "measured"],
        "again a": ["derived", "measured", "measured"],
        "b": ["derived", "measured", "measured"],
        "extra": [""],
        "ideal": ["by construction"] * 3,
    }
    counted = set(cells.index[cells["counted"] == 1])
    # b has no number without the variant; what print repeats and what it lacks count nowhere.
    once = {("ideal", "ss"), ("a", "ss"), ("b", "ss@old")}
    assert counted == once | {(row, "icat") for row in ("ideal", "a", "b")}


def test_only_what_was_measured_in_one_unit_has_an_order():
    numbers = {row: float(i) for i, row in enumerate(["ideal", *"abcdef", "again a"])}
    printed = pd.DataFrame(
        [(row, column, str(x), "") for row, x in numbers.items() for column in ("ss", "icat")],
        columns=["row", "column", "value", "note"],
    )

    def columns(**units):
        records = [
            value(row, column, x, **SAID | {"fidelity": "substitute", "unit": units.get(row, "%")})
            for row, x in numbers.items()
            for column in ("ss", "ss@old", "icat")
        ]
        table = values_table("table9", records, 1)
        return compare(table, printed, KINDS)[1].set_index("column")

    found = columns()
    assert found["rows"].to_dict() == {"icat": 0, "ss": 6, "ss@old": 0}  # a to f
    assert found["verdict"].to_dict() == {"icat": "", "ss": "agrees", "ss@old": ""}
    mixed = columns(f="words").loc["ss"]
    assert (mixed["verdict"], mixed["detail"]) == ("", "rows of several units have no order")
