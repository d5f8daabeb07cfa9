"""Table 6's procedure on worlds in which the truth is known."""

from itertools import pairwise

import numpy as np
import pandas as pd
import pytest

from socialbias.papers.trustworthy import probes
from socialbias.papers.validation import planted_table6
from socialbias.papers.validation.planted_corpus import write
from socialbias.papers.validation.planted_design import Design
from socialbias.stats.seeding import generator
from tests.worlds import cells, job_with

DESIGN = Design(direct=8, second_order=0, null=4)


def world(rng):
    """Labels by planted shares, and a probe that is told the label in half of the sentences.

    It knows the share in the others: its probabilities are right, and its decisions extreme.
    """
    rows = []
    for target, share in DESIGN.targets[["target", "truth 0"]].itertuples(index=False):
        label = np.where(rng.random(300) < 0.2, 2, rng.random(300) > share)
        told = (rng.random(300) < 0.5)[:, None]
        p = np.array([0.8 * share, 0.8 * (1 - share), 0.2])
        p = np.where(told, np.eye(3)[label.astype(int)], p)
        part = pd.DataFrame({"target": target, "document": len(rows) * 60 + np.arange(300) // 5})
        part["label"], part["predicted"] = label.astype(int), p.argmax(axis=1)
        part[probes.SHARES] = p
        rows.append(part)
    table = pd.concat(rows, ignore_index=True).assign(kind="given", seed=0, variant="planted")
    text = table.assign(female=table["label"] == 0, male=table["label"] == 1, n=1)
    text = pd.concat([text, text.assign(n=3)])[["target", "document", "female", "male", "n"]]
    keys = ["n", "target", "document"]
    text = text.groupby(keys, as_index=False).sum().assign(variant="planted")
    parts = [table, table.assign(kind="majority"), table.assign(kind="shuffled", predicted=2)]
    probe = pd.concat(parts, ignore_index=True).assign(corpus_documents=720)
    return {"probe_gpt2": probe, "webtext": text}


def test_decisions_amplify_where_nothing_is_amplified():
    found = {"gpt2": world(np.random.default_rng(1))}
    result = cells(planted_table6.values(found, DESIGN, job_with()))
    decided, corrected = result["gpt2", "L2;L1@one"], result["gpt2", "L2;L1@paired"]
    # Half of the decisions are the target's more frequent label: half of the way to 0 or 1.
    shares = DESIGN.targets.query("kind == 'direct'")["truth 0"]
    expected = np.mean(0.5 * (1 - np.maximum(shares, 1 - shares)) / (1 - 0.5 * 0.2))
    assert decided["value"] == pytest.approx(expected, abs=0.05)
    assert decided["ci_low"] > 0
    assert corrected["value"] == pytest.approx(0, abs=0.02)
    assert corrected["ci_low"] < 0 < corrected["ci_high"]
    assert result["gpt2", "amplified@one"]["value"] == 1
    assert result["gpt2", "called@one"]["value"] > 0.5 > result["gpt2", "called@paired"]["value"]


def test_a_planted_text_is_counted_as_the_paper_counts():
    """Every sentence that names a target has its label, and both groups stand for women and men."""
    corpus = write(DESIGN, 6_000, generator(3, "planted table 6")).prepared()
    table = planted_table6.of_text(corpus, DESIGN).query("n == 1")
    assert set(table["target"]) == {*planted_table6.near_targets(DESIGN), "*"}
    groups = [set(words) for words in DESIGN.groups.values()]
    counts = np.zeros(2, int)
    bounds = corpus.sentences
    for first, last in pairwise(bounds):
        words = {corpus.words[i] for i in corpus.tokens[first:last]}
        named = [bool(words & group) for group in groups]
        counts += np.array(named) & (sum(named) == 1)
    every = table[table["target"] == "*"]
    assert every[["female", "male"]].sum().tolist() == counts.tolist()
