"""Predicates on draws whose shares can be counted by hand."""

import numpy as np
import pandas as pd
import pytest

from socialbias.errors import UserError
from socialbias.reporting import statements
from socialbias.reporting.artefact import Artefact
from socialbias.reporting.statements import Cells, Statement, read_statements, statements_table
from socialbias.reporting.values import KEY, draws_table
from socialbias.stats.draws import DRAWS
from tests.records import value, values_table

SHARES = np.arange(1, DRAWS + 1) / DRAWS  # .001 to 1: a share of them lies above any number
INTERVALS = {"half": "over target terms", "holes": "over documents"}
DECLARED = Artefact("p", "t", "T", "", "", 2, {}, {}, intervals=INTERVALS)
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
        {"t": DECLARED},
    )


@pytest.fixture
def cells():
    said = {"unit": "rho", "sources": "demo", "n_unit": "", "note": "", "weak": ""}
    exact = said | {"fidelity": "exact"}
    subset = said | {"fidelity": "subset", "ci_low": -1.0, "ci_high": 1.0}
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
            value("nurse", "below", -0.48, draws=-SURE, **said | {"fidelity": "substitute"}),
            value("nurse", "far", 0.0, draws=HALF, **said | {"fidelity": "substitute"}),
            value("nurse", "holes", 0.48, draws=np.where(SHARES > 0.06, SURE, np.nan), **exact),
            value("pilot", "holes", 0.48, draws=np.where(SHARES > 0.01, 1.0, np.nan), **exact),
        ]
    )


def stated(predicate, **fields):
    return Statement("s1", "p", "table 3", "Nurses.", predicate, **fields)


def judge(predicate, cells, **fields):
    return statements.verdict_on(stated(predicate, **fields), cells, {"news": "film reviews"})


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
            " < 0.086",
            "holds",
            "subset",
        ),
        ("max([value('t', r, 'emb@code') for r in ['nurse', 'pilot']]) == 0.25", "holds", "subset"),
        ("mean([value('t', r, 'emb@code') for r in rows('t')]) == -0.125", "holds", "subset"),
        ("min([1, 2]) == 1 and at_least(2, [1 > 0, 1 > 2, 2 > 1])", "holds", "exact"),
        ("every([1 > 0, 1 > 2])", "fails", "exact"),
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
    named = statements.verdict_on(stated(predicate), cells, {"demo": "film reviews"})
    assert named.scope == "film reviews"
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
        ("nurse", "half", "open", "narrower intervals over target terms"),
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
        "1 < 2 < 3",
        "not 1 < 2",
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
    sure, half = (stated(f"value('t', 'nurse', '{column}') > 0") for column in ("sure", "half"))
    assert list(statements_table([sure, half], cells)["verdict"]) == ["holds", "open"]
    assert list(statements_table([], cells)["verdict"]) == []
    with pytest.raises(UserError, match=r"^s1: "):
        statements_table([stated("1 <")], cells)


def test_a_statement_that_holds_explains_the_printed_numbers_that_it_names(cells):
    """Ours are .25 for .20 and -.5 for -.4."""
    predicate = "value('t', '{0}', 'emb@code') > printed('t', '{0}', 'emb')"
    larger = [stated(predicate.format(row)) for row in ("nurse", "pilot")]
    assert list(statements_table(larger, cells)["verdict"]) == ["holds", "fails"]
    assert cells.explained == {("t", "nurse", "emb"): "s1"}


@pytest.mark.parametrize(("column", "verdict"), [("emb@code", "by definition"), ("sure", "holds")])
def test_what_is_true_by_definition_is_the_same_in_all_draws(cells, column, verdict):
    predicate = f"value('t', 'nurse', '{column}') > 0"
    assert judge(predicate, cells, kind="by definition").verdict == verdict


@pytest.mark.parametrize(
    ("kind", "data", "verdict", "agrees_on"),
    [
        # `sure` is on the paper's inputs, `here`, `below` and `far` on others.
        ("general", ["sure"], "holds", ""),
        ("particular", ["sure"], "holds", ""),
        ("general", ["sure", "here"], "holds", "1 of 1"),
        ("general", ["here"], "agrees", "1 of 1"),
        ("general", ["here", "below"], "unclear", "1 of 2"),
        ("general", ["below", "text"], "disagrees", "0 of 1"),  # `text` has no input
        ("general", ["far"], "unclear", "0 of 1"),
        ("particular", ["here"], "other data", ""),
        ("particular", ["text"], "no input", ""),
    ],
)
def test_only_the_papers_inputs_decide_whether_a_claim_holds(cells, kind, data, verdict, agrees_on):
    got = judge("value('t', 'nurse', data) > 0", cells, kind=kind, data=data)
    assert (got.verdict, got.agrees_on) == (verdict, agrees_on)


def test_what_print_does_not_settle_stays_open(cells):
    got = judge("value('t', 'nurse', 'sure') > 0", cells, kind="general", undecided="no word list")
    assert (got.verdict, got.needs) == ("open", "no word list")


def test_a_number_without_an_interval_decides_nothing_about_other_data():
    """A count of 7 in a part of the data: another part would have another."""
    for fidelity, ends, verdict in (
        ("exact", {}, "holds"),
        ("subset", {}, "open"),
        ("subset", {"ci_low": 7.0, "ci_high": 7.0}, "holds"),
    ):
        record = value("a", "papers", 7, draws=7.0, fidelity=fidelity, **ends)
        assert judge("value('t', 'a', 'papers') > 5", cells_of([record])).verdict == verdict


@pytest.mark.parametrize(("less", "verdict"), [(0.009, "open"), (0.011, "holds")])
@pytest.mark.parametrize("predicate", ["{1} < {0}", "{1} - {0} < 0"])
def test_a_difference_below_the_last_digit_of_a_table_is_none(predicate, less, verdict):
    """Two decimals are shown; both numbers vary together, so that their difference is certain."""
    draws = {"before": SHARES, "after": SHARES - less}
    records = [value(row, "x", 0, draws=d, fidelity="exact") for row, d in draws.items()]
    predicate = predicate.format("value('t', 'before', 'x')", "value('t', 'after', 'x')")
    assert judge(predicate, cells_of(records)).verdict == verdict


P_VALUE, SHUFFLES = "value('t', 'a', 'semeval p@positive')", "value('t', 'a', 'shuffles above')"
WITHIN = {"margin": 0.1, "reason": "a tenth"}


@pytest.mark.parametrize(
    ("predicate", "fields", "problem"),
    [
        (f"{P_VALUE} < 0.05", {}, ""),
        (f"{P_VALUE} > 0.05", {}, "does not show that nothing differs"),
        (f"0.05 <= {P_VALUE}", {}, "does not show that nothing differs"),
        (f"every([{SHUFFLES} > 0.05 for t in ['a']])", {}, "does not show that nothing differs"),
        (f"{SHUFFLES} > 0.5", {}, ""),
        ("abs(value('t', 'a', 'x')) < 0.1", WITHIN, "needs `margin`"),
        ("abs(value('t', 'a', 'x')) < margin", WITHIN, ""),
        ("abs(value('t', 'a', 'x')) > 0.1", {}, ""),
        ("0.1 > abs(value('t', 'a', 'x'))", {}, "on the left"),
        ("value('t', 'a', 'x') < margin", {"margin": 0.1}, "a margin needs a reason"),
        ("value('t', 'a', 'x') < 0.1", WITHIN, "a reason a margin"),
        ("value('t', 'a', 'r set similarity vs WEAT') < 0", {}, "needs a caution"),
        ("value('t', 'a', 'r set similarity vs WEAT') < 0", {"caution": "mechanical"}, ""),
        ("value('t', 'a', data) > 0", {}, "what the name `data` stands for"),
        ("value('t', 'a', 'x') > 0", {"data": ["x"]}, "what the name `data` stands for"),
        ("value('t', 'a', 'x') > 0", {"kind": "typical"}, "kind must be one of"),
        ("1 <", {}, "cannot be read"),
    ],
)
def test_a_predicate_that_cannot_decide_is_refused(predicate, fields, problem):
    got = list(statements.problems_of(stated(predicate, **{"kind": "general"} | fields)))
    assert bool(got) == bool(problem)
    assert problem in "; ".join(got)


@pytest.mark.parametrize(
    ("changed", "problem"),
    [
        ({}, ""),
        ({"headline": "false"}, "p: needs one headline claim"),
        ({"more": "1"}, "s1: got an unexpected keyword argument 'more'"),
        ({"kind": "''"}, "s1: kind must be one of"),
    ],
)
def test_a_file_of_claims_is_checked_when_it_is_read(tmp_path, changed, problem):
    entry = {"id": "s1", "place": "here", "text": "Yes.", "predicate": "1 > 0"}
    entry |= {"kind": "general", "headline": "true"} | changed
    lines = "".join(f"  {key}: {text}\n" for key, text in entry.items())
    path = tmp_path / "claims.yaml"
    path.write_text(f"p:\n- {lines.strip()}\n")
    if problem:
        with pytest.raises(UserError, match=problem):
            read_statements(path, claims=True)
    else:
        assert [one.id for one in read_statements(path, claims=True)] == ["s1"]


def test_noise_alone_is_no_distance_from_nought():
    """Nearly all of very wide draws are far from 0: on which side nobody knows."""
    wide = cells_of([value("n", "x", 0.0, draws=100 * HALF, fidelity="exact")])
    assert (np.abs(100 * HALF) > 0.2).mean() > 0.99
    assert judge("abs(value('t', 'n', 'x')) > 0.2", wide).verdict == "open"
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
