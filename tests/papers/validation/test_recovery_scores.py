"""Planted gaps are what metrics and scores say, and tests alarm no more than they admit."""

import numpy as np
import pandas as pd
import pytest

from socialbias.papers.validation import recovery_scores
from socialbias.papers.validation.recovery_scores import NULL, PLANTED
from tests.declared import DECLARATIONS
from tests.worlds.jobs import job_with
from tests.worlds.numbers import cells


@pytest.mark.long  # a simulation
def test_what_is_planted_in_predictions_and_scores_is_recovered():
    found = cells(recovery_scores.summarise(job_with(seed=3, **{"intervals.replicates": 200})))
    declared = DECLARATIONS.artefacts["validation_recovery_scores"].cells()
    unknown = {("icat", "alarms@null"), ("icat", "alarms@planted")}
    assert {(c.row, c.column) for c in declared} - set(found) == unknown
    for name in ("ss", "lms"):  # a score that counts recovers its chance whole
        assert found[name, "slope"]["ci_low"] <= 1 <= found[name, "slope"]["ci_high"]
        assert found[name, "spearman"]["value"] > 0.9
    alarms = [cell for (_, column), cell in found.items() if column == f"alarms@{NULL}"]
    assert all(cell["ci_low"] <= 0.05 for cell in alarms)
    # Gaps that shift errors are found, but not by accuracy.
    assert found["Average Score Difference", "spearman"]["value"] > 0.8
    assert found["Average Score Difference", f"alarms@{PLANTED}"]["ci_low"] > 0.3
    accuracy = found["Accuracy Difference", "slope"]
    assert accuracy["ci_low"] <= 0 <= accuracy["ci_high"]


def test_a_slope_is_that_of_the_line_and_a_share_that_of_the_worlds(monkeypatch):
    x = np.arange(10.0)
    planted = pd.DataFrame({"planted": x, "measured": 3 * x + 1, "flagged": x > 5, "kind": PLANTED})
    none = pd.DataFrame({"planted": 0.0, "measured": x, "flagged": x > 8, "kind": NULL})
    table = pd.concat([planted, none]).assign(measure="m")
    monkeypatch.setattr(recovery_scores, "of_predictions", lambda seed: table.to_dict("records"))
    monkeypatch.setattr(recovery_scores, "of_choices", lambda seed: [])
    found = {cell["column"]: cell["value"] for cell in recovery_scores.summarise(job_with())}
    assert found == pytest.approx(
        {"slope": 3, "spearman": 1, "alarms@null": 0.1, "alarms@planted": 0.4}
    )
