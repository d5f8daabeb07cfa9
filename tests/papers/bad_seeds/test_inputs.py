"""What all artefacts share: seed sets, counts of seeds, intervals, corpora."""

from math import sqrt

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose

from socialbias.papers.bad_seeds.inputs import (
    fewest,
    over_models,
    read_corpus,
    records_of,
    sign_p,
    too_few,
    unigrams,
)
from tests.worlds.vectors import vectors


def test_unigrams_are_single_words_in_lower_case():
    assert unigrams([" Mary", "hair_salon", "two words", "sue-ellen", ""]) == ("mary", "sue-ellen")


def test_a_pair_is_as_good_as_its_weaker_set():
    model = vectors(a=(1, 0), b=(0, 1), c=(1, 1))
    assert fewest(model, ["a", "b", "c"], ["a", "x", "y", "a"]) == {"n": 1, "n_of": 3}
    assert fewest(model, ["a", "b", "c", "a"]) == {"n": 3, "n_of": 3}
    assert fewest(model, ["a"], []) == {"n": 0, "n_of": 0}


@pytest.mark.parametrize(
    ("n", "n_of", "start"),
    [(3, 6, ""), (3, 7, "too few: 3 of 7"), (2, 3, "too few: 2 seeds"), (8, 8, "")],
)
def test_too_few_is_under_three_words_or_below_half(n, n_of, start):
    assert too_few(n, n_of).startswith(start)
    assert bool(too_few(n, n_of)) == bool(start)


def interval_of(*arguments):
    found = over_models(*arguments)
    return [found[name] for name in ("value", "ci_low", "ci_high")]


def test_the_interval_over_models_is_students():
    mean, low, high = interval_of([1.0, 2, 4, np.nan], 0.95)
    # 4.302653 is the t table's entry for 2 degrees of freedom; the variance is 7/3
    assert mean == pytest.approx(7 / 3)
    # and the mean of three adds a third of it
    assert high - mean == pytest.approx(4.302653 * sqrt(7 / 3 * 4 / 3), rel=1e-6)
    assert mean - low == pytest.approx(high - mean)
    assert interval_of([0.2, 0.9], 0.95, 0, 1)[1:] == [0, 1]
    assert_allclose(interval_of([0.5], 0.95), [0.5, np.nan, np.nan])
    assert np.isnan(interval_of([], 0.95)).all()


def test_draws_over_models_keep_to_their_bounds_and_the_sign_to_the_interval():
    found = over_models([0.2, 0.9], 0.95, 0, 1)
    assert (found["draws"].min(), found["draws"].max()) == (0, 1)
    numbers = [1.0, 2, 4]
    wide = over_models(numbers, 0.5)
    assert np.quantile(wide["draws"], 0.25) == pytest.approx(wide["ci_low"], abs=0.1)
    edge = over_models(numbers, 1 - sign_p(numbers))  # the interval that just holds 0
    assert edge["ci_low"] == pytest.approx(0, abs=1e-9)
    assert np.isnan(sign_p([1.0, np.nan]))


def test_too_few_seeds_are_said_in_the_note():
    table = pd.DataFrame({"model": [0, 1], "x": [0.5, 0.7], "n": [4, 3], "n_of": 8})
    (record,) = records_of("r", "c", table, "x", 0.95, "cosine")
    assert (record["n"], record["n_of"]) == (3, 8)
    assert record["note"].startswith("too few: 3 of 8 seeds")
    assert records_of("r", "c", table.assign(x=np.nan), "x", 0.95, "cosine") == []


def test_a_corpus_is_read_from_what_preparing_training_and_tagging_write(tmp_path):
    vectors(she=(1, 0), null=(0, 1)).save(tmp_path / "0")
    text = tmp_path / "text"
    text.mkdir()
    arrays = {"tokens": [0, 0, 1, 0], "documents": [0, 1, 1, 4], "sentences": [0, 4]}
    for name, numbers_ in {**arrays, "counts": [3, 1]}.items():
        np.save(text / f"{name}.npy", np.array(numbers_, dtype=np.int64))
    (text / "vocabulary.txt").write_bytes(b"she\nnull\n")
    (text / "report.json").write_text("{}")
    tags = pd.DataFrame({"word": ["she", "null"], "tag": ["other", "noun"], "tagged": 1})
    tags.to_parquet(tmp_path / "tags.parquet")
    found = read_corpus([tmp_path / "0"], text, tmp_path / "tags.parquet")
    assert found.models[0].words == ("she", "null")
    assert (found.counts, found.documents) == ({"she": 3, "null": 1}, 3)
    assert found.tags == {"she": "other", "null": "noun"}
    assert read_corpus([tmp_path / "0"], text).tags == {}
    assert read_corpus([tmp_path / "0"]).counts == {}
