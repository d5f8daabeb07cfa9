"""Planted gaps are what metrics and scores say, and tests alarm no more than they admit."""

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from socialbias.measures.fairness import METRICS
from socialbias.papers.validation import recovery_scores
from socialbias.papers.validation.recovery_scores import NULL, PLANTED
from tests.declared import DECLARATIONS

LEVEL = 0.95


JOB = SimpleNamespace(seed=3, replicates=200, level=LEVEL)


@pytest.fixture(scope="module")
def cells():
    return {(cell["row"], cell["column"]): cell for cell in recovery_scores.summarise(JOB)}


@pytest.mark.long  # a simulation
def test_every_metric_but_one_that_needs_a_parser_is_measured_as_declared(cells):
    declared = DECLARATIONS.artefacts
    expected = {(c.row, c.column) for c in declared["validation_recovery_scores"].cells()}
    assert cells.keys() <= expected
    assert {row for row, _ in cells} == METRICS.keys() - {"LAS Difference"} | {"ss", "lms", "icat"}
    assert expected - cells.keys() == {("icat", "alarms@null"), ("icat", "alarms@planted")}


@pytest.mark.long  # a simulation
def test_a_score_that_counts_recovers_its_chance_whole(cells):
    for name in ("ss", "lms"):
        slope = cells[name, "slope"]
        assert slope["ci_low"] <= 1 <= slope["ci_high"]
        assert cells[name, "spearman"]["value"] > 0.9


@pytest.mark.long  # a simulation
def test_without_a_gap_no_test_alarms_more_than_chance_lets_it(cells):
    alarms = {row: cell for (row, column), cell in cells.items() if column == f"alarms@{NULL}"}
    assert all(cell["ci_low"] <= 0.05 for cell in alarms.values())


@pytest.mark.long  # a simulation
def test_gaps_that_shift_errors_are_found_but_not_by_accuracy(cells):
    assert cells["Average Score Difference", "spearman"]["value"] > 0.8
    assert cells["Average Score Difference", f"alarms@{PLANTED}"]["ci_low"] > 0.3
    accuracy = cells["Accuracy Difference", "slope"]
    assert accuracy["ci_low"] <= 0 <= accuracy["ci_high"]


def test_a_slope_is_that_of_the_line_and_a_share_that_of_the_worlds(monkeypatch):
    x = np.arange(10.0)
    planted = pd.DataFrame({"planted": x, "measured": 3 * x + 1, "flagged": x > 5, "kind": PLANTED})
    none = pd.DataFrame({"planted": 0.0, "measured": x, "flagged": x > 8, "kind": NULL})
    table = pd.concat([planted, none]).assign(measure="m")
    monkeypatch.setattr(recovery_scores, "of_predictions", lambda seed: table.to_dict("records"))
    monkeypatch.setattr(recovery_scores, "of_choices", lambda seed: [])
    found = {cell["column"]: cell["value"] for cell in recovery_scores.summarise(JOB)}
    assert found == pytest.approx(
        {"slope": 3, "spearman": 1, "alarms@null": 0.1, "alarms@planted": 0.4}
    )
