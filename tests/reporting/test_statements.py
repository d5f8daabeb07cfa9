import numpy as np
import pandas as pd
import pytest

from socialbias.errors import UserError
from socialbias.reporting import statements
from socialbias.reporting.statements import (
    Cells,
    MissingCellError,
    read_statements,
    statements_table,
)
from socialbias.reporting.values import value, values_table


@pytest.fixture
def cells():
    said = {"unit": "rho", "sources": "demo", "n_unit": "", "note": ""}
    records = [
        value(
            "nurse",
            "emb@code",
            0.25,
            ci_low=0.1,
            ci_high=0.4,
            p_value=0.03,
            fidelity="exact",
            **said,
        ),
        value("pilot", "emb@code", -0.5, fidelity="subset", **said),
        value("nurse", "text", float("nan"), fidelity="no input", **said),
        value("pilot", "few", 0.1, fidelity="subset", **said | {"n": 19, "n_unit": "contexts"}),
        value("nurse", "few", 0.1, fidelity="exact", **said | {"n": 20, "n_unit": "contexts"}),
    ]
    printed = [("nurse", "emb", "0.20"), ("pilot", "emb", "-0.40"), ("nurse", "text", "")]
    return Cells(
        {"t": values_table("t", records, 1)},
        {"t": pd.DataFrame(printed, columns=["row", "column", "value"])},
    )


def judge(predicate, cells):
    return statements.verdict_on(predicate, cells)


@pytest.mark.parametrize(
    ("predicate", "verdict", "fidelity"),
    [
        ("value('t', 'nurse', 'emb@code') > 0", "holds", "exact"),
        ("value('t', 'nurse', 'emb@code') > 0.25", "fails", "exact"),
        ("value('t', 'pilot', 'emb@code') == -0.5", "holds", "subset"),
        ("low('t', 'nurse', 'emb@code') == 0.1", "holds", "exact"),
        ("high('t', 'nurse', 'emb@code') == 0.4", "holds", "exact"),
        ("p('t', 'nurse', 'emb@code') <= 0.05", "holds", "exact"),
        ("printed('t', 'pilot', 'emb') == -0.4", "holds", "exact"),
        # |.25 - .20| = .05 and |-.5 + .4| = .1: a mean of .075
        ("abs(mean_error('t', 'emb@code') - 0.075) < 1e-12", "holds", "subset"),
        ("rows('t') == ['nurse', 'pilot']", "holds", "exact"),
        ("max([value('t', r, 'emb@code') for r in rows('t')]) == 0.25", "holds", "subset"),
        ("min([1, 2]) == 1 and count([1 > 0, 1 > 2, True]) == 2", "holds", "exact"),
        ("not 1 < 2", "fails", "exact"),
        ("value('t', 'nurse', 'emb@code')\n  > value('t', 'pilot', 'emb@code')", "holds", "subset"),
    ],
)
def test_predicate_over_values(cells, predicate, verdict, fidelity):
    assert judge(predicate, cells) == (verdict, fidelity, "")


def test_what_rests_on_too_little_is_undetermined(cells):
    predicate = "count([value('t', r, 'few') > 0 for r in {}]) == 1"
    said = "t, pilot, few: too few: 19 contexts, fewer than 20"
    assert judge(predicate.format("rows('t')"), cells) == ("undetermined", "subset", said)
    assert judge(predicate.format("sound_rows('t', 'few')"), cells) == ("holds", "exact", "")
    none = "max([value('t', r, 'few') for r in sound_rows('t', 'few', 'text')]) > 0"
    assert judge(none, cells)[0] == "undetermined"


def test_what_rests_on_a_missing_number_is_undetermined_and_names_the_cell(cells):
    got = judge("value('t', 'nurse', 'text') > 0", cells)
    assert got == ("undetermined", "no input", "t, nurse, text: no input")


def test_what_does_not_need_the_missing_number_is_determined(cells):
    assert judge("1 > 2 and value('t', 'nurse', 'text') > 0", cells)[0] == "fails"


def test_a_number_without_an_interval_has_no_bound_to_test(cells):
    got = judge("low('t', 'pilot', 'emb@code') < 0", cells)
    assert got == ("undetermined", "subset", "t, pilot, emb@code: no interval")


def test_fidelity_is_that_of_this_predicate_only(cells):
    assert judge("value('t', 'pilot', 'emb@code') < 0", cells)[1] == "subset"
    assert judge("value('t', 'nurse', 'emb@code') > 0", cells)[1] == "exact"


@pytest.mark.parametrize(
    "predicate",
    [
        "value('t', 'nobody', 'emb@code') > 0",
        "value('t', 'nurse', 'nothing') > 0",
        "value('nothing', 'nurse', 'emb@code') > 0",
        "printed('t', 'nurse', 'emb@code') > 0",
        "mean_error('t', 'emb') > 0",
        "mean_error('nothing', 'emb') > 0",
        "rows('nothing') == []",
    ],
)
def test_a_cell_that_does_not_exist_is_an_error_of_the_writer(cells, predicate):
    with pytest.raises(UserError):
        judge(predicate, cells)


def test_a_printed_cell_without_a_number_is_no_accident_of_python(cells):
    with pytest.raises((UserError, MissingCellError)):
        judge("printed('t', 'nurse', 'text') > 0", cells)


@pytest.mark.parametrize(
    "predicate",
    [
        "value('t', 'nurse'",
        "1 <",
        "",
        "x > 0",
        "value('t') > 0",
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
        "rows('t')[7] == 'nurse'",
    ],
)
@pytest.mark.filterwarnings("ignore::simpleeval.MultipleExpressions")
def test_what_is_not_a_predicate_is_refused(cells, predicate):
    with pytest.raises(UserError):
        judge(predicate, cells)


def test_table_of_statements_and_the_name_of_a_broken_one(cells):
    statement = {"id": "s1", "paper": "p", "place": "table 3", "text": "Nurses.", "more": 1}
    good = statement | {"predicate": "value('t', 'nurse', 'emb@code') > 0"}
    table = statements_table([good], cells)
    assert table.loc[0, ["id", "verdict", "fidelity", "detail"]].to_list() == [
        "s1",
        "holds",
        "exact",
        "",
    ]
    with pytest.raises(UserError, match=r"^s1: "):
        statements_table([statement | {"predicate": "1 <"}], cells)


def test_no_statements_give_an_empty_table_and_an_empty_file_no_statements(cells, tmp_path):
    path = tmp_path / "claims.yaml"
    path.write_text("# nothing yet\n")
    assert read_statements(path) == []
    assert list(statements_table([], cells)["verdict"]) == []
    path.write_text("- id: s1\n")
    assert read_statements(path) == [{"id": "s1"}]


def test_a_number_is_never_a_missing_one(cells):
    with pytest.raises(MissingCellError):
        cells.functions()["value"]("t", "nurse", "text")
    assert np.isfinite(cells.functions()["value"]("t", "nurse", "emb@code"))
