"""Documents that move a measure: regressions against their definition, and trainings."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose
from sklearn.linear_model import Ridge

from socialbias.corpora.documents import Document
from socialbias.corpora.prepared import Corpus as Prepared
from socialbias.embeddings.train import Options, train
from socialbias.papers.bad_seeds import documents
from tests.papers.bad_seeds.worlds import WORLD, by_plain_loops
from tests.worlds import cells, summarised, vectors


def one_by_one(name, trainer, samples):
    return [trainer(sample) for sample in samples]


@pytest.fixture
def draws():
    rng = np.random.default_rng(4)
    counts = rng.multinomial(40, np.full(40, 1 / 40), size=12)
    return counts, counts @ np.linspace(0, 1, 40) + rng.normal(size=12)


@pytest.mark.parametrize("ridge", [0.01, 1.0, 30.0])
def test_influences_are_least_squares_with_the_penalty_as_further_rows(draws, ridge):
    counts, measures = draws
    centred = counts - counts.mean(axis=0)
    root = np.sqrt(ridge * (centred**2).sum() / len(counts))
    rows = np.vstack([centred, root * np.eye(40)])
    oracle = np.linalg.lstsq(rows, np.r_[measures - measures.mean(), np.zeros(40)])[0]
    assert_allclose(documents.influences(counts, measures, ridge), oracle, atol=1e-9)


def test_left_out_fit_is_that_of_a_plain_loop(draws):
    counts, measures = draws
    errors, spread_ = 0.0, 0.0
    for i in range(12):
        rest = np.arange(12) != i
        centred = counts[rest] - counts[rest].mean(axis=0)
        model = Ridge(alpha=(centred**2).sum() / 11).fit(counts[rest], measures[rest])
        errors += (model.predict(counts[i : i + 1])[0] - measures[i]) ** 2
        spread_ += (measures[rest].mean() - measures[i]) ** 2
    found, _ = documents.left_out_r2(counts, measures, 1, 0, np.random.default_rng(0))
    assert found == pytest.approx(1 - errors / spread_)


def test_a_measure_made_by_few_groups_is_predicted_and_significant():
    rng = np.random.default_rng(0)
    counts = rng.integers(0, 9, size=(12, 2))
    measures = counts @ [1.0, -2]
    fit, p_value = documents.left_out_r2(counts, measures, 1e-6, 99, rng)
    assert (fit > 0.99, p_value) == (True, 0.01)


def test_top_documents_on_both_sides():
    table = documents.top_documents([0.1, -3, 0, 2], ["a", "b", "c", "d"], 3)
    rows = table[["document", "influence", "side"]].to_numpy().tolist()
    assert rows == [["d", 2, "raises"], ["a", 0.1, "raises"], ["b", -3, "lowers"]]


def test_validation_trains_without_the_top_and_without_random_documents():
    weights = np.ones(30)
    weights[[3, 7]] = 10
    calls = []

    def trainer(kept):
        calls.append(kept)
        return {"heavy": float(weights[kept].sum()), "size": float(len(kept)), "lost": np.nan}

    rows = {"heavy": weights, "size": np.ones(30), "lost": weights}
    lengths = np.full(30, 20)
    removals = documents.random_removals(lengths, 19, np.random.default_rng(0))
    table = documents.validate(trainer, rows, lengths, removals, one_by_one)
    assert len(calls) == 1 + 19 + 3  # the random removals are trained once for all rows
    kinds = table["kind"].value_counts().to_dict()
    assert kinds == {"without random": 57, "all": 3, "without top": 3}
    assert set(table["documents"]) == {0, 3}  # a tenth of the words
    tops = table[table["kind"] == "without top"].set_index("row")
    assert tops.loc["heavy", "change"] == -21
    # every removal changes the number of documents alike: nothing speaks for the top
    assert (tops.loc["size", "change"], tops.loc["size", "p_value"]) == (-3, 1)
    random = table[(table["kind"] == "without random") & (table["row"] == "heavy")]
    assert set(random["change"]) <= {-3, -12, -21}
    as_low = 1 + (random["change"] == -21).sum()
    assert tops.loc["heavy", "p_value"] == pytest.approx(as_low / 20)
    assert np.isnan(tops.loc["lost", "p_value"])


def prepared_of(words, tokens, lengths):
    """A prepared corpus of these tokens, with documents of these lengths."""
    tokens, ends = np.array(tokens, np.uint32), np.cumsum([0, *lengths])
    counts = np.bincount(tokens, minlength=len(words))
    return Prepared(words, counts, tokens, ends, ends, {})


def test_a_sample_ends_with_the_document_that_reaches_its_words():
    one = prepared_of(("w",), [0] * 200, [10] * 20)
    chosen = documents.sampled(one, 45, np.random.default_rng(0))
    assert len(chosen) == 5
    assert (np.diff(chosen) > 0).all()
    other = documents.sampled(one, 45, np.random.default_rng(1))
    assert chosen.tolist() != other.tolist()
    assert documents.sampled(one, 0, np.random.default_rng(0)).tolist() == list(range(20))
    assert documents.sampled(one, 10**6, np.random.default_rng(0)).tolist() == list(range(20))


def test_a_model_that_lacks_a_seed_measures_nothing():
    # Without y2 the number would be of another set; "" stands for a seed that no model measures.
    pair = {"p": (("x1", "x2", ""), ("y1", "y2", "z"))}
    whole = documents.measures_of(vectors(**WORLD), pair)
    gap, _, _ = by_plain_loops(WORLD, ("x1", "x2"), ("y1", "y2", "z"))
    assert whole["p, coherence"] == pytest.approx(gap, abs=1e-6)
    assert not np.isnan(list(whole.values())).any()
    less = vectors(**{word: at for word, at in WORLD.items() if word != "y2"})
    assert np.isnan(list(documents.measures_of(less, pair).values())).all()
    text = Document("7", "", {"title": "WASP @-@ 76 b"})
    assert documents.name_of(text) == "WASP-76 b"
    assert documents.name_of(Document("sport/001.txt", "", {})) == "sport/001.txt"


def test_the_seeds_of_every_training_are_told_from_counts():
    # x stands in two documents, y in one, z nowhere: without the first document y is gone.
    words = ("w", "x", "y", "z")
    made = prepared_of(words, [0, 1, 2, 2, 0, 1, 1, 0, 0], [4, 3, 2])
    pairs_ = {"p": (("x", "y", "w"), ("w", "z", "x"))}
    every = [[1, 1, 1], [1, 2, 0], [0, 2, 1]]

    def seeds(taken, least=1):
        return documents.in_every_training(made, np.arange(3), taken, pairs_, least)

    assert set(seeds(every[:2]).words) == {"w", "x", "y"}
    assert set(seeds(every).words) == {"w", "x"}
    assert set(seeds([[1, 1, 1]], 3).words) == {"w", "x"}
    assert documents.only(pairs_, seeds(every)) == {"p": (("x", "", "w"), ("w", "", "x"))}
    counted = documents.seeds_of(pairs_, seeds(every))
    assert counted == {"p, coherence": (2, 3), "p, explained variance": (2, 3)}
    for taken in every:
        model = train(made, np.repeat(np.arange(3), taken), Options(dimensions=2, min_count=1), 1)
        assert set(model.vectors.words) >= set(seeds(every).words)


def test_regressions_leave_out_what_has_no_numbers(draws):
    counts, measures = draws
    names = [f"d{i}" for i in range(40)]
    rows = {"m": measures, "flat": np.ones(12), "few": [1.0, 2, 3, 4, *[np.nan] * 8]}
    table, coefficients = documents.regressions(pd.DataFrame(rows), counts, names, 1)
    assert set(table["row"]) == {"m"} == set(coefficients)
    best = np.argmax(documents.influences(counts, measures))
    assert table.loc[table["kind"] == "raises", "document"].iloc[0] == f"d{best}"
    groups = table[table["kind"] == "groups"].iloc[0]
    parts = [counts[:, :14], counts[:, 14:27], counts[:, 27:]]
    sums = np.stack([part.sum(axis=1) for part in parts], axis=1)
    fit, _ = documents.left_out_r2(sums, measures, 0, 0, np.random.default_rng(0))
    assert groups["number"] == pytest.approx(fit)
    assert 1 / 200 <= groups["p_value"] <= 1


def test_documents_from_training_to_cells():
    """Twelve documents of two kinds: in one of them x goes with p, and y with q."""
    texts = [[0, 2, 4] * 30 if i % 2 else [1, 3, 5] * 30 for i in range(12)]
    made = prepared_of(("x", "y", "p", "q", "good", "bad"), np.concatenate(texts), [90] * 12)
    options = Options(dimensions=4, min_count=1, epochs=1)
    pair = {"pair": (("x", "p"), ("y", "q"))}
    names = [f"d{i}" for i in range(12)]
    settings = (options, 8, 5, 1, one_by_one)
    table = documents.evidence(made, np.arange(12), names, pair, *settings)
    again = documents.evidence(made, np.arange(12), names, pair, *settings)
    pd.testing.assert_frame_equal(table, again)
    found = cells(summarised(documents, table))
    row = "pair, explained variance"
    assert found[row, "left-out R2"]["n"] == 8
    name, _, few = found[row, "raises 1"]["note"].partition("; ")
    assert name in names
    assert few == found[row, "without random"]["note"] == "too few: 2 seeds, fewer than 3"
    assert found[row, "without top"]["n"] == 2
    assert found[row, "without top"]["p_value"] in [i / 6 for i in range(1, 7)]
    random = table[(table["kind"] == "without random") & (table["row"] == row)]["number"]
    cell = found[row, "without random"]
    assert (cell["n"], cell["value"]) == (5, pytest.approx(random.mean()))
    assert random.min() <= cell["ci_low"] <= cell["ci_high"] <= random.max()
