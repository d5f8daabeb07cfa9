"""Verdicts on any paper's numbers: worked out by hand."""

import pandas as pd
import pytest

import socialbias
from socialbias.commands.verdict import scale_hint, sums

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


@pytest.mark.parametrize(
    ("total", "parts", "verdict"),
    [
        ("1.6", ("0.80", "0.50", "0.30"), "agrees"),
        ("1.7", ("0.80", "0.50", "0.30"), "does not agree"),  # rounding reaches 0.05 + 3 x 0.005
        ("1.6", ("0.8", "0.5", "0.4"), "agrees"),  # rounding reaches 4 x 0.05
        ("11", ("4", "6"), "does not agree"),  # counts are not rounded
        ("10", ("4", "6"), "agrees"),
    ],
)
def test_totals_are_the_sums_of_their_parts(total, parts, verdict):
    rows = [(f"r{i}", "x", part) for i, part in enumerate(parts)] + [("Total", "x", total)]
    [found] = sums(pd.DataFrame(rows, columns=["row", "column", "value"]))
    assert found["verdict"] == verdict
    turned = pd.DataFrame([(c, r, v) for r, c, v in rows], columns=["row", "column", "value"])
    assert [each["verdict"] for each in sums(turned)] == [verdict]


@pytest.mark.parametrize(
    ("ours", "hint"),
    [
        ([81, 50, 29.5], "all 3 numbers are about 100 times the printed ones: divide them by 100"),
        ([0.008, 0.005, 0.003], "all 3 numbers are about a hundredth of the printed ones: multi"),
        ([-0.8, -0.52, -0.3], "all 3 numbers are about the printed ones with the other sign: exc"),
        (
            [0.2, 0.5, 0.71],
            "all 3 numbers are about 1 minus the printed ones: subtract them",
        ),
        ([0.8, 0.5, 0.34], ""),  # as printed, within a tenth of the range
        ([-0.8, -0.5, 0.3], ""),  # one has the printed sign
        ([90, 50, 30], ""),  # 0.1 from the printed number, twice a tenth of the range
    ],
)
def test_one_factor_that_explains_all_is_named(files, ours, hint):
    assert scale_hint(["0.80", "0.50", "0.30"], ours).startswith(hint)
    assert bool(scale_hint(["0.80", "0.50", "0.30"], ours)) == bool(hint)
    assert not scale_hint(["0.80", "0.50", ""], ours)  # two numbers say too little
    rows = zip("abc", ours, strict=True)
    files[1].write_text("row,column,value\n" + "".join(f"{r},x,{v}\n" for r, v in rows))
    lines = str(socialbias.verdict(*files)).splitlines()
    assert lines[2:3] == [scale_hint(["0.80", "0.50", "0.30"], ours)] or not hint


def test_shares_from_100_are_named():
    hint = scale_hint(["80", "50", "30"], [20, 50, 70])
    assert hint == "all 3 numbers are about 100 minus the printed ones: subtract them from 100"


def test_a_factor_of_one_column_names_it(files):
    """Column x in percent, y as printed."""
    ours = "row,column,value\na,x,80\nb,x,50\nc,x,30\na,y,1\nb,y,2\nc,y,3\n"
    files[1].write_text(ours)
    lines = str(socialbias.verdict(*files)).splitlines()
    assert "x: all 3 numbers are about 100 times the printed ones: divide them by 100" in lines
    assert sum("numbers are about" in line for line in lines) == 1
