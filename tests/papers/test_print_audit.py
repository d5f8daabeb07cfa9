"""The print audit: machinery against hand-worked cases, then named findings in the real tables."""

from __future__ import annotations

import subprocess
import sys
from itertools import permutations
from pathlib import Path

import numpy as np
import pytest
from scipy import stats
from tests.paths import PUBLISHED, REPOSITORY

from socialbias.papers import print_audit as run
from socialbias.papers.fairness import print_audit as fairness
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
    inside = machinery.compare("p", "x", "mean", "1.2", Range(1.25, 1.3, 1.4), "-")
    outside = machinery.compare("p", "x", "mean", "1.2", Range(1.26, 1.3, 1.4), "-")
    assert (inside.verdict, outside.verdict) == (machinery.AGREES, machinery.CONTRADICTS)


def test_sum_check_of_counts():
    # 2 + 3 + 5 = 10.
    right = machinery.sum_check("p", "x", "10", ["2", "3", "5"])
    wrong = machinery.sum_check("p", "x", "11", ["2", "3", "5"])
    assert (right.verdict, wrong.verdict) == (machinery.AGREES, machinery.CONTRADICTS)
    assert wrong.arithmetic == "2 + 3 + 5 = 10"
    assert wrong.implied == "10"


def test_sum_check_of_rounded_parts():
    # -0.041 + 0.089 = 0.048, within 0.001; 0.049 stands for 0.0485 on, 0.051 for 0.0505 on.
    parts = ["-0.041", "0.089"]
    assert machinery.sum_check("p", "x", "0.049", parts, exact=False).verdict == machinery.AGREES
    wrong = machinery.sum_check("p", "x", "0.051", parts, exact=False)
    assert wrong.verdict == machinery.CONTRADICTS
    assert wrong.arithmetic == "(-0.041) + 0.089 = 0.048"


def test_mean_check():
    # (1.0 + 2.0) / 2 = 1.5, within 0.05.
    assert machinery.mean_check("p", "x", "1.5", ["1.0", "2.0"], "two").verdict == machinery.AGREES
    wrong = machinery.mean_check("p", "x", "1.7", ["1.0", "2.0"], "two")
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
    assert machinery.same("p", "x", "prose", text, other, "y").verdict == expected


# -- attainable rank correlations ------------------------------------------------------------------


def test_spearman_untied_by_hand():
    # n = 4: n (n^2 - 1) = 60, S = 0, 2, .. 20, so 1 - S / 10.
    assert machinery.spearman_untied(4) == pytest.approx(np.arange(-1, 1.01, 0.2))


@pytest.mark.parametrize("n", [4, 5, 6, 7])
def test_spearman_untied_is_what_all_orders_give(n):
    x = np.arange(n)
    every = {round(float(stats.pearsonr(x, y)[0]), 9) for y in permutations(range(n))}
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
        check = machinery.spearman_check("p", "x", text, n)
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
    assert machinery.spearman_check("p", "x", "0.731", 8, ranks).verdict == machinery.AGREES
    assert (
        machinery.spearman_check("p", "x", "0.731", 8).implied == "attainable only with a tied pair"
    )
    # 0.738 needs untied ranks (1 - 6 * 22 / 504 = 0.7381).
    assert machinery.spearman_check("p", "x", "0.738", 8).verdict == machinery.AGREES
    assert machinery.spearman_check("p", "x", "0.738", 8, ranks).verdict == machinery.CONTRADICTS


def test_spearman_p_matches_scipy_and_its_range_is_ordered():
    x, y = [1, 2, 3, 4, 5, 6], [2, 1, 4, 3, 6, 5]
    rho, p = stats.spearmanr(x, y)
    assert machinery.spearman_p(float(rho), 6) == pytest.approx(float(p))
    found = machinery.spearman_p_range("0.193", 104)
    assert found.low < found.best < found.high
    assert machinery.spearman_p(1.0, 8) == 0


def test_spearman_p_range_across_zero_reaches_one():
    assert machinery.spearman_p_range("0.0", 10).high == 1


# -- attainable p-values ---------------------------------------------------------------------------


def test_wilcoxon_p_values_by_hand():
    # n = 3: W takes 0 .. 6 in 1 1 1 2 1 1 1 of 8 ways; two-sided exact p for W = 0 .. 3:
    # 2/8, 4/8, 6/8, 1 (capped).
    assert fairness.wilcoxon_p_values(3)["exact"] == pytest.approx([0.25, 0.5, 0.75, 1])


@pytest.mark.parametrize("method", ["exact", "asymptotic"])
def test_wilcoxon_p_values_match_scipy(method):
    differences = np.array([1.0, -2, 3, -4, 5, 6, 7, -8, 9, 10])  # W = 2 + 4 + 8 = 14
    expected = stats.wilcoxon(differences, method=method, correction=False).pvalue
    kind = {"exact": "exact", "asymptotic": "normal"}[method]
    assert fairness.wilcoxon_p_values(10)[kind][14] == pytest.approx(expected)


def test_friedman_neighbours_surround_and_contain_what_scipy_gives():
    scores = np.random.default_rng(3).normal(loc=[0, 0.5, 1], size=(12, 3))
    p = stats.friedmanchisquare(*scores.T).pvalue
    near = fairness.friedman_neighbours(float(p), 12, 3)
    assert min(abs(np.array(near) - p)) < 1e-9
    assert near == sorted(near, reverse=True)
    # With three groups p = exp(-Q / 2), and Q moves in steps of 24 / (12 * 3 * 4) = 1 / 6.
    steps = -2 * np.diff(np.log(near))
    assert steps == pytest.approx([1 / 6] * 3)


# -- the audit on the published tables -------------------------------------------------------------


@pytest.fixture(scope="module")
def checks():
    return run.audit(PUBLISHED)


@pytest.fixture(scope="module")
def by_place(checks):
    return {(c.paper, c.place, c.kind): c for c in checks}


def test_every_check_is_complete_and_no_place_is_checked_twice(checks, by_place):
    assert len(by_place) == len(checks)
    words = {machinery.AGREES, machinery.CONTRADICTS, machinery.TRUNCATED}
    for check in checks:
        assert check.verdict in words
        assert all([check.paper, check.place, check.kind, check.printed, check.implied])
        assert check.arithmetic
    assert {c.paper for c in checks} == set(machinery.PAPERS)


def test_contradictions_are_found_in_every_paper_and_most_checks_pass(checks):
    found = {c.paper for c in checks if c.verdict == machinery.CONTRADICTS}
    assert found == set(machinery.PAPERS)
    agreeing = sum(c.verdict == machinery.AGREES for c in checks)
    assert agreeing > 0.85 * len(checks)


NAMED = [
    # paper, place, kind, printed, implied starts with, verdict; arithmetic beside each.
    # 88.7 * 39.4 / 50 = 69.90
    ("stereoset", "Table 6, intersentence, bert-large", "icat", "71.0", "69.9", "contradicts"),
    # 89.1 * 38.9 / 50 = 69.32
    ("stereoset", "Table 7, intersentence, ensemble", "icat", "69.9", "69.3", "contradicts"),
    # 85.4 * 41.7 / 50 = 71.22
    ("stereoset", "Table 4, bert-base", "icat", "71.2", "71.2", "agrees"),
    # 1026 + 3208 + 3996 + 623 = 8853
    ("stereoset", "Table 1, intrasentence, cats, total", "sum", "8498", "8853", "contradicts"),
    # 996 + 3269 + 3989 + 604 = 8858
    ("stereoset", "Table 1, intersentence, cats, total", "sum", "8497", "8858", "contradicts"),
    # 8498 + 8497 = 16995
    ("stereoset", "Table 1, overall, cats", "sum", "16995", "16995", "agrees"),
    # (1026 * 7.98 + 3208 * 8.30 + 3996 * 7.63 + 623 * 8.18) / 8853 = 70399.90 / 8853 = 7.952
    ("stereoset", "Table 1, intra total, mean_length_words", "mean", "8.02", "7.95", "contradicts"),
    ("stereoset", "Section 7 against Table 4, gpt2-large, ss", "prose", "60.1", "60.0",
     "contradicts"),
    ("stereoset", "Section 7 against Table 4, ensemble, ss", "prose", "62.5", "62.3",
     "contradicts"),
    ("stereoset", "Sections 4.3 and 9.1, validators of an instance", "prose", "5", "4",
     "contradicts"),
    # 718.9 / 9 = 79.878
    ("stereoset", "Section 7, mean lms, likelihood, both tasks", "mean", "79.88", "79.88",
     "agrees"),
    # 454.3 / 6 = 75.717, while (454.3 + 274.0) / 9 = 80.92
    ("stereoset", "Section 7, mean lms, likelihood, intrasentence", "mean", "75.7", "75.7",
     "agrees"),
    ("stereoset", "Section 7, mean lms, one set of models for all", "claim",
     "6 means compared with each other", "no set of models gives more than 4", "contradicts"),
    # 1 - 6 * 16 / 720 = 0.8667
    ("stereoset", "Section 7, rho(lms, ss), against Table 4", "correlation", "0.87", "0.87",
     "agrees"),
    ("stereoset", "Table 1, overall, target_terms, against Table 10", "tables", "321", "333",
     "contradicts"),
    ("stereoset", "Table 1, race, target_terms, against Table 10", "tables", "149", "149",
     "agrees"),
    ("stereoset", "Section 7 against Table 4, xlnet-base to xlnet-large, ss", "claim",
     "grows with size", "54.1 to 54.0", "contradicts"),
    # (57.5 + 61.7) / 2 = 59.6
    ("stereoset", "Table 4, bert-base, ss, against Table 6", "pooled", "58.3", "59.6",
     "contradicts"),
    ("trustworthy", "Table 8, text-automated wikipedia, lists-3 spearman_rho", "attainable",
     "0.85", "attainable by truncation only", "by truncation"),
    ("trustworthy", "Table 8, emb word2vec, lists-3 spearman_rho", "attainable", "0.92",
     "attainable by truncation only", "by truncation"),
    ("trustworthy", "Table 8, text-automated wikipedia, lists-5 spearman_rho", "attainable",
     "0.88", "attainable by rounding", "agrees"),
    # -0.055 is larger than 0.026 without its sign
    ("trustworthy", "Section 6 against Table 7, targeted metric, by magnitude", "claim",
     "8 of 8 reduced", "7 of 8 reduced", "contradicts"),
    ("trustworthy", "Section 6 against Table 7, targeted metric, by sign", "claim",
     "8 of 8 reduced", "8 of 8 reduced", "agrees"),
    # 0.018 to 0.018 hides a change of less than 0.001, so seven is possible before rounding
    ("trustworthy", "Section 6 against Table 7, our metric", "claim", "7 of 8 amplified",
     "6 of 8 by the printed digits, 5 to 7 before rounding", "agrees"),
    # -0.041 + 0.089 = 0.048, each within 0.0005
    ("trustworthy", "Table 6, soldier, L3;L1", "sum", "0.049", "0.048", "agrees"),
    ("trustworthy", "Section 5, target concepts", "prose", "104", "288", "contradicts"),
    # 1 - 6 * 5.5 / 504 corrected for the tie: 39 / sqrt(41.5 * 42) = 0.934
    ("trustworthy", "Table 4, 3 sentences, rho, against Table 3", "tables", "0.898", "0.934",
     "contradicts"),
    # 1 - 6 * 314 / 990 = -0.90303
    ("trustworthy", "Table 5, manzini, diachronic-race", "attainable", "-0.903",
     "attainable by rounding", "agrees"),
    # exp(-6.05 / 2) = 0.04856 has Q = 6.05, which 60 templates cannot give (steps of 1 / 30)
    ("fairness", "Table 7, age, semeval-2 p", "attainable", "4.86e-2", "not attainable",
     "contradicts"),
    # 60 templates: W = 893 gives z = 22 / 135.84, p = 0.8713; W = 894 gives 0.8771
    ("fairness", "Table 7, gender-names, semeval-2 p", "attainable", "8.72e-1", "not attainable",
     "contradicts"),
    # 60 templates: W = 281 gives z = 634 / 135.84 = 4.667, p = 3.05e-6
    ("fairness", "Table 7, gender-names, semeval-3 p", "attainable", "3.05e-6", "normal, W = 281",
     "agrees"),
    ("fairness", "Section 4, metrics found", "sum", "26", "26", "agrees"),
    ("bad_seeds", "Figure 3 (c) in appendix A.2, paired sets", "pairs", "17", "20", "contradicts"),
    ("bad_seeds", "Section 8 against Figure 3 (b), components", "prose", "10", "8", "contradicts"),
    # 7244457 / 8888 = 815.08
    ("bad_seeds", "Table 2, nyt, mean_document_length", "mean", "815", "815", "agrees"),
]  # fmt: skip


@pytest.mark.parametrize(("paper", "place", "kind", "text", "implied", "outcome"), NAMED)
def test_named_findings(by_place, paper, place, kind, text, implied, outcome):
    check = by_place[paper, place, kind]
    assert check.printed == text
    assert check.implied.startswith(implied)
    assert check.verdict == outcome


def test_fewer_templates_give_the_printed_p_values(by_place):
    # Without the 20 neutral templates: W = 398 of 40 gives z = 12 / 74.40, p = 0.8719.
    names = by_place["fairness", "Table 7, gender-names, semeval-2 p", "attainable"]
    assert "40: normal, W = 398, p = 0.8719" in names.arithmetic
    age = by_place["fairness", "Table 7, age, semeval-2 p", "attainable"]
    assert age.arithmetic.endswith("40: 0.04856")


def test_a_corrected_table_no_longer_contradicts(tmp_path):
    for file in PUBLISHED.glob("*.csv"):
        (tmp_path / file.name).write_bytes(file.read_bytes())
    table = tmp_path / "stereoset_table6.csv"
    text = table.read_text(encoding="utf-8")
    assert "inter bert-large,icat,71.0," in text
    table.write_text(
        text.replace("inter bert-large,icat,71.0,", "inter bert-large,icat,69.9,"),
        encoding="utf-8",
    )
    before = [c for c in run.audit(PUBLISHED) if c.verdict == machinery.CONTRADICTS]
    after = [c for c in run.audit(tmp_path) if c.verdict == machinery.CONTRADICTS]
    gone = {c.place for c in before} - {c.place for c in after}
    assert gone == {"Table 6, intersentence, bert-large"}


def test_checks_table_does_not_depend_on_the_order(checks):
    table = run.checks_table(checks)
    assert list(table.columns) == [
        "paper", "place", "kind", "printed", "implied", "arithmetic", "verdict",
    ]  # fmt: skip
    assert len(table) == len(checks)
    assert table["paper"].drop_duplicates().tolist() == list(machinery.PAPERS)
    assert table.equals(run.checks_table(list(reversed(checks))))


def test_checks_table_of_nothing_keeps_its_columns():
    assert run.checks_table([]).shape == (0, 7)


def test_the_audit_needs_only_numpy_pandas_and_scipy():
    code = (
        "import sys; from socialbias.papers import print_audit as run; from pathlib import Path; "
        f"run.audit(Path({str(PUBLISHED)!r})); "
        "print(sorted({m.split('.')[0] for m in sys.modules} & {'snakemake', 'torch', 'pandera'}))"
    )
    run = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=True,
        env={"PYTHONPATH": str(REPOSITORY / "src")},
    )
    assert run.stdout.strip() == "[]"
