"""Recovery over corpora and trainings: what varies, what is averaged, and a test that is right."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from socialbias.config import Config
from socialbias.embeddings.options import TRAINING
from socialbias.papers.validation import recovery_corpora, recovery_scores
from socialbias.papers.validation.planted_design import DIRECT, NULL, SECOND
from tests.declared import DECLARATIONS
from tests.worlds import cells, job_with

LEVEL = 0.95
BASE = recovery_corpora.DESIGN.base[0]


def settings(corpora: int, trainings: int, tokens: int = 50_000, epochs: int = 5) -> dict:
    """As the steps declare: the recovery has a setting of its own for `negative`."""
    config = Config().bad_seeds
    found = {f"bad_seeds.{key}": getattr(config, key) for key in TRAINING if key != "negative"}
    found |= {"bad_seeds.dimensions": 30, "bad_seeds.epochs": epochs, "seed": 3}
    recovery = {"negative": 5, "corpora": corpora, "trainings": trainings, "corpus_tokens": tokens}
    return found | {f"trustworthy.recovery.{key}": number for key, number in recovery.items()}


@pytest.mark.long  # trains 8 models
def test_vectors_differ_by_corpus_and_training_and_text_by_corpus(tmp_path):
    evidence = recovery_corpora.measure(job_with(**settings(2, 2, epochs=1)))
    vectors, text = (
        evidence[evidence["measure"] == name].pivot(
            index="target", columns=["corpus", "training"], values="measured"
        )
        for name in ("word2vec weat", "text")
    )
    assert list(vectors.columns) == [(0, 0), (0, 1), (1, 0), (1, 1)]
    assert len(np.unique(vectors.iloc[0])) == 4
    assert list(text.columns) == [(0, 0), (1, 0)]
    assert (text[0, 0] != text[1, 0]).any()
    assert (evidence.groupby(["measure", "target"])["truth"].nunique() == 1).all()
    # A corpus is the same however many trainings there are and whoever measures it.
    one = replace(job_with(**settings(2, 1, epochs=1)), cores=2, parts=tmp_path)
    same = evidence[evidence["training"] == 0].reset_index(drop=True)
    pd.testing.assert_frame_equal(recovery_corpora.measure(one), same)
    declared = DECLARATIONS.artefacts["validation_recovery_corpora"].cells()
    found = set(cells(recovery_corpora.values(evidence, job_with())))
    assert found <= {(c.row, c.column) for c in declared}


def rows(corpus: int, training: int, kind: str, truth, measured, flagged=0.0, **others):
    about = {"target": [f"{kind}{i}" for i in range(len(truth))], "kind": kind, "measure": "text"}
    about |= {"truth": truth, "measured": measured, "flagged": flagged}
    about |= {"corpus": corpus, "training": training, "low": np.nan, "high": np.nan}
    return pd.DataFrame(about | {"frequency": 1.0} | others)


def table_of(parts) -> pd.DataFrame:
    return pd.concat(parts, ignore_index=True)


def test_values_by_hand():
    truth, far = np.array([0.2, 0.5, 0.8]), np.array([0.4, 0.7, 0.9])
    half = 0.65 + 0.5 * (truth - 0.65)
    table = table_of(
        [
            rows(0, 0, DIRECT, truth, truth, [1.0, 1, 0]),
            rows(1, 0, DIRECT, truth, half, [1.0, 0, 0]),
            rows(1, 1, DIRECT, truth, truth, [1.0, 1, 1]),
            rows(0, 0, SECOND, far, 1 - far),
            rows(1, 0, SECOND, far, far),
            rows(0, 0, NULL, np.full(2, 0.65), [0.65, 0.75], [0.0, 1]),
            rows(1, 0, NULL, np.full(2, 0.65), [0.65, 0.55], [0.0, np.nan]),
        ]
    )
    found = cells(recovery_corpora.values(table, job_with()))
    number = {column: cell["value"] for (_, column), cell in found.items()}
    # Trainings are averaged within their corpus: (1 + (1/2 + 1)/2) / 2.
    expected = {
        "slope@direct": 0.875,
        "slope@second-order": 0,
        "spearman@second-order": 0,
        "alarms@direct": 6 / 9,
        "alarms@null": 1 / 3,
        "corrected@direct": 0,  # two controls allow no p-value below 1/3
    }
    assert {column: number[column] for column in expected} == pytest.approx(expected)
    assert {cell["n"] for cell in found.values()} == {2}


def test_intervals_are_students_over_corpora():
    rng = np.random.default_rng(5)
    truth, slopes = np.array([0.2, 0.5, 0.8]), 1 + 0.1 * rng.standard_normal(8)
    table = table_of(
        [rows(c, t, DIRECT, truth, slope * truth) for c, slope in enumerate(slopes) for t in (0, 1)]
    )
    cell = cells(recovery_corpora.values(table, job_with()))["text", "slope@direct"]
    expected = stats.t.interval(LEVEL, 7, slopes.mean(), stats.sem(slopes))
    assert (cell["ci_low"], cell["ci_high"]) == pytest.approx(expected, abs=0.02)
    assert cell["n"] == 8


def test_controls_are_those_of_other_corpora():
    numbers = np.linspace(-0.1, 0.1, 19)
    null = [rows(c, 0, NULL, np.full(19, BASE), BASE + numbers) for c in range(2)]
    far = rows(0, 0, DIRECT, [BASE] * 3, [BASE + 0.11, BASE + 0.09, np.nan])
    own = rows(0, 1, NULL, np.full(19, BASE), BASE + 9 * numbers)  # widens those of corpus 1 alone
    table = table_of([*null, far, own])
    flags = pd.Series(recovery_corpora.corrected(table, True))
    direct = flags[table["kind"] == DIRECT]
    assert direct.tolist()[:2] == [1, 0]  # p = 1/20 and 3/20, by the 19 of corpus 1
    assert np.isnan(direct.iloc[2])
    alone = table[table["corpus"] == 1]
    assert np.isnan(recovery_corpora.corrected(alone, True)).all()


def test_controls_are_the_nearest_in_frequency():
    near = rows(0, 0, NULL, np.full(39, BASE), BASE + np.linspace(-0.1, 0.1, 39))
    far = rows(1, 0, NULL, np.full(39, BASE), BASE + np.linspace(-0.9, 0.9, 39), frequency=8.0)
    target = rows(2, 0, DIRECT, [BASE], [BASE + 0.11], frequency=1.5)
    table = table_of([near, far, target])
    assert recovery_corpora.corrected(table, True)[-1] == 1  # 1 / 40
    table.loc[len(table) - 1, "frequency"] = 7.0
    assert recovery_corpora.corrected(table, True)[-1] == 0


def test_a_slope_is_that_of_the_line_and_a_share_that_of_the_worlds(monkeypatch):
    x = np.arange(10.0)
    planted = pd.DataFrame(
        {"planted": x, "measured": 3 * x + 1, "flagged": x > 5, "kind": recovery_scores.PLANTED}
    )
    none = pd.DataFrame(
        {"planted": 0.0, "measured": x, "flagged": x > 8, "kind": recovery_scores.NULL}
    )
    table = pd.concat([planted, none]).assign(measure="m")
    monkeypatch.setattr(recovery_scores, "of_predictions", lambda seed: table.to_dict("records"))
    monkeypatch.setattr(recovery_scores, "of_choices", lambda seed: [])
    found = {cell["column"]: cell["value"] for cell in recovery_scores.summarise(job_with())}
    assert found == pytest.approx(
        {"slope": 3, "spearman": 1, "alarms@null": 0.1, "alarms@planted": 0.4}
    )
