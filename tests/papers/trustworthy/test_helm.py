"""HELM's variant beside the paper's measure, on directed biases given by hand."""

import pandas as pd
import pytest

from socialbias.papers.trustworthy.directed import directed
from socialbias.papers.trustworthy.helm import evidence, values
from tests.worlds.corpora import corpus
from tests.worlds.jobs import job_with
from tests.worlds.numbers import numbers

WORDS = ["a", "b", "c", "d"]


def biases(shares):
    """Directed bias of words that stand in 20 documents, by their female share."""
    rows = [
        {"target": word, "document": i, "female": share, "male": 1 - share, "contexts": 1}
        for word, share in shares.items()
        for i in range(20)
    ]
    return directed(pd.DataFrame(rows).assign(corpus_documents=20), 0.95, "t")


def cells(ours, helms):
    return numbers(values("samples", ours, helms, ["a"], job_with()))


def test_both_measures_stand_side_by_side():
    ours = biases({"a": 1.0, "b": 0.9, "c": 0.2, "d": 0.5})
    helms = biases({"a": 0.7, "b": 0.8, "c": 0.4, "d": 0.5})
    result = cells(ours, helms)
    assert result["a", "samples"] == pytest.approx(0.5)
    assert result["a", "samples-helm"] == pytest.approx(0.2)
    # (.5 + .4 + .3 + 0) / 4 and (.2 + .3 + .1 + 0) / 4
    assert result["mean-size", "samples"] == pytest.approx(0.3)
    assert result["mean-size", "samples-helm"] == pytest.approx(0.15)
    # Ranks 4 3 1 2 and 3 4 1 2: 1 - 6 * 2 / 60.
    assert result["rho", "samples-helm"] == pytest.approx(0.8)


def test_without_one_of_the_texts_there_is_no_comparison():
    result = cells(None, biases(dict.fromkeys(WORDS, 0.4)))
    assert set(result) == {("a", "samples-helm"), ("mean-size", "samples-helm")}


def test_weights_divide_by_the_lengths_of_the_lists(tmp_path):
    text = corpus(tmp_path, ["she met a nurse and him ."])
    lists = {"female": ["she", "her"], "male": ["he", "him", "his", "john"]}
    table = evidence(text, ["nurse"], lists)
    assert table[["female", "male", "contexts"]].values.tolist() == [[0.5, 0.25, 1]]
