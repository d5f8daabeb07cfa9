"""Scorers without a language model: by hand, and what the baselines must score."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose

from socialbias.embeddings.vectors import WordVectors
from socialbias.measures.stereoset import CANDIDATES, summary, term_scores
from socialbias.papers.stereoset.controls import (
    baselines,
    cosines,
    frequencies,
    lengths,
    measure,
    overlaps,
)
from tests.worlds.corpora import prepared
from tests.worlds.jobs import job_with
from tests.worlds.stereoset import ITEMS
from tests.worlds.vectors import vectors


def frame(terms, items):
    """So many terms with so many items each."""
    rows = [(f"t{term:03}", f"t{term} {k}") for term in range(terms) for k in range(items)]
    table = pd.DataFrame(rows, columns=["target", "item"])
    return table.assign(split="development", task="intrasentence")


def scores_of(items, row, seed=1):
    result = baselines(items, seed)[row]
    return {
        name: score.value
        for name, score in summary(term_scores(result, items["target"].tolist()), 1).items()
    }


@pytest.mark.parametrize(
    ("row", "items", "expected"),
    [
        ("ideal", (40, 4), {"lms": 100, "ss": 50, "icat": 100}),
        ("ideal", (40, 3), {"lms": 100, "ss": 50, "icat": 100}),  # of an odd number they take turns
        ("stereotyped", (400, 6), {"ss": 100, "icat": 0, "lms": pytest.approx(50, abs=3)}),
        ("random", (400, 6), dict.fromkeys(("ss", "lms"), pytest.approx(50, abs=3))),
    ],
)
def test_baselines_score_what_they_must(row, items, expected):
    """Three is three standard errors of 4,800 halves, paired in items."""
    found = scores_of(frame(*items), row)
    assert {name: found[name] for name in expected} == {
        name: pytest.approx(score) if isinstance(score, int) else score
        for name, score in expected.items()
    }
    assert (scores_of(frame(*items), row, seed=2) != found) == (row != "ideal")


def texts(context, *candidates, target="nurse"):
    row = {"target": target, "context": context} | dict(zip(CANDIDATES, candidates, strict=True))
    return pd.DataFrame([row])


def test_lengths_and_words_of_the_context():
    items = texts("The nurse sings.", "She sings; the song.", "He?", "3 %")
    assert lengths(items).tolist() == [[20, 3, 3]]
    # she, sings, the, song: two of four; he: none of one; no words.
    assert overlaps(items).tolist() == [[2 / 4, 0, 0]]


def test_frequency_is_the_mean_logarithm_of_counts_plus_one():
    items = texts("", "A song", "song, song", "!")
    counts = {"a": 99, "song": 9}
    ten = np.log(10)
    assert_allclose(frequencies(items, counts), [[(2 * ten + ten) / 2, ten, 0]])


def test_cosines_of_target_and_mean_candidate():
    space = vectors(nurse=(2, 0), kind=(3, 0), old=(0, 3), far=(-1, 0))
    items = texts("", "kind", "Kind, old", "far unknown")
    assert_allclose(cosines(items, space), [[1, np.sqrt(0.5), -1]], rtol=1e-6)
    lacking = [texts("", "kind", "?", "far"), texts("", *["kind"] * 3, target="x")]
    none = cosines(pd.concat(lacking), space)
    assert np.isnan(none).tolist() == [[False, True, False], [True] * 3]


@pytest.fixture
def inputs(tmp_path):
    """The three tiny items, vectors of some of their words, and a small corpus."""
    WordVectors(("she", "kind", "rude", "blue"), np.eye(4) + 1).save(tmp_path / "vectors/stereoset")
    return {
        "evidence/stereoset/items": ITEMS,
        "prepared/wikitext": prepared(tmp_path / "corpus", ["kind kind poor"]),
        "vectors/stereoset/glove": tmp_path / "vectors",
    }


def test_each_control_has_the_items_that_it_covers(inputs):
    table = measure(job_with(inputs))
    covered = table.groupby("row")["item"].apply(sorted).to_dict()
    everywhere = ("ideal", "stereotyped", "random", "longer", "frequency")
    expected = {row: ["i1", "i2", "i3"] for row in everywhere}
    # Sentences after a context; Peru has no vector.
    assert covered == expected | {"overlap": ["i2", "i3"], "cosine": ["i1"]}
    assert set(table["scheme"]) == {""}
    rows = table.set_index(["row", "item"])[list(CANDIDATES)]
    # Of a blank, what fills it; of a sentence that follows, the sentence.
    assert rows.loc[("longer", "i1")].tolist() == [4, 4, 4]
    assert rows.loc[("longer", "i3")].tolist() == [12, 12, 11]
    assert_allclose(rows.loc[("frequency", "i1")], [np.log(3), 0, 0])
    assert_allclose(rows.loc[("frequency", "i3")], [np.log(2) / 2, 0, 0])
    alone = measure(job_with({"evidence/stereoset/items": ITEMS}))
    assert set(alone["row"]) == {*covered} - {"frequency", "cosine"}
