"""Psychometrics on planted scores: what was planted is found, and named; short forms."""

import numpy as np
import pandas as pd
import pytest

from socialbias.measures.datasets.stereoset import TASKS
from socialbias.papers.stereoset import psychometrics
from socialbias.papers.stereoset.items import CORRECTED, LIKELIHOOD, PSEUDO
from socialbias.papers.stereoset.pairs import PUBLISHED as PAPERS
from socialbias.papers.stereoset.psychometrics import (
    HEADS,
    ONE_SCORE,
    SHARE,
    annotators_agreement,
    errors_of_short_forms,
    summarise,
)
from tests.paths import PUBLISHED
from tests.worlds import cells, job_with, numbers

TERMS, ITEMS, EFFECT = 24, 12, 2.0  # items of a term in a task
INTRA, INTER = TASKS
OWN = "my-model"


def planted_items() -> pd.DataFrame:
    """Items of both tasks, of which three, four or five annotators agree in turn."""
    rows = []
    for task in TASKS:
        for k in range(TERMS * ITEMS):
            labels = ["stereotype"] * (3 + k % 3) + ["unrelated"] * (2 - k % 3)
            item = {"split": "development", "task": task, "item": f"{task}-{k}", "labels": labels}
            item |= {"target": f"term {k // ITEMS:02d}", "domain": "race"}
            rows += [item | {"gold": gold} for gold in ("stereotype", "unrelated")]
    return pd.DataFrame(rows)


def scores_of(items, row, chance, rng, scheme=LIKELIHOOD):
    """Scores that prefer the stereotype with a chance: .6, .4 of the other, .1 of the unrelated."""
    table = items.drop_duplicates("item")[["split", "task", "item", "target", "domain"]]
    stereotype = np.where(rng.uniform(size=len(table)) < chance, 0.6, 0.4)
    sides = {"stereotype": stereotype, "anti-stereotype": 1 - stereotype, "unrelated": 0.1}
    return table.assign(row=row, scheme=scheme, **sides)


@pytest.fixture(scope="module")
def tables():
    """Scorers that respond to a common trait, but RoBERTa base, which goes against it.

    The trait rises by `EFFECT` from no annotator's agreement to that of all.
    """
    rng, items = np.random.default_rng(5), planted_items()
    shared = annotators_agreement(items).to_numpy()
    theta = EFFECT * (shared - shared.mean()) + rng.standard_normal(len(shared))
    parts = []
    for row in PAPERS:
        loading = -2 if row == "roberta-base" else 2
        chance = 1 / (1 + np.exp(-0.3 - loading * theta))
        parts.append(scores_of(items, row, chance, rng))
    return {"items": items, "predictions": pd.concat(parts, ignore_index=True)}


def job_of(**tables):
    inputs = {"published/stereoset_table6": PUBLISHED / "stereoset_table6.csv"}
    inputs |= {f"evidence/stereoset/{name}": table for name, table in tables.items()}
    return job_with(inputs, seed=11)


def found_in(**tables) -> dict:
    return cells(summarise(job_of(**tables)))


@pytest.fixture(scope="module")
def result(tables):
    return found_in(**tables)


def test_what_is_planted_is_found(result):
    for task in ("intra", "inter"):
        cell = result["annotators", f"all@{task}"]
        assert 0 < cell["ci_low"] <= EFFECT <= cell["ci_high"]
    for row in (row for row in PAPERS if row != "ensemble"):
        cell = result[row, "loading@inter"]
        assert (cell["value"] < 0) == ("below 0" in cell["note"]) == (row == "roberta-base")
    assert ("ensemble", "loading@inter") not in result
    # Each size is fitted with its own models.
    assert result["roberta-base", "smaller@intra"]["ci_high"] < 0
    assert result["bert-large", "larger@intra"]["ci_low"] > 0
    absent = {("bert-base", "larger@intra"), ("gpt2-medium", "smaller@intra")}
    assert absent.isdisjoint(result)
    for task in ("intra", "inter"):
        plain, holm = result["pairs", f"all@{task}"], result["pairs holm", f"all@{task}"]
        assert plain["n_of"] == plain["n"] == 55
        assert 0 <= holm["value"] <= plain["value"] <= 55
    # A head is above one half for one of two meaningful candidates.
    assert result["bert-base", "head@meaningful"]["value"] == 0.5
    assert result["bert-base", "head@unrelated"]["value"] == 0
    assert ("sentiment", "head@meaningful") not in result
    assert annotators_agreement(planted_items()).iloc[:4].tolist() == [0.6, 0.8, 1.0, 0.6]


def test_ranks_are_those_of_the_shares(tables, result):
    scores = tables["predictions"]
    intra = scores[scores["task"] == INTRA]
    ss = (intra["stereotype"] > 0.5).groupby(intra["row"]).mean()  # terms have equally many items
    for row, rank in ss.rank(ascending=False).items():
        cell = result[row, "rank@intra"]
        assert cell["value"] == rank
        assert cell["ci_low"] <= rank <= cell["ci_high"]


def test_numbers_of_print_are_counted_by_digits(tables, tmp_path):
    """Half of each term's items: an lms of 100, an ss of 50, and so an icat of 100."""
    rows = [f"{task} {row}" for task in ("intra", "inter") for row in PAPERS]
    printed = [f"{row},{key}," for row in rows for key in ("lms,100.0", "ss,50.0", "icat,99.9")]
    path = tmp_path / "printed.csv"
    path.write_text("\n".join(["row,column,value,note", *printed]))
    scores = tables["predictions"].copy()
    mine = scores.index[(scores["row"] == "bert-base") & (scores["task"] == INTRA)]
    half = np.where(np.arange(len(mine)) % 2 == 0, 0.6, 0.4)
    scores.loc[mine, "stereotype"], scores.loc[mine, "anti-stereotype"] = half, 1 - half
    job = job_of(**tables | {"predictions": scores})
    job.files["published/stereoset_table6"][:] = [path]
    assert cells(summarise(job))["bert-base", "printed@intra"]["value"] == 2


def test_scorings_agree_as_often_as_planted(tables):
    items = tables["items"]
    intra = items[items["task"] == INTRA]
    rng = np.random.default_rng(2)
    first = scores_of(intra, OWN, 0.5, rng, LIKELIHOOD)
    n = len(first)
    second = first.assign(scheme=CORRECTED)
    turned = np.arange(n) % 4 == 0  # a quarter of the items is decided the other way
    sides = ["stereotype", "anti-stereotype"]
    second.loc[turned, sides] = second.loc[turned, sides[::-1]].to_numpy()
    own = pd.concat([first, second, first.assign(scheme=PSEUDO)], ignore_index=True)
    got = found_in(items=items, **{f"scores_{OWN}": own})
    cell = got[OWN, "released-corrected@intra"]
    assert "decided alike on 75 % of the items" in cell["note"]
    a, b = (part["stereotype"].to_numpy() > 0.5 for part in (first, second))
    chance = a.mean() * b.mean() + (1 - a.mean()) * (1 - b.mean())
    assert cell["value"] == pytest.approx((0.75 - chance) / (1 - chance))
    assert cell["n"] == n
    assert got[OWN, "released-pseudo@intra"]["value"] == 1
    assert (OWN, "reliability@overall") not in got  # it has one task


def test_without_predictions_only_own_models_have_cells(tables):
    own = scores_of(tables["items"], OWN, 0.5, np.random.default_rng(3))
    result = found_in(items=tables["items"], **{f"scores_{OWN}": own})
    assert {row for row, _ in result} == {OWN}
    assert result[OWN, "released-corrected@intra"]["note"] == ONE_SCORE  # as a causal model


TERMS_OF_ITEMS = [f"term {i % 20}" for i in range(2000)]


def test_items_of_models_that_decide_alike_can_be_predicted():
    decided = (np.random.default_rng(1).uniform(size=(2000, 1)) < 0.5).astype(float)
    random, regression = errors_of_short_forms(np.repeat(decided, 3, axis=1), TERMS_OF_ITEMS)
    assert regression == pytest.approx(0, abs=1e-12)
    assert (random > 0.01).all()


def test_independent_decisions_err_as_a_sample_does():
    decided = (np.random.default_rng(1).uniform(size=(2000, 5)) < 0.5).astype(float)
    random, regression = errors_of_short_forms(decided, TERMS_OF_ITEMS)
    expected = np.sqrt(0.25 / 200 * (1 - SHARE))  # drawn without replacement
    assert random == pytest.approx(expected, rel=0.15)
    assert regression == pytest.approx(random, rel=0.05)


def test_short_forms_have_every_cell(tables):
    records = list(psychometrics.summarise_short_forms(job_of(**tables)))
    found = numbers(records)
    assert len(found) == len(records) == 2 * (3 * len(HEADS) + 4)
    phi = [found[name, "phi@intra"] for name in HEADS]
    assert found["models", "phi@intra"] == pytest.approx(np.mean(phi))
    assert found["roberta-base", "phi@intra"] < 0  # planted to go against the others
    assert list(psychometrics.summarise_short_forms(job_of())) == []
