"""Recovery: the text and vector measures held against a planted truth, and what is said of it."""

from itertools import pairwise

import numpy as np
import pandas as pd
import pytest

from socialbias.papers.validation import recovery
from socialbias.papers.validation.planted_corpus import write
from socialbias.papers.validation.planted_design import DIRECT, NULL, SECOND, Design
from socialbias.stats.seeding import generator
from tests.oracles.slow_text import association_counts
from tests.worlds import cells, corpus, summarised, vectors

SMALL = Design(direct=4, second_order=4, null=4)


@pytest.fixture(scope="module")
def small():
    return write(SMALL, 20_000, generator(3, "small")).prepared()


def test_shares_are_those_of_the_oracle(small):
    targets = SMALL.words[DIRECT]
    documents = []
    for i, (first, last) in enumerate(pairwise(small.documents)):
        cuts = small.sentences[(small.sentences >= first) & (small.sentences <= last)] - first
        documents.append([small.texts(i)[a:b] for a, b in pairwise(cuts)])
    counts = association_counts(documents, {t: [t] for t in targets}, SMALL.groups, 1)
    shares = recovery.text_shares(small, targets, SMALL.groups, 0.95)
    for i, target in enumerate(targets):
        expected = [counts[target][group] for group in SMALL.groups]
        assert shares.n[i] == sum(expected)
        assert shares.share[i] == pytest.approx(np.array(expected) / sum(expected))


def test_the_chain_by_hand(tmp_path):
    texts = [
        "a x1 o o o . a x2 o o o .",  # the target beside both attributes
        "a x1 o o o .",
        "x1 g1 o o o . x1 g1 o o o . x1 g2 o o o . x1 g1 g2 o o .",  # 2 to 1; both do not count
        "x2 g2 o o o .",
    ]
    classes, groups = {"one": ["x1"], "two": ["x2"]}, {"one": ["g1"], "two": ["g2"]}
    text = corpus(tmp_path, texts, lower="never")
    found = recovery.chained_shares(text, ["a", "b"], classes, groups, 0.95)
    # Beside `a` twice x1, with the share 2/3 of the first group, and once x2, with none of it.
    assert found.share[0] == pytest.approx([4 / 9, 5 / 9])
    assert np.isnan(found.share[1]).all()
    assert found.clusters.tolist() == [2, 0]


def test_text_finds_direct_targets_and_the_chain_the_others(small):
    table = recovery.text_evidence(small, SMALL, 0.95, "text")
    assert list(table.columns) == recovery.COLUMNS
    kinds = table.groupby("measure")["kind"].unique().map(set).to_dict()
    assert kinds == {"text": {DIRECT, NULL}, "text chain": {SECOND}}
    assert (table["measured"] - table["truth"]).abs().max() < 0.25
    assert ((table["low"] <= table["measured"]) & (table["measured"] <= table["high"])).all()
    biased = table["flagged"] == 1
    base = SMALL.base[0]
    outside = (table["low"] > base) | (table["high"] < base)
    assert (biased == outside).all()


@pytest.fixture
def made():
    """Group words near two axes, targets at known angles, null targets on the diagonal."""
    rng = np.random.default_rng(0)
    design = Design(direct=4, second_order=0, null=2, base=(0.5, 0.5))
    rows = {
        word: np.eye(3)[axis] + 0.05 * rng.standard_normal(3)
        for axis, group in enumerate(design.groups.values())
        for word in group
    }
    truths = design.targets[["target", "truth 0", "truth 1"]].itertuples(index=False)
    return design, vectors(**rows | {target: (*shares, 0) for target, *shares in truths})


def test_measures_on_vectors_that_are_right(made):
    design, space = made
    names = ["divdist", "weat", "garg-cosine", "manzini"]
    table = recovery.vector_evidence(space, design, "made", names, 200, 1)
    by_measure = dict(iter(table.groupby("measure")))
    weat = by_measure["made weat"].set_index("target")
    assert weat["measured"].corr(weat["truth"], "spearman") == pytest.approx(1)
    assert (weat.loc[weat["kind"] == DIRECT, "flagged"] == 1).all()
    # In proportion to (p, 1 - p): cosines with the axes have the shares p and 1 - p again.
    divdist = by_measure["made divdist"]
    assert divdist["measured"].to_numpy() == pytest.approx(divdist["truth"].to_numpy(), abs=0.03)
    assert divdist["share"].all()
    garg = by_measure["made garg-cosine"]
    assert garg["truth"].to_numpy() == pytest.approx(np.abs(2 * weat["truth"] - 1).to_numpy())
    assert (by_measure["made manzini"]["flagged"] == 0).all()  # no division of words moves it


def evidence_of(kind, truth, measured, flagged=np.nan):
    rows = {"measure": "m", "target": [f"{kind}{i}" for i in range(len(truth))], "kind": kind}
    rows |= {"frequency": np.arange(len(truth)), "truth": truth, "measured": measured}
    rows |= {"flagged": flagged, "n": 10, "share": True, "low": np.nan, "high": np.nan}
    return pd.DataFrame(rows)


def test_values_by_hand():
    truth = np.array([0.1, 0.4, 0.5, 0.9])
    direct = evidence_of(DIRECT, truth, 0.2 + 0.5 * truth, [1, 1, 0, 1])
    others = [
        evidence_of(SECOND, truth, 1 - truth**2, 0.0),
        evidence_of(NULL, np.full(5, 0.5), [0.4, 0.5, 0.6, 0.5, 0.5], [0, 0, 1, 0, 0]),
    ]
    tables = dict(zip(recovery.EVIDENCE, (direct, pd.concat(others)), strict=True))
    found = cells(summarised(recovery, tables))
    slope = found["m", "slope@direct"]
    assert (slope["value"], slope["ci_low"], slope["ci_high"]) == pytest.approx((0.5, 0.5, 0.5))
    expected = {"spearman@direct": 1, "spearman@second-order": -1, "alarms@null": 0.2}
    expected |= {"alarms@direct": 0.75, "alarms@second-order": 0}
    for column, number in expected.items():
        assert found["m", column]["value"] == pytest.approx(number)
    # An exact ranking leaves nothing to correlate with frequency.
    alone = dict(zip(recovery.EVIDENCE, (direct[:2], direct[2:]), strict=True))
    assert ("m", "frequency") not in cells(summarised(recovery, alone))


def test_slopes_are_those_of_polyfit():
    rng = np.random.default_rng(4)
    x, y = rng.random((5, 9)), rng.random((5, 9))
    expected = [np.polyfit(a, b, 1)[0] for a, b in zip(x, y, strict=True)]
    assert recovery.rowwise_slope(x, y) == pytest.approx(expected)
    flat = np.ones((1, 9))
    assert recovery.rowwise_slope(x[:1], flat).tolist() == [0]
    assert np.isnan(recovery.rowwise_slope(flat, y[:1])).all()
