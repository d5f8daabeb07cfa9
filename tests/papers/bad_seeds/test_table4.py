"""Table 4: gathered and generated pairs by coherence."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from socialbias.papers.bad_seeds import table4
from tests.papers.bad_seeds.worlds import LISTS, SETS, WORLD, by_plain_loops, cloud, corpus
from tests.worlds.jobs import summarised
from tests.worlds.numbers import cells
from tests.worlds.vectors import vectors


def test_table4_averages_pairs_over_models():
    bent = WORLD | {"x1": (1, 5, 0)}
    corpora = {
        "wikitext": corpus(vectors(**WORLD), vectors(**bent)),
        "nyt": corpus(vectors(**WORLD)),
    }
    table = table4.evidence(corpora, LISTS, SETS, (1, 9), 5, 1)
    found = cells(summarised(table4, table))
    cell = found["X | Y", "coherence"]
    by_hand = [by_plain_loops(w, ("x1", "x2", "z"), ("y1", "y2"))[0] for w in (WORLD, bent)]
    assert by_hand[0] != by_hand[1]
    assert cell["value"] == pytest.approx(np.mean(by_hand), abs=1e-6)
    for column, place in (("coherence@unit", 0), ("set similarity@unit", 1)):
        scaled = [by_plain_loops(w, ("x1", "x2", "z"), ("y1", "y2"), True) for w in (WORLD, bent)]
        mean = np.mean([numbers[place] for numbers in scaled])
        assert found["X | Y", column]["value"] == pytest.approx(mean, abs=1e-6)
    assert found["X | Y", "set similarity"]["value"] != pytest.approx(mean, abs=1e-3)
    assert cell["note"].startswith("too few: 2 seeds")
    printed = found["x1 x2 | y1 gone", "coherence"]
    assert printed["value"] == pytest.approx(
        by_plain_loops(WORLD, ("x1", "x2"), ("y1",))[0], abs=1e-6
    )
    assert (printed["n"], printed["n_of"]) == (1, 2)
    assert not any("missing" in row for row, _ in found)


def test_table4_ranks_our_generated_pairs():
    made = cloud()
    args = ({}, {"gathered_pairs": [], "generated": []})
    table = table4.evidence({"nyt": made}, args[1], {}, (10, 900), 12, 1)
    assert table["row"].nunique() == 12
    assert (table.groupby("row")["model"].nunique() == 3).all()
    words = {word for text in table["words"] for word in text.replace("|", " ").split()}
    assert all(made.tags[word] == "noun" for word in words)
    found = cells(summarised(table4, table))
    shown = [found[f"generated {i}", "coherence"] for i in range(1, 7)]
    means = sorted(table.groupby("row")["coherence"].mean())
    assert_allclose([r["value"] for r in shown], [*means[:-4:-1], *means[2::-1]])
    assert shown[0]["note"] in set(table["words"])
    medians = table.groupby("model")["coherence"].median()
    assert found["generated all", "coherence"]["value"] == pytest.approx(medians.mean())
    assert found["generated all", "coherence"]["n"] == 12
