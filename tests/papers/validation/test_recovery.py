"""Recovery: text, vectors and models held against a planted truth, and what is said of it."""

import json
from collections import Counter
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pandas as pd
import pytest

from socialbias.models.language_models import train_gpt2
from socialbias.models.loading import load_model
from socialbias.papers.validation import recovery
from socialbias.papers.validation import recovery_contextual as contextual
from socialbias.papers.validation.planted_corpus import write
from socialbias.papers.validation.planted_design import DIRECT, NULL, SECOND, Design
from socialbias.stats.clustered import clustered_shares
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
    garg = by_measure["made garg-cosine"]
    assert garg["truth"].to_numpy() == pytest.approx(np.abs(2 * weat["truth"] - 1).to_numpy())
    assert (by_measure["made manzini"]["flagged"] == 0).all()  # no division of words moves it


def evidence_of(kind, truth, measured, flagged=np.nan):
    rows = {"measure": "m", "target": [f"{kind}{i}" for i in range(len(truth))], "kind": kind}
    rows |= {"frequency": np.arange(len(truth)), "truth": truth, "measured": measured}
    rows |= {"flagged": flagged, "n": 10, "low": np.nan, "high": np.nan}
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


PROBED = Design(direct=4, second_order=2, null=2)


@pytest.fixture(scope="module")
def written():
    return write(PROBED, 12_000, generator(3, "small"))


@pytest.fixture(scope="module")
def prepared(written):
    return written.prepared()


def test_mentions_are_sentences_with_the_word_and_their_group(prepared):
    words = list(PROBED.targets["target"])
    found = contextual.mentions(prepared, words, PROBED, 20, np.random.default_rng(1))
    sentences = list(contextual.sentences_of(prepared, words, found))
    assert max(Counter(found.words.tolist()).values()) == 20
    assert found.sentences.tolist() == sorted(found.sentences)  # in prepared order
    whole = contextual.mentions(prepared, words, PROBED, 10**6, np.random.default_rng(1))
    counts = prepared.counts[[prepared.words.index(word) for word in words]]
    assert np.bincount(whole.words).tolist() == counts.tolist()  # all where there are few
    group_of = {word: g for g, group in enumerate(PROBED.groups.values()) for word in group}
    for word, label, sentence in zip(found.words, found.labels, sentences, strict=True):
        ((start, end),) = sentence.spans
        assert sentence.text[start:end] == words[word]
        assert sentence.words == [word]
        named = {group_of[token] for token in sentence.text.split() if token in group_of}
        assert label == (named.pop() if len(named) == 1 else -1)


def test_certain_probabilities_are_counts():
    rng = np.random.default_rng(2)
    labels, words, documents = rng.integers(-1, 2, 60), rng.integers(3, size=60), np.arange(60) // 4
    chances = (labels[:, None] == np.arange(2)).astype(float)
    soft = recovery.soft_shares(chances, words, documents, 3, 0.95)
    hard = clustered_shares(labels, words, documents, 3, 2, 0.95)
    for name in ("share", "low", "high"):
        assert getattr(soft, name) == pytest.approx(getattr(hard, name))


def test_samples_that_are_the_corpus_say_what_it_says(written, prepared, tmp_path):
    lines = [json.dumps({"id": d.id, "text": d.text}) for d in written.texts()]
    lines.insert(3, json.dumps({"id": -1, "text": ""}))  # a sample may be empty
    path = tmp_path / "samples.jsonl"
    path.write_text("\n".join(lines) + "\n", "utf-8")
    found = contextual.samples_evidence(path, PROBED, "samples", 0.95)
    expected = recovery.text_evidence(prepared, PROBED, 0.95, "samples")
    pd.testing.assert_frame_equal(found, expected)


def test_a_model_is_probed_and_reduced(prepared, tmp_path):
    options = replace(contextual.GPT2, epochs=1.0)
    train_gpt2(prepared, tmp_path / "model", options, 1)
    model = load_model(tmp_path / "model", "causal", device="cpu")
    probed = contextual.probe_evidence(model, prepared, PROBED, "probe", 40, 0.95, 1)
    assert set(probed["measure"]) == {"probe", "probe decisions"}
    decided = probed[probed["measure"] == "probe decisions"]
    assert decided["n"].max() <= 40
    probed = probed[probed["measure"] == "probe"]
    assert probed["target"].tolist() == PROBED.targets["target"].tolist()
    assert probed["measured"].between(0, 1).all()
    assert ((probed["low"] <= probed["measured"]) & (probed["measured"] <= probed["high"])).all()
    reduced = contextual.reduction_evidence(model, prepared, PROBED, "made", 20, 20, 1)
    assert set(reduced["measure"]) == {f"made {name}" for name in contextual.NAMES}
    assert reduced["measured"].notna().all()
