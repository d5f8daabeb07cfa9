"""Recovery: the text and vector measures held against a planted truth, and what is said of it."""

from itertools import pairwise
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from socialbias.corpora.documents import Document
from socialbias.corpora.prepare import prepare
from socialbias.corpora.prepared import Corpus
from socialbias.embeddings.vectors import WordVectors
from socialbias.papers.validation import recovery
from socialbias.papers.validation.planted_corpus import write
from socialbias.papers.validation.planted_design import DIRECT, NULL, SECOND, Design
from socialbias.stats.seeding import generator
from tests.oracles.slow_text import association_counts
from tests.records import values_table

SMALL = Design(direct=4, second_order=4, null=4)


@pytest.fixture(scope="module")
def small():
    return write(SMALL, 20_000, generator(3, "small")).prepared()


def test_shares_are_those_of_the_oracle(small):
    targets = SMALL.words[DIRECT]
    documents = [[small.texts(i)[a:b] for a, b in borders(small, i)] for i in range(small.size)]
    counts = association_counts(documents, {t: [t] for t in targets}, SMALL.groups, 1)
    shares = recovery.text_shares(small, targets, SMALL.groups, 0.95)
    for i, target in enumerate(targets):
        expected = [counts[target][group] for group in SMALL.groups]
        assert shares.n[i] == sum(expected)
        assert shares.share[i] == pytest.approx(np.array(expected) / sum(expected))


def borders(corpus, number):
    """Where the sentences of a document begin and end, from its own beginning."""
    first, last = corpus.documents[number : number + 2]
    cuts = corpus.sentences[(corpus.sentences >= first) & (corpus.sentences <= last)] - first
    return list(pairwise(cuts))


def test_the_chain_by_hand(tmp_path):
    texts = [
        "a x1 o o o . a x2 o o o .",  # the target beside both attributes
        "a x1 o o o .",
        "x1 g1 o o o . x1 g1 o o o . x1 g2 o o o . x1 g1 g2 o o .",  # 2 to 1; both do not count
        "x2 g2 o o o .",
    ]
    documents = [Document(str(i), text) for i, text in enumerate(texts)]
    prepare(documents, tmp_path, tokenizer="whitespace", lower="never")
    classes, groups = {"one": ["x1"], "two": ["x2"]}, {"one": ["g1"], "two": ["g2"]}
    found = recovery.chained_shares(Corpus.load(tmp_path), ["a", "b"], classes, groups, 0.95)
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
def vectors():
    """Group words near two axes, targets at known angles, null targets on the diagonal."""
    rng = np.random.default_rng(0)
    design = Design(direct=4, second_order=0, null=2, base=(0.5, 0.5))
    words, rows = [], []
    for axis, group in enumerate(design.groups.values()):
        for word in group:
            words.append(word)
            rows.append(np.eye(3)[axis] + 0.05 * rng.standard_normal(3))
    for target in design.targets.to_dict("records"):
        words.append(target["target"])
        rows.append([target["truth 0"], target["truth 1"], 0])
    return design, WordVectors(tuple(words), np.array(rows, np.float32))


def test_measures_on_vectors_that_are_right(vectors):
    design, made = vectors
    names = ["divdist", "weat", "garg-cosine", "manzini"]
    table = recovery.vector_evidence(made, design, "made", names, 200, 1)
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


def evidence_of(measure, kind, truth, measured, flagged=np.nan):
    n = len(truth)
    rows = {"measure": measure, "target": [f"{kind}{i}" for i in range(n)], "kind": kind}
    rows |= {"frequency": np.arange(n), "truth": truth, "measured": measured}
    rows |= {"flagged": flagged, "n": 10, "share": True, "low": np.nan, "high": np.nan}
    return pd.DataFrame(rows)


def cells(*tables):
    """Cells of the evidence of two models, by row and column."""
    found = dict(zip(recovery.EVIDENCE, tables, strict=True))
    job = SimpleNamespace(table=found.get, replicates=200, level=0.95, seed=1)
    return {(r["row"], r["column"]): r for r in recovery.summarise(job)}


def test_an_exact_ranking_leaves_nothing_to_correlate_with_frequency():
    truth = np.linspace(0.1, 0.9, 8)
    table = evidence_of("m", DIRECT, truth, 0.2 + 0.5 * truth)
    assert ("m", "frequency") not in cells(table[:4], table[4:])


def test_values_by_hand():
    truth = np.array([0.1, 0.4, 0.5, 0.9])
    others = [
        evidence_of("m", SECOND, truth, 1 - truth**2, 0.0),
        evidence_of("m", NULL, np.full(5, 0.5), [0.4, 0.5, 0.6, 0.5, 0.5], [0, 0, 1, 0, 0]),
    ]
    direct = evidence_of("m", DIRECT, truth, 0.2 + 0.5 * truth, [1, 1, 0, 1])
    found = cells(direct, pd.concat(others))
    slope = found["m", "slope@direct"]
    assert (slope["value"], slope["ci_low"], slope["ci_high"]) == pytest.approx((0.5, 0.5, 0.5))
    assert found["m", "spearman@direct"]["value"] == pytest.approx(1)
    assert found["m", "spearman@second-order"]["value"] == pytest.approx(-1)
    assert found["m", "alarms@null"]["value"] == pytest.approx(0.2)
    assert found["m", "alarms@direct"]["value"] == pytest.approx(0.75)
    assert found["m", "alarms@second-order"]["value"] == 0
    values_table("recovery", list(found.values()), 1)


def test_slopes_are_those_of_polyfit():
    rng = np.random.default_rng(4)
    x, y = rng.random((5, 9)), rng.random((5, 9))
    expected = [np.polyfit(a, b, 1)[0] for a, b in zip(x, y, strict=True)]
    assert recovery.rowwise_slope(x, y) == pytest.approx(expected)
    flat = np.ones((1, 9))
    assert recovery.rowwise_slope(x[:1], flat).tolist() == [0]
    assert np.isnan(recovery.rowwise_slope(flat, y[:1])).all()
