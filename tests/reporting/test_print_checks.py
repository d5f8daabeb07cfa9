"""The machinery of the print audits against cases worked by hand."""

from __future__ import annotations

from itertools import permutations
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from socialbias.reporting import print_checks as machinery
from socialbias.reporting.print_checks import Range

# -- reading ---------------------------------------------------------------------------------------


def _write(folder: Path, body: str) -> None:
    (folder / "x_table1.csv").write_text("row,column,value,note\n" + body, encoding="utf-8")


def test_read_tables_keeps_the_printed_digits(tmp_path):
    _write(tmp_path, "a,b,0.050,bold\na,c,,N/A in print\n")
    tables = machinery.read_tables(tmp_path)
    assert tables["x_table1"]["a", "b"] == ("0.050", "bold")
    assert machinery.printed(tables, "x_table1", "a", "c") == ""


def test_read_tables_refuses_a_cell_printed_twice(tmp_path):
    _write(tmp_path, "a,b,1,\na,b,2,\n")
    with pytest.raises(ValueError, match=r"x_table1\.csv has \('a', 'b'\) twice"):
        machinery.read_tables(tmp_path)


def test_read_tables_names_an_empty_folder(tmp_path):
    with pytest.raises(FileNotFoundError, match="no published tables"):
        machinery.read_tables(tmp_path)


def test_printed_names_the_missing_cell(tmp_path):
    _write(tmp_path, "a,b,1,\n")
    tables = machinery.read_tables(tmp_path)
    with pytest.raises(KeyError, match=r"x_table1 has no cell \(a, z\)"):
        machinery.printed(tables, "x_table1", "a", "z")


# -- intervals -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "low", "high"),
    [
        ("0.85", 0.845, 0.855),
        ("-0.5", -0.55, -0.45),
        ("71.0", 70.95, 71.05),
        ("12", 11.5, 12.5),
        # Half a unit of the last printed digit, 0.01e-1 / 2 = 0.0005.
        ("8.72e-1", 0.8715, 0.8725),
    ],
)
def test_bounds_are_half_a_printed_unit_to_both_sides(text, low, high):
    assert machinery.bounds(text) == pytest.approx((low, float(text), high), abs=1e-12)


def test_bounds_of_a_count_have_no_width():
    assert machinery.bounds("12", exact=True) == (12, 12, 12)


def test_decimals():
    assert [machinery.decimals(t) for t in ("0.050", "71.0", "12", "8.72e-1")] == [3, 1, 0, 3]


def test_propagate_is_exact_for_a_mean():
    # Three inputs, each within 0.05: the mean moves by (0.05 + 0.05 + 0.05) / 3 = 0.05.
    assert machinery.propagate(np.mean, ["1.0", "2.0", "6.0"]) == pytest.approx((2.95, 3.0, 3.05))


def test_propagate_of_a_difference_adds_the_half_units():
    # 5.0 - 2 with half units 0.05 and 0.5.
    found = machinery.propagate(lambda v: v[0] - v[1], ["5.0", "2"])
    assert found == pytest.approx((2.45, 3.0, 3.55))


def test_icat_range_by_hand():
    # 88.7 * (100 - 60.6) / 50 = 69.8956; ends 88.65 * 39.35 / 50 = 69.76755
    # and 88.75 * 39.45 / 50 = 70.02375.
    assert machinery.icat_range("88.7", "60.6") == pytest.approx((69.76755, 69.8956, 70.02375))


def test_icat_range_folds_at_50():
    # ss from 49.95 to 50.05 reaches 50, where icat = lms: 50.05 at most; at least
    # 49.95 * 49.95 / 50 = 49.90005.
    assert machinery.icat_range("50.0", "50.0") == pytest.approx((49.90005, 50.0, 50.05))


def test_icat_range_below_50_uses_ss_itself():
    # 64.4 * 47.4 / 50 = 61.0512.
    assert machinery.icat_range("64.4", "47.4").best == pytest.approx(61.0512)


def test_icat_range_without_lms_is_zero_for_a_fully_biased_model():
    # ss = 100 rounds from 99.5 on (printed as an integer): at most 100 * 0.5 / 50 = 1.
    found = machinery.icat_range("", "100")
    assert found.best == 0
    assert found.low <= 0 <= found.high == pytest.approx(1.0)


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [
        (Range(0, 1, 2), Range(2, 3, 4), True),  # they share the point 2
        (Range(0, 1, 2), Range(2.1, 3, 4), False),
        (Range(2.1, 3, 4), Range(0, 1, 2), False),
    ],
)
def test_overlap(a, b, expected):
    assert machinery.overlap(a, b) is expected


def test_show():
    assert machinery.show(Range(69.77, 69.9, 70.02), 1) == "69.9 (69.77 to 70.02)"
    assert machinery.show(Range(3.0, 3.0, 3.0), 0) == "3"


# -- generic checks --------------------------------------------------------------------------------


def test_compare_contradicts_only_outside_the_interval():
    # 1.2 stands for 1.15 to 1.25.
    inside = machinery.compare("x", "mean", "1.2", Range(1.25, 1.3, 1.4), "-")
    outside = machinery.compare("x", "mean", "1.2", Range(1.26, 1.3, 1.4), "-")
    assert (inside.verdict, outside.verdict) == (machinery.AGREES, machinery.CONTRADICTS)


def test_sum_check_of_counts():
    # 2 + 3 + 5 = 10.
    right = machinery.sum_check("x", "10", ["2", "3", "5"])
    wrong = machinery.sum_check("x", "11", ["2", "3", "5"])
    assert (right.verdict, wrong.verdict) == (machinery.AGREES, machinery.CONTRADICTS)
    assert wrong.arithmetic == "2 + 3 + 5 = 10"
    assert wrong.implied == "10"


def test_sum_check_of_rounded_parts():
    # -0.041 + 0.089 = 0.048, within 0.001; 0.049 stands for 0.0485 on, 0.051 for 0.0505 on.
    parts = ["-0.041", "0.089"]
    assert machinery.sum_check("x", "0.049", parts, exact=False).verdict == machinery.AGREES
    wrong = machinery.sum_check("x", "0.051", parts, exact=False)
    assert wrong.verdict == machinery.CONTRADICTS
    assert wrong.arithmetic == "(-0.041) + 0.089 = 0.048"


def test_mean_check():
    # (1.0 + 2.0) / 2 = 1.5, within 0.05.
    assert machinery.mean_check("x", "1.5", ["1.0", "2.0"], "two").verdict == machinery.AGREES
    wrong = machinery.mean_check("x", "1.7", ["1.0", "2.0"], "two")
    assert wrong.verdict == machinery.CONTRADICTS
    assert wrong.arithmetic == "(1.0 + 2.0) / 2 = 3.0 / 2 = 1.500 over two"


@pytest.mark.parametrize(
    ("text", "other", "expected"),
    [
        (
            "60.1",
            "60.0",
            machinery.CONTRADICTS,
        ),  # neighbours differ
        ("60.0", "60.0", machinery.AGREES),
        ("0.9", "0.93", machinery.AGREES),  # 0.93 to one decimal is 0.9
        ("0.9", "0.96", machinery.CONTRADICTS),
        ("", "", machinery.AGREES),
        ("", "1", machinery.CONTRADICTS),
        ("5", "4", machinery.CONTRADICTS),
    ],
)
def test_same(text, other, expected):
    assert machinery.same("x", "prose", text, other, "y").verdict == expected


def test_a_contradiction_under_a_premise_of_ours_is_conditional():
    wrong = machinery.sum_check("x", "11", ["2", "3", "5"])
    ours = machinery.under(wrong, "a total is a sum")
    stated = machinery.under(wrong, "a total is a sum", "section 1")
    assert (ours.verdict, ours.stated) == (machinery.CONDITIONAL, "")
    assert (stated.verdict, stated.stated) == (machinery.CONTRADICTS, "section 1")
    assert ours.premise == stated.premise == "a total is a sum"
    right = machinery.sum_check("x", "10", ["2", "3", "5"])
    assert machinery.under(right, "a total is a sum").verdict == machinery.AGREES


def test_a_family_gives_its_premise_to_checks_without_one_of_their_own():
    @machinery.assuming("the family's", "section 2")
    def family(tables):
        wrong = machinery.sum_check("x", "11", ["2", "3", "5"])
        return [wrong, machinery.under(wrong, "its own")]

    first, second = family({})
    assert (first.premise, first.verdict) == ("the family's", machinery.CONTRADICTS)
    assert (second.premise, second.verdict) == ("its own", machinery.CONDITIONAL)


# -- attainable rank correlations ------------------------------------------------------------------


def test_spearman_untied_by_hand():
    # n = 4: n (n^2 - 1) = 60, S = 0, 2, .. 20, so 1 - S / 10.
    assert machinery.spearman_untied(4) == pytest.approx(np.arange(-1, 1.01, 0.2))


@pytest.mark.parametrize("n", [4, 5, 6, 7])
def test_spearman_untied_is_what_all_orders_give(n):
    orders = np.array(list(permutations(range(n))))
    every = {round(r, 9) for r in stats.pearsonr(np.arange(n), orders, axis=1)[0].tolist()}
    assert sorted(every) == pytest.approx(machinery.spearman_untied(n).tolist())


def test_spearman_untied_refuses_three_items():
    # S = 4 does not occur for three items, so the formula would list a value too many.
    with pytest.raises(ValueError, match="from n = 4"):
        machinery.spearman_untied(3)


def test_spearman_against_ties_by_hand():
    # Ranks 1.5 1.5 3 against 1 2 3 in every order. Centred: (-.5 -.5 1) and (-1 0 1);
    # the products are 1.5, 0 and -1.5, the norms sqrt(1.5) and sqrt(2): +-0.8660 and 0.
    assert machinery.spearman_against([1.5, 1.5, 3]) == pytest.approx([-0.8660254, 0, 0.8660254])


def test_spearman_against_refuses_too_many_items_and_constant_ranks():
    with pytest.raises(ValueError, match="up to n = 8"):
        machinery.spearman_against(range(9))
    with pytest.raises(ValueError, match="all equal"):
        machinery.spearman_against([2, 2, 2])


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
    assert outcome("0.33", n=4) == (machinery.CONTRADICTS, "not attainable")


def test_spearman_check_with_the_ties_of_print():
    # One tie at the bottom of eight: 30.5 / sqrt(41.5 * 42) = 0.73055.
    ranks = [1.5, 1.5, 3, 4, 5, 6, 7, 8]
    assert machinery.spearman_check("x", "0.731", 8, ranks).verdict == machinery.AGREES
    assert machinery.spearman_check("x", "0.731", 8).implied == "attainable only with a tied pair"
    # 0.738 needs untied ranks (1 - 6 * 22 / 504 = 0.7381).
    assert machinery.spearman_check("x", "0.738", 8).verdict == machinery.AGREES
    assert machinery.spearman_check("x", "0.738", 8, ranks).verdict == machinery.CONTRADICTS


@pytest.mark.parametrize("order", [(1, 0, 3, 2, 5, 4), (0, 1, 2, 3, 5, 4), (3, 0, 5, 1, 4, 2)])
def test_spearman_p_of_few_items_is_the_share_of_all_orders(order):
    n = len(order)
    every = np.array(list(permutations(range(n))))
    rhos = stats.pearsonr(np.arange(n), every, axis=1)[0]
    rho = stats.pearsonr(np.arange(n), order)[0]
    share = (np.abs(rhos) >= abs(rho) - 1e-9).mean()
    assert machinery.spearman_p(rho, n) == pytest.approx(share)


def test_spearman_p_of_four_items_by_hand():
    # Of 24 orders the original and its reverse have |rho| = 1; three swaps of neighbours and
    # their reverses have 0.8.
    assert machinery.spearman_p(1.0, 4) == pytest.approx(2 / 24)
    assert machinery.spearman_p(-0.8, 4) == pytest.approx(8 / 24)


def test_spearman_p_of_many_items_is_from_students_t():
    x = np.arange(30.0)
    y = np.sin(x)
    rho, p = stats.spearmanr(x, y)
    assert machinery.spearman_p(float(rho), 30) == pytest.approx(float(p))
    found = machinery.spearman_p_range("0.193", 104)
    assert found.low < found.best < found.high
    assert machinery.spearman_p(1.0, 104) == 0


def test_spearman_p_range_across_zero_reaches_one():
    assert machinery.spearman_p_range("0.0", 10).high == 1
