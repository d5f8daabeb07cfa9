import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose

from socialbias.datasets.census import (
    GENDER,
    RACE,
    bias_from_uniform,
    professions,
    read_shares,
    renormalise,
)
from socialbias.errors import UserError
from tests.reliability import fault

GENDER_CSV = """\
Census year,Occupation,Total Weight,Female,Male
2010,Nurse,10,0.9,0.1
1990,nurse,10,0.95,0.05
2010,judge,20,0.2,0.6
2010,nobody,0,0,0
1990,bookbinder,5,0.5,0.5
"""
RACE_CSV = """\
Census year,Occupation,Total Weight,multirace,aian,white,hispanic,asian,black
2010,judge,1,0.1,0.1,0.4,0.3,0.1,0
"""
WINOGENDER_TSV = """\
occupation\tbergsma_pct_female\tbls_pct_female\tbls_year
technician\t9.42\t40\t2015
accountant\t9.26\t59.7\t2016
"""


@pytest.fixture
def source(tmp_path):
    """A folder with one file, and its manifest."""

    def of(text, form="garg-census"):
        (tmp_path / "shares.csv").write_text(text)
        return tmp_path, {"format": form, "files": [{"path": "shares.csv"}]}

    return of


def test_garg_census_takes_one_year_and_renormalises(source):
    # judge: (.2, .6) / .8; nobody sums to zero and is dropped
    shares = read_shares(*source(GENDER_CSV), GENDER, 2010)
    assert list(shares.index) == ["judge", "nurse"]
    assert list(shares.columns) == ["female", "male"]
    assert_allclose(shares, [[0.25, 0.75], [0.9, 0.1]])
    shares = read_shares(*source(GENDER_CSV), GENDER, 1990)
    assert list(shares.index) == ["bookbinder", "nurse"]
    assert_allclose(shares.loc["nurse"], [0.95, 0.05])
    assert professions(*source(GENDER_CSV)) == {"nurse", "judge", "nobody", "bookbinder"}


def test_race_keeps_three_groups_and_drops_the_rest(source):
    # (.4, .3, .1) / .8
    shares = read_shares(*source(RACE_CSV), RACE, 2010)
    assert list(shares.columns) == ["white", "hispanic", "asian"]
    assert_allclose(shares, [[0.5, 0.375, 0.125]])


def test_winogender_gives_shares_from_per_cent_whatever_the_year(source):
    shares = read_shares(*source(WINOGENDER_TSV, "winogender"), GENDER, 1850)
    assert list(shares.index) == ["accountant", "technician"]
    assert_allclose(shares, [[0.597, 0.403], [0.4, 0.6]])


def test_professions_are_in_lower_case_in_every_format(source):
    text = WINOGENDER_TSV.replace("technician", "Technician")
    assert professions(*source(text, "winogender")) == {"technician", "accountant"}
    assert list(read_shares(*source(text, "winogender"), GENDER, 2015).index) == [
        "accountant",
        "technician",
    ]


def test_a_profession_called_null_is_a_word(source):
    text = GENDER_CSV.replace("judge", "null")
    assert "null" in read_shares(*source(text), GENDER, 2010).index


def test_renormalise_drops_rows_of_zeros_only():
    shares = pd.DataFrame({"a": [1.0, 0.0, 0.0], "b": [3.0, 0.0, 0.5]}, index=["x", "y", "z"])
    assert_allclose(renormalise(shares), [[0.25, 0.75], [0, 1]])
    assert list(renormalise(shares).index) == ["x", "z"]


def test_bias_is_the_l1_distance_from_the_uniform_distribution():
    # (.5, .375, .125) from 1/3: 1/6 + 1/24 + 5/24 = 10/24
    two = pd.DataFrame([[0.25, 0.75], [0.5, 0.5], [1, 0]], index=["x", "y", "z"])
    three = pd.DataFrame([[0.5, 0.375, 0.125], [1, 0, 0]])
    assert_allclose(bias_from_uniform(two), [0.5, 0, 1])
    assert list(bias_from_uniform(two).index) == ["x", "y", "z"]
    assert_allclose(bias_from_uniform(three), [10 / 24, 4 / 3])
    assert np.isfinite(bias_from_uniform(two.iloc[:0])).all()


@fault(
    "a census or labour file that was edited: empty, cut in a line, with a negative share, a "
    "percentage above 100, or a profession twice",
    "one line: the file, the row and the value",
)
@pytest.mark.parametrize(
    ("text", "form", "match"),
    [
        (GENDER_CSV.replace("2010", "1975"), "garg-census", "no rows for 2010$"),
        (RACE_CSV, "garg-census", "no column 'female'$"),
        ("", "winogender", "not a table"),
        ("occupation\tx\na\t1\n", "winogender", "no column 'bls_pct_female'"),
        (WINOGENDER_TSV[: WINOGENDER_TSV.index("59.7")], "winogender", "row 3: .* is '', not"),
        (WINOGENDER_TSV.replace("59.7", "-1"), "winogender", "row 3: bls_pct_female is '-1', not"),
        (WINOGENDER_TSV.replace("59.7", "101"), "winogender", "row 3: .* is '101', not"),
        (WINOGENDER_TSV.replace("technician", "Accountant"), "winogender", "row 3: 'accountant'"),
        (GENDER_CSV.replace("0.95,0.05", "0.95,x"), "garg-census", "row 3: male is 'x', not"),
        (GENDER_CSV.replace("1990,nurse", "2010,nurse"), "garg-census", "'nurse' appears twice"),
        (GENDER_CSV.replace("0.5,0.5", "1.5,0.5"), "garg-census", "row 6: female is '1.5', not"),
    ],
)
def test_shares_that_cannot_be(source, text, form, match):
    with pytest.raises(UserError, match=rf"shares\.csv.*{match}") as caught:
        read_shares(*source(text, form), GENDER, 2010)
    assert "\n" not in str(caught.value)
