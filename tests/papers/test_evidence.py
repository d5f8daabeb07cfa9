"""The one form of evidence, and which words vectors are asked for."""

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from socialbias.embeddings.readers import READERS, WORDS
from socialbias.errors import UserError
from socialbias.papers.evidence import (
    Evidence,
    cells,
    correlation,
    counted,
    estimated,
    mean_over,
)
from socialbias.papers.word_sets import most_frequent
from socialbias.pipeline.inputs import UNORDERED
from socialbias.reporting.values import value
from socialbias.stats.correlation import Estimate
from socialbias.stats.draws import DRAWS
from socialbias.stats.reliability import Reliability
from tests.worlds import job_with, manifest


def collected() -> pd.DataFrame:
    result = Evidence()
    numbers = {"unit": ["nurse", "judge"], "bias": np.array([0.25, -0.5])}
    reliability = Reliability(0.75, 0.5, 0.9, 2, 4)
    result.add("z", "a", numbers, reliability, n=2, n_of=3, n_unit="words", whole=True)
    result.add("a", "b", pd.DataFrame({"unit": [0], "bias": 1.0}), n_of=9)
    result.add("a", "a", {"unit": ["nurse"], "bias": [2.0]}, note="few")
    return result.table()


def test_a_cell_has_its_units_and_its_facts():
    read = list(cells(collected()))
    assert [(cell.row, cell.column) for cell in read] == [("a", "a"), ("z", "a"), ("a", "b")]
    units, facts = read[1].units, read[1].facts
    assert dict(zip(units["unit"], units["bias"], strict=True)) == {"nurse": 0.25, "judge": -0.5}
    ends = [facts[f"reliability{end}"] for end in ("", "_low", "_high")]
    assert ends == [0.75, 0.5, 0.9]
    assert read[0].facts["note"] == "few"
    assert list(cells(Evidence().table())) == []


def test_the_facts_that_count_become_fields_of_a_value():
    facts = list(cells(collected()))[1].facts
    expected = {"n": 2, "n_of": 3, "n_unit": "words", "whole": True}
    assert value("z", "a", 1.0, **counted(facts)) == value("z", "a", 1.0, **expected)
    assert counted({"n_of": 9, "bias": 1}) == {"n_of": 9}


def test_an_estimate_gives_what_it_has():
    assert estimated(SimpleNamespace(value=1, low=0, high=2)) == {"ci_low": 0, "ci_high": 2}
    tested = SimpleNamespace(low=0, high=2, p_value=0.5, draws=[1], null=None, n=3)
    expected = {"ci_low": 0, "ci_high": 2, "p_value": 0.5, "draws": [1]}
    assert estimated(tested) == expected


def test_a_correlation_that_is_not_defined_is_no_value():
    fit = Estimate(0.5, 0.25, 0.75, 0.125, 9)
    [record] = correlation("z", "a", fit, n_unit="words")
    expected = {"ci_low": 0.25, "ci_high": 0.75, "p_value": 0.125, "n": 9, "n_unit": "words"}
    assert record == value("z", "a", 0.5, unit="Spearman's rho", **expected)
    assert correlation("z", "a", Estimate(*[np.nan] * 4, 2)) == []


def test_a_mean_over_units_has_the_interval_of_student():
    numbers = np.random.default_rng(1).normal(2, 1, 40)
    record = mean_over("z", "a", numbers, [f"word {i}" for i in range(40)], 0.95, 1, n_unit="words")
    low, high = stats.t.interval(0.95, 39, numbers.mean(), numbers.std(ddof=1) / np.sqrt(40))
    assert record["value"] == numbers.mean()
    assert (record["ci_low"], record["ci_high"]) == pytest.approx((low, high), abs=0.05)
    assert (record["n"], len(record["draws"])) == (40, DRAWS)


@pytest.fixture
def job(tmp_path):
    """A job that reads vectors of these formats, and GloVe if it has one."""

    def of(**formats):
        files = {}
        for role, form in formats.items():
            (tmp_path / role).mkdir()
            (tmp_path / role / "v.txt").write_text(f"the 1 2\n{role} 3 4\nrare 5 6\n")
            files[role] = manifest(tmp_path / role, role, "v.txt", format=form)
        return job_with(files)

    return of


TEXT = "glove-text"


@pytest.mark.parametrize(
    ("formats", "number", "first"),
    [
        ({"vectors": UNORDERED[0], "glove": TEXT}, 2, ["the", "glove"]),
        ({"vectors": TEXT, "glove": TEXT}, 2, ["the", "vectors"]),
        ({"vectors": TEXT, "glove": TEXT}, 0, []),
        *(
            ({"vectors": form, "glove": form, "word2vec": TEXT}, 2, ["the", "word2vec"])
            for form in UNORDERED
        ),
    ],
)
def test_words_are_in_the_order_of_the_first_vectors_that_have_one(job, formats, number, first):
    assert most_frequent(job(**formats), number) == first


@pytest.mark.parametrize("form", UNORDERED)
@pytest.mark.parametrize("other", [{}, {"glove": "npy-text", "word2vec": "npy-text"}])
def test_without_an_order_there_is_one_clear_error(job, form, other):
    unordered = job(vectors=form, **other)
    assert most_frequent(unordered, 0) == []
    with pytest.raises(UserError, match=r"vectors: its words are in no order.*inputs\.glove"):
        most_frequent(unordered, 5)


def test_every_format_has_an_order_or_none():
    decades = {"histwords"}  # has its own way
    assert set(READERS) - decades == set(WORDS) | set(UNORDERED)
