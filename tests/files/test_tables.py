"""Tables that users give: read as they are written, or refused in one line."""

import math

import pytest

from socialbias.errors import UserError
from socialbias.files.tables import read_number, read_table
from tests.reliability import fault

NEEDED = ("item", "decision")


def read(tmp_path, text: str | bytes):
    path = tmp_path / "t.csv"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return [(place.rpartition(" ")[2], row) for place, row in read_table(path, NEEDED)]


def test_cells_lie_under_their_columns_whatever_separates_them(tmp_path):
    expected = [("2", {"item": "a", "note": "x", "decision": "1"})]
    for text in (
        "item,note,decision\na,x,1\n",
        "\ufeffItem; note ;decision\r\na;x;1\r\n",
        "item\tnote\tdecision\t\t\na\tx\t1\t\t\n\t\t\t\t\n",
    ):
        assert read(tmp_path, text) == expected


def test_line_breaks_in_quotes_are_kept_and_others_end_no_row(tmp_path):
    text = 'item,decision\n"a\nb",1\nc\u2028d\x0be,0\n'
    assert read(tmp_path, text) == [
        ("3", {"item": "a\nb", "decision": "1"}),
        ("4", {"item": "c\u2028d\x0be", "decision": "0"}),
    ]


@fault(
    "a table of a user's with a row of more or fewer cells than its header, a column twice or "
    "missing, a quotation that is not closed, another encoding, or nothing in it",
    "one line: the file, the line and what is wrong; no cell counts for another column",
)
@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("item,decision\na,1\nb\n", "line 3: 1 cell for 2 columns"),
        ("item,decision\na,0,5\n", "line 2: 3 cells for 2 columns .write decimals with a point"),
        ("item,decision,decision\na,0,1\n", "two columns are called 'decision'"),
        ("item,label\na,1\n", "no column decision: it should have item, decision"),
        ('item,decision\n"a,1\n', "line 2: broken CSV"),
        ("item,decision\na,é\n".encode("latin-1"), "byte 16 is not UTF-8"),
        ("\n", "it is empty"),
    ],
)
def test_what_is_no_table_is_refused(tmp_path, text, message):
    with pytest.raises(UserError, match=message):
        read(tmp_path, text)


def test_a_file_that_is_not_there_is_named(tmp_path):
    with pytest.raises(UserError, match=r"none\.csv: no such file"):
        read_table(tmp_path / "none.csv", NEEDED)


def test_numbers_are_finite_or_nothing():
    assert read_number("0.5", "x") == 0.5
    assert math.isnan(read_number("", "x"))
    assert math.isnan(read_number("NaN", "x"))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("0,5", "write decimals with a point"),
        ("5%", "write a share"),
        ("inf", "is not a number"),
        ("one", "is not a number"),
    ],
)
def test_what_is_no_number_is_refused_with_a_hint(text, message):
    with pytest.raises(UserError, match=message) as caught:
        read_number(text, "t.csv, line 2")
    assert str(caught.value).startswith(f"t.csv, line 2: '{text}' is not a number")
