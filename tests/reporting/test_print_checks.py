"""The machinery of the print audits against cases worked by hand."""

from __future__ import annotations

from itertools import permutations
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from socialbias.reporting import print_checks as machinery
from socialbias.reporting.print_checks import Range


def ends(found: Range) -> tuple[float, float, float]:
    return found.low, found.best, found.high


# -- reading ---------------------------------------------------------------------------------------


def _write(folder: Path, body: str) -> None:
    (folder / "x_table1.csv").write_text("row,column,value,note\n" + body, encoding="utf-8")


def test_read_tables_keeps_the_printed_digits(tmp_path):
    _write(tmp_path, "a,b,0.050,bold\na,c,,N/A in print\n")
    tables = machinery.read_tables(tmp_path)
    assert tables["x_table1"]["a", "b"] == ("0.050", "bold")
    assert machinery.Printed(tables, "x")("table1", "a", "c") == ""


def test_what_cannot_be_read_is_named(tmp_path):
    with pytest.raises(FileNotFoundError, match="no published tables"):
        machinery.read_tables(tmp_path)
    _write(tmp_path, "a,b,1,\n")
    tables = machinery.read_tables(tmp_path)
    with pytest.raises(KeyError, match=r"x_table1 has no cell \(a, z\)"):
        machinery.Printed(tables, "x")("table1", "a", "z")
    _write(tmp_path, "a,b,1,\na,b,2,\n")
    with pytest.raises(ValueError, match=r"x_table1\.csv has \('a', 'b'\) twice"):
        machinery.read_tables(tmp_path)


# -- intervals -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "decimals", "low", "high"),
    [
        ("0.850", 3, 0.8495, 0.8505),
        ("-0.5", 1, -0.55, -0.45),
        ("12", 0, 11.5, 12.5),
        ("8.72e-1", 3, 0.8715, 0.8725),  # half a unit of the last digit, 0.01e-1 / 2 = 0.0005
    ],
)
def test_bounds_are_half_a_printed_unit_to_both_sides(text, decimals, low, high):
    assert ends(machinery.bounds(text)) == pytest.approx((low, float(text), high), abs=1e-12)
    assert machinery.decimals(text) == decimals
    assert machinery.bounds("12", exact=True) == Range(12, 12, 12)


def test_arithmetic_of_ranges_and_how_one_is_shown():
    # Three inputs, each within 0.05: the mean moves by (0.05 + 0.05 + 0.05) / 3 = 0.05.
    found = machinery.propagate(np.mean, ["1.0", "2.0", "6.0"])
    assert ends(found) == pytest.approx((2.95, 3.0, 3.05))
    # 5.0 - 2 with half units 0.05 and 0.5; 2 * (-1 to 3) = -2 to 6.
    found = machinery.bounds("5.0") - machinery.bounds("2")
    assert ends(found) == pytest.approx((2.45, 3.0, 3.55))
    assert 2 * Range(-1, 0, 3) == Range(-2, 0, 6)
    assert machinery.show(Range(69.77, 69.9, 70.02), 1) == "69.9 (69.77 to 70.02)"
    assert machinery.show(Range(3.0, 3.0, 3.0), 0) == "3"


# -- generic checks --------------------------------------------------------------------------------


def test_compare_disagrees_only_outside_the_interval():
    # 1.2 stands for 1.15 to 1.25.
    inside = machinery.compare("x", "mean", "1.2", Range(1.25, 1.3, 1.4), "-")
    outside = machinery.compare("x", "mean", "1.2", Range(1.26, 1.3, 1.4), "-")
    assert (inside.verdict, outside.verdict) == (machinery.AGREES, machinery.DISAGREES)


def test_sums_of_counts_and_of_rounded_parts():
    # 2 + 3 + 5 = 10.
    right = machinery.sum_check("x", "10", ["2", "3", "5"])
    wrong = machinery.sum_check("x", "11", ["2", "3", "5"])
    assert (right.verdict, wrong.verdict) == (machinery.AGREES, machinery.DISAGREES)
    assert wrong.arithmetic == "2 + 3 + 5 = 10"
    assert wrong.implied == "10"
    # -0.041 + 0.089 = 0.048, within 0.001; 0.049 stands for 0.0485 on, 0.051 for 0.0505 on.
    parts = ["-0.041", "0.089"]
    assert machinery.sum_check("x", "0.049", parts, exact=False).verdict == machinery.AGREES
    wrong = machinery.sum_check("x", "0.051", parts, exact=False)
    assert wrong.verdict == machinery.DISAGREES
    assert wrong.arithmetic == "(-0.041) + 0.089 = 0.048"


def test_a_mean_and_a_weighted_one():
    # (1.0 + 2.0) / 2 and (3 * 1.0 + 1 * 2.0) / 4, within 0.05.
    plain, text = machinery.mean_of(["1.0", "2.0"])
    assert ends(plain) == pytest.approx((1.45, 1.5, 1.55))
    assert text == "(1 * 1.0 + 1 * 2.0) / 2 = 1.5000"
    assert ends(machinery.mean_of(["1.0", "2.0"], [3, 1])[0]) == pytest.approx((1.2, 1.25, 1.3))


@pytest.mark.parametrize(
    ("text", "other", "expected"),
    [
        ("60.1", "60.0", machinery.DISAGREES),  # neighbours differ
        ("60.0", "60.0", machinery.AGREES),
        ("0.9", "0.93", machinery.AGREES),  # 0.93 to one decimal is 0.9
        ("0.9", "0.96", machinery.DISAGREES),
        ("", "", machinery.AGREES),
        ("", "1", machinery.DISAGREES),
        ("5", "4", machinery.DISAGREES),
    ],
)
def test_same(text, other, expected):
    assert machinery.same("x", "prose", text, other, "y").verdict == expected


@pytest.mark.parametrize(
    ("total", "stated", "expected"),
    [
        ("11", "", machinery.CONDITIONAL),
        ("11", "section 1", machinery.DISAGREES),
        ("10", "", machinery.AGREES),
    ],
)
def test_a_disagreement_under_a_premise_of_ours_is_conditional(total, stated, expected):
    audit = machinery.Audit()

    @audit.assuming("a total is a sum", stated)
    def family(p):
        yield machinery.sum_check("x", total, ["2", "3", "5"])

    [[check]] = [list(checks(None)) for checks in audit]
    assert (check.premise, check.stated, check.verdict) == ("a total is a sum", stated, expected)


# -- attainable rank correlations ------------------------------------------------------------------


@pytest.mark.parametrize("n", [4, 5, 6, 7])
def test_spearman_untied_is_what_all_orders_give(n):
    orders = np.array(list(permutations(range(n))))
    every = {round(r, 9) for r in stats.pearsonr(np.arange(n), orders, axis=1)[0].tolist()}
    assert sorted(every) == pytest.approx(machinery.spearman_untied(n).tolist())


def test_spearman_against_ties_by_hand():
    # Ranks 1.5 1.5 3 against 1 2 3 in every order. Centred: (-.5 -.5 1) and (-1 0 1);
    # the products are 1.5, 0 and -1.5, the norms sqrt(1.5) and sqrt(2): +-0.8660 and 0.
    found = machinery.spearman_against((1.5, 1.5, 3))
    assert found == pytest.approx([-0.8660254, 0, 0.8660254])


@pytest.mark.parametrize(
    ("text", "how"),
    [
        ("0.86", "rounding"),  # 1 - 6 * 12 / 504 = 0.857143
        ("0.85", "truncation"),
        ("-0.85", "truncation"),
        ("0.93", "rounding"),  # 1 - 6 * 6 / 504 = 0.928571
        ("0.92", "truncation"),
        ("0.84", ""),  # the neighbours are 0.8333 and 0.8571
        ("1.00", "rounding"),
    ],
)
def test_reached_with_eight_items(text, how):
    assert machinery.reached(text, machinery.spearman_untied(8)) == how


def test_spearman_check_tries_rounding_then_truncation_then_a_tie():
    def outcome(text: str, n: int = 8) -> tuple[str, str]:
        check = machinery.spearman_check("x", text, n)
        return check.verdict, check.implied

    assert outcome("0.88") == (machinery.AGREES, "attainable by rounding")
    assert outcome("0.85")[0] == machinery.TRUNCATED
    # One tied pair: centred cross products in steps of 0.5, norms sqrt(41.5) and sqrt(42);
    # 35 / sqrt(41.5 * 42) = 0.8383.
    assert outcome("0.84") == (machinery.AGREES, "attainable only with a tied pair")
    # With four items the steps are 0.2; a tied pair gives multiples of 0.5 / sqrt(4.5 * 5).
    assert outcome("0.33", n=4) == (machinery.DISAGREES, "not attainable")


def test_spearman_check_with_the_ties_of_print():
    # One tie at the bottom of eight: 30.5 / sqrt(41.5 * 42) = 0.73055.
    given = ["2", "2", "3", "4", "5", "6", "7", "8"]
    assert machinery.spearman_check("x", "0.731", 8, given).verdict == machinery.AGREES
    assert machinery.spearman_check("x", "0.731", 8).implied == "attainable only with a tied pair"
    # 0.738 needs untied ranks (1 - 6 * 22 / 504 = 0.7381).
    assert machinery.spearman_check("x", "0.738", 8).verdict == machinery.AGREES
    assert machinery.spearman_check("x", "0.738", 8, given).verdict == machinery.DISAGREES
