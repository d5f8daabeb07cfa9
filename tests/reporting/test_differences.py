"""What differs between two sets of an artefact's files."""

import numpy as np
import pytest

from socialbias.commands.maintenance.same_numbers import KINDS, differences
from socialbias.reporting.values import draws_table
from socialbias.stats.draws import DRAWS
from tests.records import value

TABLE = "row,column,value,note\na,x,1,\na,y,2,NA\n"


def written(folder, draws=0.0, **files):
    """An artefact's seven files, some with other content."""
    folder.mkdir()
    draws_table([value("a", "x", 1, draws=draws)]).to_parquet(folder / "table9.draws.parquet")
    for kind in set(KINDS) - {"draws.parquet"}:
        text = files.get(kind.replace(".", "_"), TABLE if "csv" in kind else "one\ntwo\n")
        (folder / f"table9.{kind}").write_text(text, "utf-8")
    return folder / "table9"


def found(tmp_path, draws=0.0, **files):
    was, now = written(tmp_path / "was"), written(tmp_path / "now", draws, **files)
    return [f"{kind}: {line}" for kind, line in differences(was, now)]


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        (TABLE.replace(",2,NA", ",3,"), ["value was '2', is '3'", "note was 'NA', is ''"]),
        (TABLE.replace(",2,", ",2.0,"), ["value was '2', is '2.0'"]),
        (TABLE, []),
    ],
)
def test_a_cell_is_named_with_what_it_was_and_is(tmp_path, text, lines):
    where = "row 'a', column 'y'"
    assert found(tmp_path, values_csv=text) == [f"values.csv: {where}: {line}" for line in lines]


def test_another_order_is_a_difference(tmp_path):
    swapped = "row,column,value,note\na,y,2,NA\na,x,1,\n"
    said = "values.csv: other bytes, though all cells are the same"
    assert found(tmp_path, values_csv=swapped) == [said]


def test_rows_and_fields_of_one_side_are_named_once(tmp_path):
    other = "row,column,value,weak\na,x,1,no\nb,y,2,\n"
    assert found(tmp_path, comparison_csv=other) == [
        "comparison.csv: field 'note' is gone",
        "comparison.csv: field 'weak' is new",
        "comparison.csv: row 'a', column 'y' is gone",
        "comparison.csv: row 'b', column 'y' is new",
    ]


def test_other_draws_are_told(tmp_path):
    assert found(tmp_path, np.ones(DRAWS)) == ["draws.parquet: other draws"]


def test_a_text_differs_from_a_line_on(tmp_path):
    assert found(tmp_path, tex="one\nto\n", html="one\ntwo\nthree\n") == [
        "tex: differs from line 2 on",
        "html: differs from line 3 on",
    ]


def test_a_file_that_the_run_does_not_have_is_new(tmp_path):
    was, now = written(tmp_path / "was"), written(tmp_path / "now")
    was.with_name("table9.tex").unlink()
    assert [*differences(was, now)] == [("tex", "this file is new")]
