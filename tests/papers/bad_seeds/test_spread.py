"""How much of a measure's variance the choice of seeds makes."""

from math import sqrt

import numpy as np
import pytest
from numpy.testing import assert_allclose

from socialbias.papers.bad_seeds import spread
from tests.papers.bad_seeds.worlds import SETS, WORLD, corpus, spread_table
from tests.worlds.jobs import summarised
from tests.worlds.numbers import cells
from tests.worlds.vectors import vectors


def test_spread_measures_leans_and_effect_sizes():
    concepts = {"lean": [["X"], ["Y"], ["missing"]], "pair": [["X", "Y"]]}
    table = spread.evidence({"nyt": corpus(vectors(**WORLD))}, concepts, SETS)
    found = table.set_index(["concept", "column"])["measure"]
    unit = {w: np.array(v) / np.linalg.norm(v) for w, v in WORLD.items()}
    lean = {w: unit[w][0] - unit[w][1] for w in WORLD}
    x, y = [lean[w] for w in ("x1", "x2", "z")], [lean[w] for w in ("y1", "y2")]
    assert found["lean", "X"] == pytest.approx(np.mean(x), abs=1e-6)
    assert found["pair", "X | Y"] == pytest.approx(
        (np.mean(x) - np.mean(y)) / np.std(x + y, ddof=1), abs=1e-6
    )
    assert len(found) == 3


def test_spread_takes_the_corpus_out_of_the_seeds():
    # Means 1 and 3 have a variance of 2, and each set one of 2 over the bootstraps, all of which
    # both sets have: none of it is noise between the sets.
    found = spread.components(np.array([[0.0, 2], [2, 4]]))
    assert found["sd over corpora"] == pytest.approx(sqrt(2))
    assert found["share from seeds"] == pytest.approx(1 / 2)
    assert found["same sign"] == 1
    assert found["reach of seed sets"] == 2


@pytest.mark.parametrize(
    ("grid", "share"),
    [([[1.0, 1], [3, 3]], 1), ([[0.0, 2], [2, 0]], 0), ([[1.0], [3]], np.nan)],
)
def test_spread_at_its_ends(grid, share):
    assert_allclose(spread.components(np.array(grid))["share from seeds"], share)


def test_spread_cells():
    found = cells(summarised(spread, spread_table(A=[0, 2], B=[2, 4])))
    assert found["c, nyt", "A"]["value"] == 1
    assert found["c, nyt", "share from seeds"]["value"] == pytest.approx(1 / 2)
    assert found["c, nyt", "share from seeds"]["n"] == 2
    alone = cells(summarised(spread, spread_table(A=[0, 2])))
    assert list(alone) == [("c, nyt", "A")]


def test_spread_leaves_out_sets_that_rest_on_too_few_seeds():
    table = spread_table(A=[0, 2], B=[2, 4], C=[50, 90])
    # One bootstrap without most of the words of C is enough: its measure is of another set there.
    table.loc[(table["column"] == "C") & (table["unit"] == 1), "n"] = 2
    found = cells(summarised(spread, table))
    assert found["c, nyt", "C"]["value"] == 70
    assert found["c, nyt", "C"]["note"].startswith("too few")
    share = found["c, nyt", "share from seeds"]
    assert (share["value"], share["n"], share["n_of"]) == (pytest.approx(1 / 2), 2, 3)
    table.loc[table["column"] == "B", "n"] = 2
    assert ("c, nyt", "share from seeds") not in cells(summarised(spread, table))
    table["n"] = 2  # of all sets
    assert {column for _, column in cells(summarised(spread, table))} == {"A", "B", "C"}
