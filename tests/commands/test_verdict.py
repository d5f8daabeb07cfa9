"""Verdicts on any paper's numbers: worked out by hand."""

import pytest

import socialbias

PRINT = """row,column,value
a,x,0.80
b,x,0.50
c,x,0.30
d,x,
total,x,1.7
a,y,1
b,y,2
c,y,3
d,y,4
e,y,5
"""
OURS = """row,column,value,ci_low,ci_high,fidelity
a,x,0.801,,,
b,x,0.52,0.47,0.57,exact
c,x,0.4,,,
d,x,0.1,,,
a,y,1.2,,,substitute
b,y,2.4,,,substitute
c,y,3.3,,,substitute
d,y,4.6,,,substitute
e,y,5.1,,,substitute
"""


@pytest.fixture
def files(tmp_path):
    paths = tmp_path / "print.csv", tmp_path / "ours.csv"
    for path, text in zip(paths, (PRINT, OURS), strict=True):
        path.write_text(text)
    return paths


def test_each_cell_and_each_column_is_judged(files):
    found = socialbias.verdict(*files)
    verdicts = found.cells.set_index(["row", "column"])["verdict"]
    assert verdicts["a", "x"] == "equal"  # rounds to 0.80
    assert verdicts["b", "x"] == "within"  # 0.1 wide, of a range of 0.5
    assert verdicts["c", "x"] == "outside"
    assert verdicts["d", "x"] == "not judged"
    assert set(verdicts[:, "y"]) == {"not judged"}
    assert found.columns.set_index("column").loc["y", "verdict"] == "agrees"
    assert found.missing == [("total", "x")]


def test_a_total_does_not_widen_the_range(files):
    """An interval of 0.6 is wider than 0.5, the range of the parts, but not than 1.4."""
    files[1].write_text(OURS.replace("0.47,0.57", "0.22,0.82"))
    cells = socialbias.verdict(*files).cells.set_index(["row", "column"])
    assert cells.loc[("b", "x"), "verdict"] == "open"


def test_the_price_is_what_shuffled_print_would_pass(files):
    """0.801 passes with 0.80 alone, 0.47 to 0.57 with 0.50 alone, 0.4 with none: 2 of 9, by 3."""
    assert socialbias.verdict(*files).shuffled == pytest.approx(2 / 3)
