"""Psychometrics on planted scores: what was planted is found, and named."""

import numpy as np
import pandas as pd
import pytest

from socialbias.datasets.stereoset import TASKS
from socialbias.papers.stereoset.items import CORRECTED, LIKELIHOOD, PSEUDO
from socialbias.papers.stereoset.pairs import PUBLISHED
from socialbias.papers.stereoset.psychometrics import ONE_SCORE, annotators_agreement, summarise
from socialbias.pipeline.job import Job
from tests.paths import REPOSITORY

TERMS, ITEMS, EFFECT = 24, 12, 2.0  # items of a term in a task
INTRA, INTER = TASKS
OWN = "my-model"


def planted_items() -> pd.DataFrame:
    """Items of both tasks, of which three, four or five annotators agree in turn."""
    rows = []
    for task in TASKS:
        for k in range(TERMS * ITEMS):
            agree = 3 + k % 3
            labels = ["stereotype"] * agree + ["unrelated"] * (5 - agree)
            place = {"split": "development", "task": task, "item": f"{task}-{k}"}
            facts = {"target": f"term {k // ITEMS:02d}", "domain": "race", "labels": labels}
            rows.append(place | facts | {"gold": "stereotype"})
            rows.append(place | facts | {"gold": "unrelated"})
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
    for row in PUBLISHED:
        loading = -2 if row == "roberta-base" else 2
        chance = 1 / (1 + np.exp(-0.3 - loading * theta))
        parts.append(scores_of(items, row, chance, rng))
    return {"items": items, "predictions": pd.concat(parts, ignore_index=True)}


def job_of(tmp_path, **tables) -> Job:
    printed = REPOSITORY / "resources/published/stereoset_table6.csv"
    files = {"published/stereoset_table6": [printed]}
    provenance = {}
    for name, table in tables.items():
        path = tmp_path / f"{name}.parquet"
        table.to_parquet(path)
        key = f"evidence/stereoset/{name}"
        files[key] = [path]
        provenance[key] = [(name, "own" if OWN in name else "exact")]
    return Job(files, {"seed": 11, "intervals.level": 0.95}, print)


def cells(job) -> dict:
    return {(record["row"], record["column"]): record for record in summarise(job)}


@pytest.fixture(scope="module")
def result(tables, tmp_path_factory):
    return cells(job_of(tmp_path_factory.mktemp("found"), **tables))


def test_agreement_is_the_share_of_labels_on_the_stereotypical_sentence():
    shares = annotators_agreement(planted_items())
    assert shares.iloc[:4].tolist() == [0.6, 0.8, 1.0, 0.6]
    assert len(shares) == 2 * TERMS * ITEMS


@pytest.mark.long  # a simulation
def test_a_planted_loading_is_in_its_interval_and_its_sign_is_named(result):
    for row in PUBLISHED:
        if row == "ensemble":
            assert (row, "loading@inter") not in result
            continue
        cell = result[row, "loading@inter"]
        assert np.sign(cell["value"]) == (-1 if row == "roberta-base" else 1)
        assert (cell["draws"].mean() - cell["value"]) == pytest.approx(0, abs=0.1)
        assert bool(cell["note"]) == (row == "roberta-base")
    inside = [
        result[row, "loading@inter"]["ci_low"] <= 2 <= result[row, "loading@inter"]["ci_high"]
        for row in PUBLISHED
        if row not in ("ensemble", "roberta-base")
    ]
    assert sum(inside) >= 7  # of nine intervals of 95 %
    note = result["roberta-base", "loading@inter"]["note"]
    assert "below 0" in note
    assert "negatively with all 9 others" in note
    assert result["roberta-base", "rank@inter"]["note"] == note


def test_the_planted_effect_of_the_annotators_is_found(result):
    for task in ("intra", "inter"):
        cell = result["annotators", f"all@{task}"]
        assert 0 < cell["ci_low"] <= EFFECT <= cell["ci_high"]


def test_each_size_is_fitted_with_its_own_models(result):
    assert result["roberta-base", "smaller@intra"]["ci_high"] < 0
    assert result["bert-large", "larger@intra"]["ci_low"] > 0
    assert ("bert-base", "larger@intra") not in result
    assert ("gpt2-medium", "smaller@intra") not in result


def test_pairs_are_counted_out_of_55(result):
    for task in ("intra", "inter"):
        plain, holm = result["pairs", f"all@{task}"], result["pairs holm", f"all@{task}"]
        assert plain["n_of"] == plain["n"] == 55
        assert 0 <= holm["value"] <= plain["value"] <= 55


def test_ranks_are_those_of_the_shares(tables, result):
    scores = tables["predictions"]
    intra = scores[scores["task"] == INTRA]
    ss = (intra["stereotype"] > 0.5).groupby(intra["row"]).mean()  # terms have equally many items
    for row, rank in ss.rank(ascending=False).items():
        cell = result[row, "rank@intra"]
        assert cell["value"] == rank
        assert cell["ci_low"] <= rank <= cell["ci_high"]


def test_a_head_is_above_one_half_for_one_of_two_meaningful_candidates(result):
    assert result["bert-base", "head@meaningful"]["value"] == 0.5
    assert result["bert-base", "head@unrelated"]["value"] == 0
    assert ("sentiment", "head@meaningful") not in result


def test_numbers_of_print_are_counted_by_digits(tables, tmp_path):
    """Half of each term's items: an lms of 100, an ss of 50, and so an icat of 100."""
    rows = [f"{task} {row}" for task in ("intra", "inter") for row in PUBLISHED]
    printed = [f"{row},{key}," for row in rows for key in ("lms,100.0", "ss,50.0", "icat,99.9")]
    path = tmp_path / "printed.csv"
    path.write_text("\n".join(["row,column,value,note", *printed]))
    scores = tables["predictions"].copy()
    mine = scores.index[(scores["row"] == "bert-base") & (scores["task"] == INTRA)]
    half = np.arange(len(mine)) % 2 == 0
    scores.loc[mine, "stereotype"] = np.where(half, 0.6, 0.4)
    scores.loc[mine, "anti-stereotype"] = np.where(half, 0.4, 0.6)
    job = job_of(tmp_path, **tables | {"predictions": scores})
    job.files["published/stereoset_table6"][:] = [path]
    assert cells(job)["bert-base", "printed@intra"]["value"] == 2


def test_scorings_agree_as_often_as_planted(tables, tmp_path):
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
    got = cells(job_of(tmp_path, items=items, **{f"scores_{OWN}": own}))
    cell = got[OWN, "released-corrected@intra"]
    assert "decided alike on 75 % of the items" in cell["note"]
    a, b = (part["stereotype"].to_numpy() > 0.5 for part in (first, second))
    chance = a.mean() * b.mean() + (1 - a.mean()) * (1 - b.mean())
    assert cell["value"] == pytest.approx((0.75 - chance) / (1 - chance))
    assert cell["n"] == n
    assert got[OWN, "released-pseudo@intra"]["value"] == 1
    assert (OWN, "reliability@overall") not in got  # it has one task


def test_without_predictions_only_own_models_have_cells(tables, tmp_path):
    own = scores_of(tables["items"], OWN, 0.5, np.random.default_rng(3))
    job = job_of(tmp_path, items=tables["items"], **{f"scores_{OWN}": own})
    result = cells(job)
    assert {row for row, _ in result} == {OWN}
    assert result[OWN, "released-corrected@intra"]["note"] == ONE_SCORE  # as a causal model
