"""Predicates on draws whose shares can be counted by hand."""

import numpy as np
import pandas as pd
import pytest

from socialbias.errors import UserError
from socialbias.reporting import statements
from socialbias.reporting.statements import Cells, statements_table
from socialbias.reporting.values import KEY, draws_table
from socialbias.stats.draws import DRAWS
from tests.records import value, values_table

SHARES = np.arange(1, DRAWS + 1) / DRAWS  # .001 to 1: a share of them lies above any number
GONE = {"fidelity": "no input", "note": "census is not here"}
SURE, HALF = SHARES - 0.02, SHARES - 0.5  # above 0 in 98 % and in 50 % of the draws


def cells_of(records):
    table = draws_table(records)
    drawn = {key: p[["value", "null"]].to_numpy().T for key, p in table.groupby(KEY, observed=True)}
    printed = [("nurse", "emb", "0.20"), ("pilot", "emb", "-0.40"), ("nurse", "text", "")]
    return Cells(
        {"t": values_table("t", records, 1)},
        {"t": pd.DataFrame(printed, columns=["row", "column", "value"])},
        lambda _: drawn,
        {"t": {"half": "over target terms", "holes": "over documents"}},
    )


@pytest.fixture
def cells():
    said = {"unit": "rho", "sources": "demo", "n_unit": "", "note": "", "weak": ""}
    exact, subset = said | {"fidelity": "exact"}, said | {"fidelity": "subset"}
    return cells_of(
        [
            value("nurse", "emb@code", 0.25, draws=0.25, **exact),
            value("pilot", "emb@code", -0.5, draws=-0.5, **subset),
            value("nurse", "text", float("nan"), **said | GONE),
            value("pilot", "few", 0.1, draws=0.1, **subset | {"n": 19, "n_unit": "contexts"}),
            value("nurse", "few", 0.1, draws=0.1, **exact | {"n": 20, "n_unit": "contexts"}),
            value("nurse", "weak", 0.1, draws=0.1, **exact | {"weak": "it knows nothing"}),
            value("nurse", "undrawn", 0.1, **exact),
            value("nurse", "sure", 0.48, draws=SURE, **exact),
            value("pilot", "sure", 0.48, draws=SURE, **exact),
            value("nurse", "half", 0.0, draws=HALF, **exact | {"n": 40, "n_unit": "terms"}),
            value("nurse", "here", 0.48, draws=SURE, **said | {"fidelity": "substitute"}),
            value("nurse", "holes", 0.48, draws=np.where(SHARES > 0.06, SURE, np.nan), **exact),
            value("pilot", "holes", 0.48, draws=np.where(SHARES > 0.01, 1.0, np.nan), **exact),
        ]
    )


def judge(predicate, cells, **options):
    return statements.verdict_on(predicate, cells, **options)


@pytest.mark.parametrize(
    ("predicate", "verdict", "fidelity"),
    [
        ("value('t', 'nurse', 'emb@code') > 0", "holds", "exact"),
        ("value('t', 'nurse', 'emb@code') > 0.25", "fails", "exact"),
        ("value('t', 'pilot', 'emb@code') == -0.5", "holds", "subset"),
        ("value('t', 'pilot', 'emb@code') != -0.5", "fails", "subset"),
        ("printed('t', 'pilot', 'emb') == -0.4", "holds", "exact"),
        # |.25 - .20| = .05 and |-.5 + .4| = .1: a mean of .075
        (
            "mean([abs(value('t', r, 'emb@code') - printed('t', r, 'emb')) for r in rows('t')])"
            " - 0.075 < 1e-12",
            "holds",
            "subset",
        ),
        ("max([value('t', r, 'emb@code') for r in ['nurse', 'pilot']]) == 0.25", "holds", "subset"),
        ("mean([value('t', r, 'emb@code') for r in rows('t')]) == -0.125", "holds", "subset"),
        ("min([1, 2]) == 1 and at_least(2, [1 > 0, 1 > 2, 2 > 1])", "holds", "exact"),
        ("every([1 > 0, 1 > 2])", "fails", "exact"),
        ("not 1 < 2", "fails", "exact"),
        ("1 < 2 < 3", "holds", "exact"),
        ("1 < 3 < 2", "fails", "exact"),
        ("value('t', 'nurse', 'emb@code')\n  > value('t', 'pilot', 'emb@code')", "holds", "subset"),
        ("-margin < 0.04 and 0.04 < margin", "holds", "exact"),
    ],
)
def test_predicate_over_numbers_that_do_not_vary(cells, predicate, verdict, fidelity):
    got = judge(predicate, cells, margin=0.05)
    assert (got.verdict, got.fidelity, got.needs) == (verdict, fidelity, "")
    assert got.share_of_draws == (verdict == "holds")


@pytest.mark.parametrize(
    ("predicate", "verdict", "share"),
    [
        ("value('t', 'nurse', 'sure') > 0", "holds", 0.98),
        ("value('t', 'nurse', 'sure') < 0", "fails", 0.019),  # one draw is 0
        ("value('t', 'nurse', 'sure') > 0.01", "open", 0.97),
        ("value('t', 'nurse', 'half') > 0", "open", 0.5),
        ("value('t', 'nurse', 'sure') - value('t', 'nurse', 'half') > 0", "holds", 1.0),
    ],
)
def test_a_comparison_holds_in_its_share_of_draws(cells, predicate, verdict, share):
    got = judge(predicate, cells)
    assert (got.verdict, got.share_of_draws) == (verdict, pytest.approx(share))


def test_many_parts_do_not_decide_a_sentence():
    """Eight independent numbers that may be above or below 0: all of them are so in 1/256."""
    rng = np.random.default_rng(1)
    said = {"fidelity": "exact"}
    parts = [value(f"r{i}", "c", 0, draws=rng.standard_normal(DRAWS), **said) for i in range(8)]
    cells = cells_of(parts)
    above = "value('t', r, 'c') > 0 for r in rows('t')"
    for predicate in (f"every([{above}])", f"at_least(1, [{above}])", f"at_least(4, [{above}])"):
        assert judge(predicate, cells).verdict == "open"
    assert judge(f"every([{above}])", cells).share_of_draws < 0.02
    assert judge(f"at_least(1, [{above}])", cells).share_of_draws > 0.98


def test_parts_combine_by_three_valued_logic_and_a_missing_part_is_open(cells):
    yes, no = "value('t', 'nurse', 'sure') > -1", "value('t', 'nurse', 'sure') < -1"
    missing = "value('t', 'nurse', 'text') > 0"
    for predicate, verdict, parts in (
        (f"{yes} and {no}", "fails", "1 yes, 1 no, 0 open of 2"),
        (f"{yes} or {no}", "holds", "1 yes, 1 no, 0 open of 2"),
        (f"{yes} and {missing}", "open", "1 yes, 0 no, 1 open of 2"),
        (f"{no} and {missing}", "fails", "0 yes, 1 no, 1 open of 2"),
        (f"{yes} or {missing}", "holds", "1 yes, 0 no, 1 open of 2"),
        (f"{no} or {missing}", "open", "0 yes, 1 no, 1 open of 2"),
        (f"not ({yes} and {missing})", "open", "0 yes, 1 no, 1 open of 2"),
        (f"at_least(2, [{yes}, {missing}, {no}])", "open", "1 yes, 1 no, 1 open of 3"),
        (f"at_least(2, [{yes}, {missing}, {yes}])", "holds", "2 yes, 0 no, 1 open of 3"),
        (missing, "no input", "0 yes, 0 no, 1 open of 1"),
        (f"{missing} and {missing}", "no input", "0 yes, 0 no, 2 open of 2"),
        ("min([value('t', 'nurse', c) for c in ['text', 'sure']]) > 0", "no input", ""),
    ):
        got = judge(predicate, cells)
        assert got.verdict == verdict, predicate
        assert parts in ("", got.parts), predicate
    assert np.isnan(judge(f"{yes} and {missing}", cells).share_of_draws)
    assert judge(f"{no} and {missing}", cells).share_of_draws == 0


@pytest.mark.parametrize("level", [0.008, 0.02])
def test_a_part_counts_as_no_where_it_is_enough_to_fail_the_whole(level):
    """One part of three is false but in .8 % of the draws, or but in 2 %: the level is .025 / 3."""
    parts = [value(r, "c", 1, draws=1.0, fidelity="exact") for r in "ab"]
    parts.append(value("c", "c", -1, draws=np.where(level >= SHARES, 1.0, -1.0), fidelity="exact"))
    got = judge("every([value('t', r, 'c') > 0 for r in rows('t')])", cells_of(parts))
    no = level < 0.025 / 3
    assert (got.verdict, got.parts) == (
        ("fails", "2 yes, 1 no, 0 open of 3") if no else ("open", "2 yes, 0 no, 1 open of 3")
    )


def test_scope_and_caution_are_named_and_change_no_verdict(cells):
    predicate = "value('t', 'nurse', 'here') > 0"
    assert judge(predicate, cells).verdict == "holds"
    assert judge(predicate, cells).scope == "demo"
    assert judge(predicate, cells, names={"demo": "film reviews"}).scope == "film reviews"
    assert judge("value('t', 'nurse', 'sure') > 0", cells).scope == "the paper's inputs"
    assert judge("value('t', 'nurse', 'text') > 0", cells).scope == ""
    assert judge("printed('t', 'pilot', 'emb') == -0.4", cells).scope == "the paper's inputs"
    got = judge("every([value('t', r, 'few') > 0 for r in ['nurse', 'pilot']])", cells)
    assert (got.verdict, got.caution) == ("holds", "19 contexts, fewer than 20")
    got = judge("value('t', 'nurse', 'weak') > 0", cells)
    assert (got.verdict, got.caution) == ("holds", "it knows nothing")


def test_rows_with_have_a_number_and_where_none_has_the_part_is_missing(cells):
    predicate = "min([value('t', r, 'text') for r in rows_with('t', {})]) > 0"
    assert cells.rows_with("t", "few", "emb@code") == ["nurse", "pilot"]
    assert cells.rows_with("t", "few", "text") == ["nurse"]
    assert judge(predicate.format("'text'"), cells).verdict == "no input"


@pytest.mark.parametrize(
    ("row", "column", "verdict", "needs"),
    [
        ("nurse", "text", "no input", "census is not here"),
        ("nurse", "undrawn", "open", "an interval of t: nurse, undrawn"),
        ("nurse", "holes", "open", "narrower intervals over documents"),  # 6 % of its draws are NaN
        ("pilot", "holes", "holds", ""),  # 1 % are
        ("nurse", "half", "open", "narrower intervals than with 40 terms"),
    ],
)
def test_an_open_claim_says_what_it_needs(cells, row, column, verdict, needs):
    got = judge(f"value('t', '{row}', '{column}') > 0", cells)
    assert (got.verdict, got.needs) == (verdict, needs)


@pytest.mark.parametrize(
    "predicate",
    [
        "value('t', 'nobody', 'emb@code') > 0",
        "value('t', 'nurse', 'nothing') > 0",
        "value('nothing', 'nurse', 'emb@code') > 0",
        "printed('t', 'nurse', 'emb@code') > 0",
        "printed('t', 'nurse', 'text') > 0",  # it has no number
        "rows('nothing') == []",
        "every([1 > 0 for t in ['a', 'b'] if t != 'a'])",
        "value('t', 'nurse'",
        "1 <",
        "",
        "x > 0",
        "value('t') > 0",
        "value('t', 'nurse', 'emb@code')",
        "import os",
        "__import__('os')",
        "open('x')",
        "().__class__",
        "value('t', 'nurse', 'emb@code').real > 0",
        "lambda: 1",
        "2 ** 99999999 > 0",
        "1 > 2; 1 > 0",
        "1 / 0 > 0",
        "min([]) > 0",
        "every([]) or 1 > 2",
        "rows('t')[70] == 'nurse'",
    ],
)
@pytest.mark.filterwarnings("ignore::simpleeval.MultipleExpressions")
def test_what_is_not_a_predicate_is_refused(cells, predicate):
    with pytest.raises(UserError):
        judge(predicate, cells)


def test_table_of_statements_and_the_name_of_a_broken_one(cells):
    statement = {"id": "s1", "paper": "p", "place": "table 3", "text": "Nurses.", "more": 1}
    sure = statement | {"predicate": "value('t', 'nurse', 'sure') > 0"}
    half = statement | {"id": "s2", "predicate": "value('t', 'nurse', 'half') > 0"}
    table = statements_table([sure, half], cells)
    assert list(table["verdict"]) == ["holds", "open"]
    assert list(table["kind"]) == ["", ""]
    assert list(statements_table([], cells)["verdict"]) == []
    with pytest.raises(UserError, match=r"^s1: "):
        statements_table([statement | {"predicate": "1 <"}], cells)


def test_a_statement_that_holds_explains_the_printed_numbers_that_it_names(cells):
    """Ours are .25 for .20 and -.5 for -.4."""
    place = {"id": "larger", "paper": "p", "place": "table 1", "text": "Ours is larger."}
    predicate = "value('t', '{0}', 'emb@code') > printed('t', '{0}', 'emb')"
    statements = [place | {"predicate": predicate.format(row)} for row in ("nurse", "pilot")]
    assert list(statements_table(statements, cells)["verdict"]) == ["holds", "fails"]
    assert cells.explained == {("t", "nurse", "emb"): "larger"}


@pytest.mark.parametrize(("column", "kind"), [("emb@code", "by definition"), ("sure", "")])
def test_what_is_true_by_definition_is_the_same_in_all_draws(cells, column, kind):
    statement = {"id": "s1", "paper": "p", "place": "table 3", "text": "Nurses."}
    statement |= {"predicate": f"value('t', 'nurse', '{column}') > 0", "kind": "by definition"}
    table = statements_table([statement], cells)
    assert table[["verdict", "kind"]].to_numpy().tolist() == [["holds", kind]]


def test_a_margin_that_no_such_sample_could_show_is_said_so(cells):
    """A correlation with n = 57 has a standard error of .13: it cannot be shown to be within .2."""
    normal = np.random.default_rng(1).standard_normal(DRAWS)
    for error, kind in ((0.13, "cannot be shown with n = 57"), (0.05, "")):
        record = value("n", "x", 0.19, draws=0.19 + error * normal, fidelity="exact", n=57)
        got = judge("abs(value('t', 'n', 'x')) < 0.2", cells_of([record]))
        assert (got.verdict, got.kind) == ("open", kind)
        assert judge("abs(value('t', 'n', 'x')) > 0.2", cells_of([record])).kind == ""
    predicate = "abs(value('t', 'nurse', '{}')) < 0.2 and value('t', 'nurse', 'half') > 0"
    for column in ("text", "undrawn"):  # a missing number is not one that cannot be shown
        got = judge(predicate.format(column), cells)
        assert (got.verdict, got.kind) == ("open", "")


@pytest.mark.parametrize(
    "predicate", ["abs(value('t', 'n', 'x')) > 0.2", "0.2 < abs(value('t', 'n', 'x'))"]
)
def test_noise_alone_is_no_distance_from_nought(predicate):
    """Nearly all of very wide draws are far from 0: on which side nobody knows."""
    wide = cells_of([value("n", "x", 0.0, draws=100 * HALF, fidelity="exact")])
    assert (np.abs(100 * HALF) > 0.2).mean() > 0.99
    assert judge(predicate, wide).verdict == "open"
    assert judge("abs(value('t', 'n', 'x')) < 0.2", wide).verdict == "open"


def test_a_distance_is_shown_on_one_side_at_half_the_level():
    """Above .2 in 98.5 % of the draws is not enough where both sides were looked at; 99 % is."""
    for share, verdict in ((0.985, "open"), (0.99, "holds")):
        drawn = cells_of([value("n", "x", 0.5, draws=SHARES - 1 + share + 0.2, fidelity="exact")])
        assert judge("abs(value('t', 'n', 'x')) > 0.2", drawn).verdict == verdict
        other = judge("abs(value('t', 'n', 'x')) <= 0.2", drawn).verdict
        assert other == verdict.replace("holds", "fails")
    assert judge("abs(value('t', 'n', 'x')) < 2", drawn).verdict == "holds"


def test_draws_in_which_both_sides_are_equal_speak_for_neither():
    """Above in 1 %, equal in 5 %, below in 94 %: 6 % of the draws do not speak against it."""
    numbers = np.repeat([1.0, 0.0, -1.0], [10, 50, DRAWS - 60])
    cells = cells_of([value("n", "x", -1.0, draws=numbers, fidelity="exact")])
    for how in (">", ">="):
        assert judge(f"value('t', 'n', 'x') {how} 0", cells).verdict == "open"
    assert judge("value('t', 'n', 'x') < 0", cells).verdict == "open"
    constant = cells_of([value("n", "x", 0.0, draws=0.0, fidelity="exact")])
    assert judge("value('t', 'n', 'x') >= 0", constant).verdict == "holds"
    assert judge("value('t', 'n', 'x') > 0", constant).verdict == "fails"
