"""The artefact of reliabilities: what it reads from evidence, and what it leaves out."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from socialbias.papers.trustworthy import table3
from socialbias.papers.validation import reliability
from socialbias.stats.reliability import Reliability, of_bootstraps
from tests.worlds import cells, vectors

LEVEL = 0.95
# Four things by two replicates: means 0 to 3, and half of one to either side of them. The mean
# square of things is 10/3, of what is left 8 x .25 / 3, so that F is 5 and ICC(3,1) is 4 / 6.
HAND = np.array([[-0.5, 0.5], [1.5, 0.5], [1.5, 2.5], [3.5, 2.5]])


def test_a_reliability_is_not_below_zero():
    low = Reliability(-0.3, -0.9, 0.2, 9, 3)
    [one] = reliability.record("a", "test-retest", low, "numbers")
    assert (one["value"], one["ci_low"], one["ci_high"]) == (0, 0, 0.2)
    [one] = reliability.record("a", "another-sample", Reliability(-3, -9, -1, 9, 3), "")
    assert one["value"] == 0
    assert np.isnan([one["ci_low"], one["ci_high"]]).all()
    assert not reliability.record("a", "alpha", Reliability(*[np.nan] * 3, 2, 3), "")


def table5(biases: dict[str, np.ndarray]) -> pd.DataFrame:
    fields = {f"{n}{end}": 0.8 for n in ("reliability", "alpha") for end in ("", "_low", "_high")}
    parts = [
        pd.DataFrame({"unit": [f"p{i}" for i in range(len(b))], "row": row, "bias": b})
        for row, b in biases.items()
    ]
    return pd.concat(parts).assign(column="contemporary-gender@appendix", whole=True, **fields)


def test_split_halves_and_alpha_are_read():
    rising = np.arange(12.0)
    alike = table5({"divdist": rising, "garg-cosine": np.exp(rising), "bolukbasi": -rising})
    found = cells(reliability.of_words(alike))
    assert found["table5 words", "alpha@appendix"]["value"] == 0.8
    halves = cells(reliability.of_cells(alike, "table5", "professions"))
    assert halves["table5 divdist", "split-half@appendix"]["n"] == 12
    race = alike.assign(column="contemporary-race")
    assert ("table5 words", "alpha@race") in cells(reliability.of_words(race))


def bootstrapped(**others) -> pd.DataFrame:
    """Five things in three models."""
    things, models = np.repeat([f"t{i}" for i in range(5)], 3), np.tile(range(3), 5)
    number = np.repeat(np.arange(5.0), 3) + np.random.default_rng(1).standard_normal(15)
    return pd.DataFrame({"thing": things, "model": models, "number": number, **others})


def test_figure2_has_both_corpora_and_their_difference():
    one = bootstrapped().rename(columns={"thing": "row", "number": "cosine"})
    first, second = reliability.figure2.CORPORA
    both = [one.assign(corpus=first), one.assign(corpus=second, cosine=2 * one["cosine"])]
    table = pd.concat(both).assign(n=8, n_of=8)
    grids = reliability.grids_of_bad_seeds("figure2", table)
    assert list(grids) == [*sorted([first, second]), "difference"]
    assert grids[second].equals(2 * grids[first])
    assert grids["difference"].to_numpy() == pytest.approx(-grids[first].to_numpy())
    alone = table[table["corpus"] == first]
    assert list(reliability.grids_of_bad_seeds("figure2", alone)) == [first]


def probed(by_seed: dict[int, list[float]], label: list[int]) -> pd.DataFrame:
    """Four targets with a context each, of which a probe says a share of women in each seed."""
    targets = list("abcd")
    rows = []
    for seed, shares in by_seed.items():
        women = np.array(shares)
        about = {"target": targets, "document": range(4), "kind": "given", "seed": seed}
        about |= {"label": label, "predicted": np.where(women > 0.5, 0, 1)}
        about |= {"p_female": women / 2, "p_male": (1 - women) / 2, "p_neither": 0.5}
        rows.append(pd.DataFrame(about))
    trained = rows[0].assign(kind="majority", p_female=[0.4, 0.1, 0.4, 0.1], p_male=0.25)
    return pd.concat([*rows, trained]).assign(variant="code", corpus_documents=9)


def test_a_probe_is_held_against_itself_with_another_seed():
    evidence = probed({0: [0.9, 0.2, 0.6, 0.3], 1: [0.8, 0.1, 0.7, 0.4]}, [0, 1, 0, 0])
    grids = reliability.probe_grids(evidence, "code")
    assert grids[""][0].tolist() == pytest.approx([0.4, -0.3, 0.1, -0.2])
    assert grids[""][1].tolist() == pytest.approx([0.3, -0.4, 0.2, -0.1])
    assert grids["decisions"].to_numpy().tolist() == [[0.5, 0.5], [-0.5, -0.5]] * 2
    # The text says women, men, women, women; those trained on lean to women, men, women, men.
    assert grids["amplification"][0].tolist() == pytest.approx([-0.1, -0.2, -0.4, 0.7])


def test_bootstrapped_skip_gram_is_of_professions_and_gender_alone():
    table = pd.DataFrame({"term": np.repeat(list("abcd"), 2), "item": [0, 1] * 4})
    table = table.assign(number=HAND.ravel(), how="models", trait="gender", unit="professions")
    others = table.assign(trait="valence", number=0.0)
    found = cells(reliability.of_own_vectors(pd.concat([table, others]), LEVEL))
    assert found["skip-gram mean cosines", "test-retest"]["value"] == pytest.approx(4 / 6)
    # Of the mean of two in another sample: 1 - 3 / F.
    assert found["skip-gram mean cosines", "another-sample"]["value"] == pytest.approx(0.4)
    assert reliability.of_own_vectors(others, LEVEL) == []


def test_helms_variant_is_of_words_with_twenty_documents():
    rng = np.random.default_rng(3)
    words = np.repeat([f"w{i}" for i in range(12)], 40)
    lean = np.repeat(rng.random(12), 40)
    table = pd.DataFrame({"target": words, "document": np.tile(range(40), 12)})
    table["female"] = (rng.random(len(table)) < lean).astype(float)
    table = table.assign(male=1 - table["female"], contexts=1, corpus_documents=40)
    rare = table[:15].assign(target="rare")
    found = cells(reliability.of_helm(pd.concat([table, rare]), LEVEL))
    found = found["helm wikipedia", "split-half"]
    assert found["n"] == 12
    assert found["value"] > 0.8  # shares from 0 to 1, each of 40 documents


def test_table3_has_halves_of_the_group_words_and_resamples_of_them():
    rng = np.random.default_rng(1)
    groups = {"female": ["f1", "f2", "f3", "f4"], "male": ["m1", "m2", "m3", "m4"]}
    targets = [f"t{i}" for i in range(9)]
    words = (*groups["female"], *groups["male"], *targets)
    space = vectors(**dict(zip(words, rng.uniform(size=(len(words), 5)), strict=True)))
    table = table3.evidence({"glove": space}, {"appendix": groups}, targets, 50, 1, LEVEL)
    found = cells(reliability.of_table3(table, LEVEL))
    row, variants = "table3 emb-glove", ("appendix", "clipped-sum")
    kinds = ("split-half", "another-sample")
    assert set(found) == {(row, f"{kind}@{variant}") for kind in kinds for variant in variants}
    assert {cell["n"] for cell in found.values()} == {9}
    # As the numbers of Table 3 have it.
    own = [r for r in table3.values(table, LEVEL) if r["column"] == "emb-glove@appendix"]
    assert {r["reliability"] for r in own} == {found[row, "split-half@appendix"]["value"]}
    replicates = np.array([r["replicates"] for r in own])
    assert found[row, "another-sample@appendix"]["value"] == pytest.approx(
        max(of_bootstraps(replicates, LEVEL).value, 0)
    )
