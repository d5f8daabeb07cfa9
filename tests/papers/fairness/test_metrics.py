"""Table 2, Table 7 and Figures 1 and 2 on numbers that were worked out by hand."""

import numpy as np
import pandas as pd
import pytest

from socialbias.papers.fairness import data_tables, figure1, figure2, figure3, metrics, model_tables
from socialbias.papers.fairness.heat import normalised
from socialbias.papers.fairness.metrics import (
    ABOVE,
    ORDER,
    corrected,
    summed_up,
    terms_of,
)
from tests.worlds.fairness import DEALS
from tests.worlds.jobs import job_with
from tests.worlds.numbers import cells, numbers, printed


def test_table_2_has_the_marks_that_print_counts():
    ours, table = numbers(data_tables.table2(None)), printed("fairness", "table2")
    for cell in table.itertuples(index=False):
        assert ours[cell.row, cell.column] == float(cell.value), cell
    assert len(table) == 22 + 6


def test_rows_are_normalised_by_their_largest_absolute_value():
    numbers = np.array([[1.0, -4.0, np.nan], [1.0, 3.0, 0.0], [0.0, 0.0, 0.0]])
    result = normalised(numbers, np.array([[0.0], [1.0], [0.0]]))
    np.testing.assert_array_equal(result, [[0.25, -1, np.nan], [0, 1, -0.5], [0, 0, 0]])


def test_a_term_of_two_groups_or_classes_is_two_terms():
    rows = [("Dominican", "adj", "q1"), ("Dominican", "adj", "q4"), ("Dominican", "n", "q1")]
    assert terms_of(pd.DataFrame(rows, columns=["term", "word_class", "group"])).nunique() == 3


def _row(metric, number, null):
    deals = np.array([null - 0.5, null + 0.5])
    return {
        "metric": metric, "version": "published", "class_": "positive", "value": number,
        "null_mean": null, "sampled": np.array([number, number + 2]), "dealt": deals,
    }  # fmt: skip


def test_an_attribute_is_the_mean_of_shares_of_the_largest():
    rows = {"FPED": _row("FPED", 2.0, 1.0), "FNED": _row("FNED", 1.0, 0.5)}
    order, above = summed_up(rows, {"FPED": 4.0, "FNED": 2.0}, "gender@binary", 0.95)
    assert (order["row"], order["value"], above["row"], above["value"]) == (ORDER, 0.5, ABOVE, 0.25)
    assert order["column"] == above["column"] == "gender@binary"
    # Samples of 2 and 4 (1 and 3) are centred to 1 and 3 (0 and 2).
    assert {*np.round(above["draws"] - above["value"], 1)} <= {-0.4, 0.4, -0.3, 0.3}
    assert abs(np.mean(above["draws"]) - 0.25) < 1e-9


def test_an_absolute_gap_is_judged_less_its_noise_and_a_signed_one_as_it_is():
    # Samples are larger by 1, the value by 1 (far from 0) to 1 / (sqrt(2) - 1) (no difference).
    draws = corrected(_row("FPED", 5.0, 1.0))
    assert np.mean(draws) == pytest.approx(5 - (1 + 1 + np.sqrt(2)) / 2, abs=0.05)
    # A value of 5 with noise of 6^2 - 5^2 is 6 on average: samples of 4 gain more than of 6.
    low, high = (np.mean(draws[(draws > 3.3) == above]) for above in (False, True))
    added = np.sqrt(16 + 11) - 4, np.sqrt(36 + 11) - 6
    assert high - low == pytest.approx(2 + (1 + np.sqrt(0.5)) * (added[0] - added[1]), abs=0.05)
    assert np.mean(corrected(_row("PosAvgEG", 0.3, 0.1))) == pytest.approx(0.3)
    assert np.mean(corrected(_row("FPR Ratio", 5.0, 1.0))) == pytest.approx(5)


SUITE = pd.DataFrame(
    [
        ("gender", source, 2 * (source % 2), group, f"{group}{i}", "adj")
        for source in range(6)
        for group in "abc"
        for i in range(2)
    ],
    columns=["attribute", "source", "label", "group", "term", "word_class"],
)


@pytest.fixture
def job():
    """Group a has every positive example missed; the others have none."""
    missed = (SUITE["group"] == "a") | (SUITE["label"] == 0)
    positive = np.where(missed, 0.2, 0.7) + np.arange(len(SUITE)) / 1000
    table = SUITE.assign(negative=1 - positive, neutral=np.nan, positive=positive)
    return job_with({"evidence/fairness/sentiment_binary": table}, **DEALS)


def test_metrics_of_a_group_that_is_always_missed(job):
    job.files[metrics.METRICS_EVIDENCE] = [metrics.measure(job)]
    found = cells(figure1.summarise(job))
    result = {row: found[row, "gender@binary"]["value"] for row in figure1.ROWS}
    # FNR 1, 0, 0 and 1/3 of all; TPR differs by 1 in two pairs of three.
    assert result["FNED"] == pytest.approx(2 / 3 + 1 / 3 + 1 / 3)
    assert result["FNED*"] == pytest.approx(result["FNED"] / 3)
    assert result["TPR Gap"] == pytest.approx(2 / 3)
    assert result["FPED"] == result["TNR Gap"] == 0
    assert found["FNED", "gender@binary-null"]["n"] == DEALS["fairness.deals"]
    groups = numbers(figure2.summarise(job))
    assert groups["FNED", "gender a@binary"] == pytest.approx(2 / 3)
    assert groups["FNR Ratio", "gender b@binary"] == 0
    assert groups["PosAvgEG", "gender a@binary"] == -0.5  # below all others
    assert groups["FNED", "gender all@binary"] == result["FNED"]
    assert groups[ABOVE, "gender a@binary"] > groups[ABOVE, "gender b@binary"]


def test_effects_of_templates_that_agree():
    ordered = np.arange(12.0).reshape(4, 3)
    np.testing.assert_allclose(model_tables.effects(ordered, 1), 1)
    np.testing.assert_allclose(model_tables.effects(ordered[:, :2], 1), -1)
    # Two templates for and two against: on average over samples the sum of ranks is as large.
    opposed = np.vstack([ordered, ordered[:, ::-1]])
    assert model_tables.effects(opposed, 1).mean() < 0.3


def test_p_values_of_groups(job):
    found = cells(model_tables.table7(job))
    p, effect = (found["gender", f"semeval-2 {name}@positive"] for name in ("p", "effect"))
    assert p["note"] == "Friedman, 3 groups"
    assert effect["unit"] == "Kendall's W"
    assert p["p_value"] == p["value"] < 0.05
    assert 0.5 < effect["value"] <= 1


@pytest.mark.parametrize(
    "summarise",
    [figure1.summarise, figure2.summarise, figure3.summarise, model_tables.table7],
)
def test_without_evidence_there_are_no_numbers(summarise):
    assert list(summarise(job_with())) == []
