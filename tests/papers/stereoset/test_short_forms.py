"""Short forms: models that decide alike need few items, independent ones need them all."""

import numpy as np
import pytest

from socialbias.papers.stereoset.psychometrics import HEADS, SHARE, errors_of_short_forms
from socialbias.papers.stereoset.psychometrics import summarise_short_forms as summarise
from tests.papers.stereoset.test_psychometrics import job_of, tables  # noqa: F401

TERMS = [f"term {i % 20}" for i in range(2000)]


def test_items_of_models_that_decide_alike_can_be_predicted():
    decided = (np.random.default_rng(1).uniform(size=(2000, 1)) < 0.5).astype(float)
    random, regression = errors_of_short_forms(np.repeat(decided, 3, axis=1), TERMS)
    assert regression == pytest.approx(0, abs=1e-12)
    assert (random > 0.01).all()


def test_independent_decisions_err_as_a_sample_does():
    decided = (np.random.default_rng(1).uniform(size=(2000, 5)) < 0.5).astype(float)
    random, regression = errors_of_short_forms(decided, TERMS)
    expected = np.sqrt(0.25 / 200 * (1 - SHARE))  # drawn without replacement
    assert random == pytest.approx(expected, rel=0.15)
    assert regression == pytest.approx(random, rel=0.05)


def test_every_cell_is_there(tmp_path, tables):  # noqa: F811
    records = list(summarise(job_of(tmp_path, **tables)))
    cells = {(each["row"], each["column"]): each["value"] for each in records}
    assert len(cells) == len(records) == 2 * (3 * len(HEADS) + 4)
    phi = [cells[name, "phi@intra"] for name in HEADS]
    assert cells["models", "phi@intra"] == pytest.approx(np.mean(phi))
    assert cells["roberta-base", "phi@intra"] < 0  # planted to go against the others
    assert list(summarise(job_of(tmp_path / "none"))) == []
