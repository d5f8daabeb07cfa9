"""Table 8 on a small world, against SciPy, plain loops and lists of every subset of words."""

from itertools import combinations
from math import exp, sqrt

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose
from scipy import stats

from socialbias.papers.trustworthy import table8
from tests.worlds import job_with, summarised, vectors

WOMEN, MEN = [f"w{i}" for i in range(5)], [f"m{i}" for i in range(5)]
LISTS = {"female": [*WOMEN, "absent"], "male": MEN}
TARGETS = ["clerk", "nurse", "pilot", "judge", "baker", "unknown"]
KNOWN = TARGETS[:-1]
DRAWS = 30


# Positive, so that no cosine is negative.
MATRIX = np.abs(np.random.default_rng(1).normal(size=(15, 4)).astype(np.float32))
WORDS = dict(zip((*WOMEN, *MEN, *KNOWN), MATRIX.astype(float), strict=True))


def evidence_of(seed=1, **lacking):
    """Evidence of word2vec and of other embeddings, without the words that they lack."""
    embeddings = {
        name: vectors(**{w: v for w, v in WORDS.items() if w not in words})
        for name, words in lacking.items()
    }
    lists = {"gender": {"v": LISTS}, "table3_targets": TARGETS}
    settings = {"trustworthy.word_lists": ["v"], "trustworthy.word_list_draws": DRAWS}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(table8, "read_vectors", lambda *_: embeddings)
        return table8.measure(job_with({"word_lists/trustworthy": lists}, seed=seed, **settings))


def cells_of(table):
    return {r["column"]: r for r in summarised(table8, table, **{"intervals.level": 0.9})}


@pytest.fixture(scope="module")
def table():
    return evidence_of(word2vec=[])


@pytest.fixture(scope="module")
def cells(table):
    return cells_of(table)


def strengths(target, women=WOMEN, men=MEN):
    """Cosines of a target with the mean of each list, in plain loops."""
    result = []
    for words in (women, men):
        mean = [sum(WORDS[w][k] for w in words) / len(words) for k in range(4)]
        inner = sum(a * b for a, b in zip(WORDS[target], mean, strict=True))
        lengths = [sqrt(sum(a * a for a in v)) for v in (WORDS[target], mean)]
        result.append(inner / lengths[0] / lengths[1])
    return result


def grid(table, perturbation, what):
    part = table[table["column"] == perturbation]
    return part.pivot(index="draw", columns="unit", values=what)[KNOWN].to_numpy()


def test_the_default_and_its_perturbations_are_those_of_plain_loops(table):
    for i, target in enumerate(KNOWN):
        f, m = strengths(target)
        lean = f / (f + m) - 0.5
        soft = exp(f) / (exp(f) + exp(m)) - 0.5
        expected = {"default": (lean, 2 * abs(lean)), "l2": (lean, sqrt(2) * abs(lean))}
        expected["softmax"] = (soft, 2 * abs(soft))
        for name, (direction, magnitude) in expected.items():
            assert grid(table, name, "direction")[:, i] == pytest.approx([direction])
            assert grid(table, name, "magnitude")[:, i] == pytest.approx([magnitude])


def test_lists_cut_down_are_words_drawn_without_replacement(table):
    possible = np.array(
        [
            [f / (f + m) - 0.5 for f, m in (strengths(t, women, men) for t in KNOWN)]
            for women in combinations(WOMEN, 3)
            for men in combinations(MEN, 3)
        ]
    )
    drawn = grid(table, "lists-3", "direction")
    assert drawn.shape == (DRAWS, len(KNOWN))
    nearest = [np.abs(possible - row).max(axis=1).argmin() for row in drawn]
    assert_allclose(drawn, possible[nearest], atol=1e-9)
    assert len(set(nearest)) > DRAWS / 2  # of 100 pairs of lists
    assert_allclose(grid(table, "lists-3", "magnitude"), 2 * np.abs(drawn), atol=1e-12)


def test_lists_of_all_words_are_the_default(table, cells):
    everything = grid(table, "lists-5", "direction")
    assert_allclose(everything, grid(table, "default", "direction").repeat(DRAWS, axis=0))
    assert cells["lists-5 spearman_rho@direction"]["value"] == pytest.approx(1)


@pytest.mark.parametrize("name", ["softmax", "lists-3"])
@pytest.mark.parametrize("what", ["direction", "magnitude"])
def test_values_are_the_median_and_range_of_scipys_correlations(table, cells, name, what):
    default = grid(table, "default", what)[0]
    rows = grid(table, name, what)
    rho = [stats.spearmanr(default, row).statistic for row in rows]
    r2 = [stats.pearsonr(default, row).statistic ** 2 for row in rows]
    for statistic, draws in (("spearman_rho", rho), ("pearson_r2", r2)):
        record = cells[f"{name} {statistic}@{what}"]
        assert record["value"] == pytest.approx(np.median(draws))
        if name == "softmax":  # a single value, without a range
            assert "ci_low" not in record
        else:
            bounds = [record["ci_low"], record["ci_high"]]
            assert bounds == pytest.approx(np.quantile(draws, [0.05, 0.95]))


def test_one_draw_is_the_first_of_the_draws(table, cells):
    default = grid(table, "default", "direction")[0]
    first = grid(table, "lists-3", "direction")[0]
    one = cells["lists-3 spearman_rho@one-draw"]
    assert one["value"] == pytest.approx(stats.spearmanr(default, first).statistic)
    assert "ci_low" not in one
    assert {c.split()[0] for c in cells if c.endswith("@one-draw")} == {"lists-3", "lists-5"}


def test_a_few_draws_without_a_correlation_are_left_out_and_told(table):
    of_it = table["column"] == "lists-3"
    flat = table.copy()
    flat.loc[of_it & (flat["draw"] == 1), "direction"] = 0  # one of thirty
    found = cells_of(flat)
    assert found["lists-3 spearman_rho@direction"]["note"] == "1 of 30 draws have no correlation"
    assert not np.isnan(found["lists-3 spearman_rho@direction"]["value"])
    flat.loc[of_it & (flat["draw"] > 0), "direction"] = 0
    found = cells_of(flat)
    assert "lists-3 spearman_rho@direction" not in found
    assert "lists-3 spearman_rho@one-draw" in found


def test_the_draws_are_an_embeddings_own_and_those_of_a_seed(table):
    both = evidence_of(glove=KNOWN[3:], word2vec=[])
    counted = {(r["row"], r["n"], r["n_of"]) for r in summarised(table8, both)}
    assert counted == {("emb word2vec", 5, 8), ("emb glove", 3, 8)}
    again = both[both["row"] == "emb word2vec"].reset_index(drop=True)
    pd.testing.assert_frame_equal(again, table, check_exact=True)
    assert (evidence_of(seed=2, word2vec=[])["direction"] != table["direction"]).any()


@pytest.mark.parametrize("lacking", [WOMEN[:1], KNOWN])
def test_an_embedding_with_too_few_words_or_no_target_is_left_out(lacking):
    assert summarised(table8, evidence_of(word2vec=lacking)) == []


def test_vectors_of_all_words_are_as_good_as_those_of_more(table, monkeypatch):
    assert not table["whole"].any()
    monkeypatch.setitem(LISTS, "female", WOMEN)
    monkeypatch.setattr("tests.papers.trustworthy.test_table8.TARGETS", KNOWN)
    assert all(cell["whole"] for cell in cells_of(evidence_of(word2vec=[])).values())
