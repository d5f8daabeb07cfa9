import numpy as np
import pandas as pd
import pytest

from socialbias.errors import UserError
from socialbias.reporting import values
from socialbias.reporting.values import (
    COLUMNS,
    digits_of,
    read_csv,
    read_values,
    write_csv,
    write_values,
)
from tests.records import value

SAID = {"fidelity": "exact", "unit": "share", "sources": "demo", "n_unit": "words", "note": ""}


def table_of(*records):
    return values.values_table("table9", list(records), seed=7)


def test_what_is_not_said_about_a_number_is_left_empty():
    row = table_of(value("nurse", "gender", 0.25, fidelity="exact")).iloc[0]
    assert (row["artefact"], row["seed"], row["value"]) == ("table9", 7, 0.25)
    assert (row["note"], row["n_unit"]) == ("", "")
    assert row[["ci_low", "ci_high", "p_value", "n", "n_of"]].isna().all()


def test_records_are_sorted_by_cell():
    cells = [("b", "x"), ("a", "y"), ("a", "x")]
    table = table_of(*(value(row, column, 1.0, **SAID) for row, column in cells))
    assert list(zip(table["row"], table["column"], strict=True)) == sorted(cells)
    assert list(table_of().columns) == list(COLUMNS)


BROKEN = {
    "words where a number belongs": {"ci_low": "wide"},
    "p above one": {"p_value": 1.5},
    "p below zero": {"p_value": -0.1},
    "negative n": {"n": -1},
    "sources separated by more than a semicolon": {"sources": "a; b"},
    "unknown fidelity": {"fidelity": "good"},
    "no fidelity": {"fidelity": ""},
    "an interval the wrong way round": {"ci_low": 0.3, "ci_high": 0.2},
    "half an interval": {"ci_low": 0.3},
    "a number that has no input": {"fidelity": "no input"},
    "no number though there is input": {"value": np.nan},
}


@pytest.mark.parametrize("change", BROKEN.values(), ids=BROKEN)
def test_records_that_break_the_schema_are_refused_in_one_line_that_names_the_first(change):
    good = value("dentist", "race", 0.5, **SAID)
    with pytest.raises(UserError, match=r"^table9: not a table of values: ") as caught:
        table_of(good, value("nurse", "gender", 0.25, **SAID) | change)
    text = str(caught.value)
    assert ("nurse" in text, "gender" in text, "\n" in text) == (True, True, False)


def test_what_is_no_table_of_values_is_refused():
    with pytest.raises(KeyError, match="fidelty"):
        value("nurse", "gender", 0.25, fidelty="exact")
    once = value("nurse", "gender", 0.25, **SAID)
    with pytest.raises(UserError, match=r"seed is not a whole number, got '7\.5'"):
        values.values_table("table9", [once], seed=7.5)
    with pytest.raises(UserError, match="nurse"):
        table_of(once, once | {"value": 0.1})


def test_values_are_written_with_6_significant_digits_and_read_back(tmp_path):
    path = tmp_path / "new folder" / "table9.values.csv"
    number = -1234.5678949
    table = table_of(value("null", "NA", number, ci_low=-2e3, ci_high=1.0 / 3, n=12, **SAID))
    write_values(table, path)
    assert "-1234.57," in path.read_text()
    assert ",0.333333," in path.read_text()
    # A count of more digits than six is not rounded.
    assert digits_of(99_197_146.0) == "99197146"
    assert digits_of(2_010_956.25) == "2.01096e+06"
    assert [digits_of(x) for x in (0.0, -3.0, 1e-9, float("inf"))] == ["0", "-3", "1e-09", "inf"]
    back = read_values(path)
    pd.testing.assert_frame_equal(back, table, rtol=1e-5)
    assert [p.name for p in path.parent.iterdir()] == ["table9.values.csv"]


def test_words_such_as_null_and_na_stay_words(tmp_path):
    path = tmp_path / "words.csv"
    words = ["null", "NA", "nan", "None", "true", "007", "a,b", 'say "x"', "", "naïve"]
    write_csv(pd.DataFrame({"word": words, "n": range(10)}), path)
    table = read_csv(path, {"n", "another"})
    assert list(table["word"]) == words
    assert list(table["n"]) == list(range(10))
    path.write_text("row,value\na,\nb,2\n")
    assert read_csv(path, {"value"})["value"].isna().tolist() == [True, False]


def test_a_failed_write_leaves_the_old_file(tmp_path):
    path = tmp_path / "table9.values.csv"
    table = table_of(value("nurse", "gender", 0.25, **SAID))
    write_values(table, path)
    before = path.read_bytes()
    with pytest.raises(UserError):
        write_values(table.assign(p_value=3.0), path)
    assert path.read_bytes() == before


@pytest.mark.parametrize(
    ("change", "what"),
    [
        (lambda t: t.drop(columns="seed"), "its columns must be artefact, row, column"),
        (lambda t: t.iloc[:, ::-1], "its columns must be artefact, row, column"),
    ],
)
def test_a_file_with_other_columns_is_refused_by_name(tmp_path, change, what):
    path = tmp_path / "table9.values.csv"
    write_csv(change(table_of(value("nurse", "gender", 0.25, **SAID))), path)
    with pytest.raises(UserError, match=rf"table9\.values\.csv: not a table of values: .*{what}"):
        read_values(path)
