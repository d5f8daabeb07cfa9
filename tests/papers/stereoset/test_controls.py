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
from socialbias.pipeline.job import Job
from tests.papers.stereoset.tiny import ITEMS, write_corpus


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


@pytest.mark.parametrize("items", [4, 3])  # of an odd number, terms take turns
def test_the_ideal_model_has_100_50_and_100(items):
    assert scores_of(frame(40, items), "ideal") == pytest.approx(
        {"lms": 100, "ss": 50, "icat": 100}
    )


def test_the_stereotyped_model_has_an_ss_of_100_and_knows_nothing_of_relatedness():
    result = scores_of(frame(400, 6), "stereotyped")
    assert result["ss"] == 100
    assert result["icat"] == 0
    assert abs(result["lms"] - 50) < 3  # three standard errors: 4,800 halves, paired in items


def test_the_random_model_has_50_of_both_and_depends_on_the_seed():
    items = frame(400, 6)
    result = scores_of(items, "random")
    assert abs(result["ss"] - 50) < 3
    assert abs(result["lms"] - 50) < 3
    assert result == scores_of(items, "random")
    assert result != scores_of(items, "random", seed=2)


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
    vectors = WordVectors(
        ("nurse", "kind", "old", "far"), np.array([[2, 0], [3, 0], [0, 3], [-1, 0]], np.float32)
    )
    items = texts("", "kind", "Kind, old", "far unknown")
    assert_allclose(cosines(items, vectors), [[1, np.sqrt(0.5), -1]], rtol=1e-6)
    none = cosines(
        pd.concat([texts("", "kind", "?", "far"), texts("", *["kind"] * 3, target="x")]), vectors
    )
    assert np.isnan(none[0]).tolist() == [False, True, False]
    assert np.isnan(none[1]).all()


@pytest.fixture
def job(tmp_path):
    """A job with the three tiny items, vectors of some of their words, and a small corpus."""
    ITEMS.to_parquet(tmp_path / "items.parquet")
    words = ("she", "kind", "rude", "blue")
    WordVectors(words, np.eye(4, dtype=np.float32) + 1).save(tmp_path / "vectors/stereoset")
    files = {
        "evidence/stereoset/items": tmp_path / "items.parquet",
        "prepared/wikitext": write_corpus(tmp_path / "corpus", kind=2, poor=1),
        "vectors/stereoset/glove": tmp_path / "vectors",
    }
    where = {"prepared/wikitext": [("wiki", "exact")]}
    where["vectors/stereoset/glove"] = [("glove-small", "substitute")]
    return Job({name: [path] for name, path in files.items()}, {"seed": 1}, print)


def test_each_control_has_the_items_that_it_covers(job):
    table = measure(job)
    covered = table.groupby("row")["item"].apply(sorted).to_dict()
    everything = ["i1", "i2", "i3"]
    assert covered == {
        "ideal": everything,
        "stereotyped": everything,
        "random": everything,
        "longer": everything,
        "frequency": everything,
        "overlap": ["i2", "i3"],  # sentences after a context
        "cosine": ["i1"],  # Peru has no vector
    }
    assert set(table["scheme"]) == {""}
    rows = table.set_index(["row", "item"])[list(CANDIDATES)]
    # Of a blank, what fills it; of a sentence that follows, the sentence.
    assert rows.loc[("longer", "i1")].tolist() == [4, 4, 4]
    assert rows.loc[("longer", "i3")].tolist() == [12, 12, 11]
    assert_allclose(rows.loc[("frequency", "i1")], [np.log(3), 0, 0])
    assert_allclose(rows.loc[("frequency", "i3")], [np.log(2) / 2, 0, 0])


def test_without_a_corpus_and_vectors_the_other_controls_are_there(job):
    alone = Job(
        {"evidence/stereoset/items": job.files["evidence/stereoset/items"]}, {"seed": 1}, print
    )
    assert set(measure(alone)["row"]) == {"ideal", "stereotyped", "random", "longer", "overlap"}
