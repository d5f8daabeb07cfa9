"""Table 8 on a small world, against SciPy, plain loops and lists of every subset of words."""

from itertools import combinations
from math import exp, sqrt

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose
from scipy import stats

from socialbias.embeddings.vectors import WordVectors
from socialbias.papers.trustworthy import table8
from tests.records import values_table
from tests.worlds.jobs import summarised

WOMEN, MEN = [f"w{i}" for i in range(5)], [f"m{i}" for i in range(5)]
LISTS = {"female": [*WOMEN, "absent"], "male": MEN}
TARGETS = ["clerk", "nurse", "pilot", "judge", "baker", "unknown"]
KNOWN = TARGETS[:-1]
DRAWS = 30


def world(words=(*WOMEN, *MEN, *KNOWN)):
    """Words with positive coordinates, so that no cosine is negative."""
    matrix = np.abs(np.random.default_rng(1).normal(size=(len(words), 4))).astype(np.float32)
    return WordVectors(tuple(words), matrix)


def evidence_of(embeddings, sizes=(2, 5), draws=DRAWS, seed=1):
    return table8.evidence(embeddings, LISTS, TARGETS, sizes, draws, seed)


@pytest.fixture(scope="module")
def table():
    return evidence_of({"emb word2vec": world()})


@pytest.fixture(scope="module")
def cells(table):
    return {r["column"]: r for r in summarised(table8, table, **{"intervals.level": 0.9})}


def strengths(target, women=WOMEN, men=MEN):
    """Cosines of a target with the mean of each list, in plain loops."""
    vectors = {w: v.astype(float) for w, v in zip(*words_and_vectors(), strict=True)}
    result = []
    for words in (women, men):
        mean = [sum(vectors[w][k] for w in words) / len(words) for k in range(4)]
        inner = sum(a * b for a, b in zip(vectors[target], mean, strict=True))
        lengths = [sqrt(sum(a * a for a in v)) for v in (vectors[target], mean)]
        result.append(inner / lengths[0] / lengths[1])
    return result


def words_and_vectors():
    data = world()
    return data.words, data.matrix


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
            for women in combinations(WOMEN, 2)
            for men in combinations(MEN, 2)
        ]
    )
    drawn = grid(table, "lists-2", "direction")
    assert drawn.shape == (DRAWS, len(KNOWN))
    nearest = [np.abs(possible - row).max(axis=1).argmin() for row in drawn]
    assert_allclose(drawn, possible[nearest], atol=1e-9)
    assert len(set(nearest)) > DRAWS / 2  # of 100 pairs of lists
    assert_allclose(grid(table, "lists-2", "magnitude"), 2 * np.abs(drawn), atol=1e-12)


def test_lists_of_all_words_are_the_default(table, cells):
    everything = grid(table, "lists-5", "direction")
    assert_allclose(everything, grid(table, "default", "direction").repeat(DRAWS, axis=0))
    assert cells["lists-5 spearman_rho@direction"]["value"] == pytest.approx(1)


@pytest.mark.parametrize("what", ["direction", "magnitude"])
def test_the_direction_does_not_know_the_divergence(cells, what):
    # With two groups l2 is l1 / sqrt(2), and the direction is a share: by identity all are 1.
    for statistic in ("spearman_rho", "pearson_r2"):
        assert cells[f"l2 {statistic}@{what}"]["value"] == pytest.approx(1)


@pytest.mark.parametrize("name", ["softmax", "lists-2"])
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
    first = grid(table, "lists-2", "direction")[0]
    one = cells["lists-2 spearman_rho@one-draw"]
    assert one["value"] == pytest.approx(stats.spearmanr(default, first).statistic)
    assert "ci_low" not in one
    assert {c.split()[0] for c in cells if c.endswith("@one-draw")} == {"lists-2", "lists-5"}


def test_a_few_draws_without_a_correlation_are_left_out_and_told(table):
    flat = table.copy()
    draws = flat[flat["column"].str.startswith("lists-")]["draw"]
    row = flat["row"].iloc[0]
    name = flat.loc[draws.index[0], "column"]
    of_it = (flat["row"] == row) & (flat["column"] == name)
    n = flat.loc[of_it, "draw"].nunique()
    few = int(n * 0.05)
    flat.loc[of_it & (flat["draw"] >= n - few), "direction"] = 0
    found = {(r["row"], r["column"]): r for r in summarised(table8, flat)}
    cell = found[row, f"{name} spearman_rho@direction"]
    assert cell["note"] == f"{few} of {n} draws have no correlation"
    assert not np.isnan(cell["value"])
    flat.loc[of_it & (flat["draw"] > 0), "direction"] = 0
    found = {(r["row"], r["column"]): r for r in summarised(table8, flat)}
    assert (row, f"{name} spearman_rho@direction") not in found
    assert (row, f"{name} spearman_rho@one-draw") in found


def test_with_one_draw_there_is_no_variant_and_no_range():
    table = evidence_of({"emb word2vec": world()}, draws=1)
    records = summarised(table8, table)
    assert not [r for r in records if "one-draw" in r["column"] or "ci_low" in r]


def test_the_draws_are_reproducible_and_one_embedding_does_not_move_another(table):
    pair = {"emb glove": world(), "emb word2vec": world()}
    again = evidence_of(pair)
    again = again[again["row"] == "emb word2vec"].reset_index(drop=True)
    pd.testing.assert_frame_equal(again, table, check_exact=True)
    other = evidence_of({"emb word2vec": world()}, seed=2)
    assert (other["direction"] != table["direction"]).any()


def test_each_embedding_is_a_row_with_its_targets():
    other = world((*WOMEN, *MEN, *KNOWN[:3]))
    table = evidence_of({"emb word2vec": world(), "emb glove": other})
    records = summarised(table8, table)
    counted = {(r["row"], r["n"], r["n_of"]) for r in records}
    assert counted == {("emb word2vec", 5, 8), ("emb glove", 3, 8)}


@pytest.mark.parametrize("left_out", [WOMEN[:1], KNOWN])
def test_an_embedding_with_too_few_words_or_no_target_is_left_out(left_out):
    words = [w for w in (*WOMEN, *MEN, *KNOWN) if w not in left_out]
    table = evidence_of({"emb word2vec": world(words)})
    assert table.empty
    assert summarised(table8, table) == []


def test_with_a_single_target_there_is_still_a_table_of_values():
    table = evidence_of({"emb word2vec": world((*WOMEN, *MEN, "clerk"))})
    records = summarised(table8, table)
    values_table("table8", [{"note": ""} | record for record in records], 1)
