"""WEAT 1 to 10 on a world of two dimensions in which s(w, A, B) of a unit vector is x - y."""

import json
from math import comb, sqrt

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose

from socialbias.embeddings.vectors import WordVectors
from socialbias.papers.trustworthy import weat
from socialbias.pipeline.job import Job
from socialbias.reporting.compare import caution
from tests.records import values_table
from tests.worlds.jobs import summarised

# s is 1, 1/5 (of (4, 3)/5), -1/5 and -1.
WORLD = {"rose": (2, 0), "daisy": (4, 3), "moth": (3, 4), "wasp": (0, 1), "love": (1, 0)}
WORLD |= {"pain": (0, 7)}
KEYS = ("first_target", "second_target", "first_attribute", "second_attribute")
FLOWERS = {"x": ["rose", "absent", "daisy"], "y": ["moth", "wasp"], "a": ["love"], "b": ["pain"]}


def vectors(words):
    matrix = np.array(list(words.values()), dtype=np.float32)
    return WordVectors(tuple(words), matrix)


def evidence_of(vectors=None, **tests):
    return weat.evidence(vectors, tests or {"weat1": FLOWERS}, 0.95)


def measured(table, replicates=400, level=0.95, seed=1):
    settings = {"intervals.replicates": replicates, "intervals.level": level, "seed": seed}
    records = summarised(weat, table, **settings)
    return [record for record in records if record["row"] in set(table["row"])]


def cells_of(table, *settings, **others):
    return {record["column"]: record for record in measured(table, *settings, **others)}


def test_associations_of_the_known_words_and_what_they_rest_on():
    table = evidence_of(vectors(WORLD))
    for key, expected in (("x", [1, 0.2]), ("y", [-0.2, -1])):
        assert_allclose(table.loc[table["set"] == key, "association"], expected)
    assert set(zip(table["row"], table["n"], table["n_of"], strict=True)) == {("weat1", 6, 7)}
    assert not table["whole"].any()


@pytest.mark.parametrize("empty", ["x", "y", "a", "b"])
def test_a_test_of_which_one_set_has_no_word_is_left_out(empty):
    table = evidence_of(vectors(WORLD), none=FLOWERS | {empty: ["absent"]}, weat1=FLOWERS)
    assert set(table["row"]) == {"weat1"}
    assert evidence_of(vectors(WORLD), none=FLOWERS | {empty: ["absent"]}).empty


def test_effect_sizes_and_p_by_hand():
    # Means 0.6 and -0.6; the squares of 1, 0.2, -0.2 and -1 sum to 2.08: over 3, or over 4.
    cells = cells_of(evidence_of(vectors(WORLD)))
    assert cells["effect-size"]["value"] == pytest.approx(1.2 / sqrt(2.08 / 3))
    population = cells["effect-size-population"]["value"]
    assert population == pytest.approx(1.2 / sqrt(2.08 / 4))
    # Perfectly separated: one of C(4, 2) divisions.
    assert cells["p-value"]["value"] == 1 / comb(4, 2)
    assert {r["p_value"] for r in cells.values()} == {1 / comb(4, 2)}
    assert {r["note"] for r in cells.values()} == {"exact permutation test"}
    assert {(r["n"], r["n_of"], r["n_unit"]) for r in cells.values()} == {(6, 7, "words")}


def large(n=30, shift=1.0):
    """A test of n and n words whose associations lie around +-shift/2, as evidence."""
    rng = np.random.default_rng(1)
    scores = np.concatenate([rng.normal(shift / 2, 1, n), rng.normal(-shift / 2, 1, n)])
    facts = {"row": "weat", "column": "association", "n": 4 * n, "n_of": 4 * n, "n_unit": "words"}
    facts |= {"whole": True, "reliability": 0.5}
    return pd.DataFrame({"set": ["x"] * n + ["y"] * n, "association": scores}).assign(**facts)


def test_the_interval_is_a_bootstrap_over_the_words_of_each_set():
    table, replicates, level = large(), 2000, 0.9
    record = cells_of(table, replicates, level)["effect-size"]
    x, y = (table.loc[table["set"] == key, "association"].to_numpy() for key in ("x", "y"))
    rng, draws = np.random.default_rng(9), []
    for _ in range(replicates):
        a, b = rng.choice(x, len(x)), rng.choice(y, len(y))
        draws.append((a.mean() - b.mean()) / np.std([*a, *b], ddof=1))
    low, high = np.quantile(draws, [0.05, 0.95])
    assert record["ci_low"] == pytest.approx(low, abs=0.1 * (high - low))
    assert record["ci_high"] == pytest.approx(high, abs=0.1 * (high - low))
    assert record["ci_low"] < record["value"] < record["ci_high"]


def test_the_ends_of_the_interval_leave_out_as_much_on_both_sides(monkeypatch):
    monkeypatch.setattr(
        "socialbias.measures.weat.resampled_effect_sizes", lambda *_: np.arange(1001) / 1000
    )
    record = cells_of(large())["effect-size"]
    assert (record["ci_low"], record["ci_high"]) == pytest.approx((0.025, 0.975))


def test_many_words_have_a_monte_carlo_p_that_says_so_and_is_reproducible():
    record = cells_of(large(shift=0.5))["p-value"]
    assert record["note"] == "Monte-Carlo permutation test"
    assert 0 < record["value"] < 0.5
    assert cells_of(large(shift=0.5)) == cells_of(large(shift=0.5))
    assert cells_of(large(shift=0.5), seed=2)["p-value"]["value"] != record["value"]


def test_vectors_that_have_every_word_are_whole_and_those_of_unit_length_are_not():
    every = FLOWERS | {"x": ["rose", "daisy"]}
    cells = cells_of(evidence_of(vectors(WORLD), every=every))
    assert {cell["whole"] for cell in cells.values()} == {True}
    assert not evidence_of(vectors(WORLD), part=FLOWERS)["whole"].any()
    unit = {word: np.array(v) / np.hypot(*v) for word, v in WORLD.items()}
    assert not evidence_of(vectors(unit), every=every)["whole"].any()


@pytest.mark.parametrize(
    ("x", "counted"),
    [
        (["rose", "a"], (5, 6, "words")),  # half of a set is enough
        (["rose", "a", "b"], (1, 3, "words of a set")),
    ],
)
def test_a_test_is_too_few_if_one_of_its_sets_lacks_more_than_half(x, counted):
    [cell] = (cells_of(evidence_of(vectors(WORLD), weat1=FLOWERS | {"x": x}))["p-value"],)
    assert (cell["n"], cell["n_of"], cell["n_unit"]) == counted
    assert bool(caution(cell)) == (counted[2] == "words of a set")


def test_without_vectors_there_is_no_evidence():
    assert evidence_of().empty
    assert measured(evidence_of()) == []


def test_values_are_a_table_of_values():
    table = evidence_of(vectors(WORLD))
    values = values_table("weat", measured(table), 1)
    assert list(values["column"]) == ["effect-size", "effect-size-population", "p-value"]


def test_a_test_whose_associations_do_not_vary_still_makes_a_table_of_values():
    same = {"x": ["rose"], "y": ["love"], "a": ["moth"], "b": ["pain"]}
    table = evidence_of(vectors(WORLD), weat1=same)
    values_table("weat", measured(table), 1)


@pytest.mark.parametrize("errata", [{"daisie": "daisy"}, {}])
def test_a_test_with_an_erratum_stands_there_as_packaged_too(tmp_path, errata):
    sets = dict(zip(KEYS, (["rose", "daisie"], ["moth", "wasp"], ["love"], ["pain"]), strict=True))
    lists = [{key: {"name": key, "words": words} for key, words in sets.items()}]
    (tmp_path / "weat.json").write_text(json.dumps(lists))
    manifest = {"source": "lists", "files": [{"path": "weat.json"}]}
    (tmp_path / "manifest.json").write_text(json.dumps(manifest))
    vectors(WORLD).save(tmp_path / "aligned/weat")
    files = {"weat_lists": [tmp_path / "manifest.json"]}
    files |= {"vectors/weat/word2vec": [tmp_path / "aligned"]}
    table = weat.measure(
        Job(files, {"intervals.level": 0.95}, print, {"weat_lists": errata} if errata else {})
    )
    counted = set(zip(table["row"], table["n"], table["whole"], strict=True))
    if errata:
        assert counted == {("weat1", 6, True), ("weat1-as-packaged", 5, False)}
    else:
        assert counted == {("weat1", 5, False)}
    evidence = tmp_path / "weat.parquet"
    table.to_parquet(evidence)
    settings = {"intervals.replicates": 50, "intervals.level": 0.95, "seed": 1}
    records = weat.summarise(Job({"evidence/trustworthy/weat": [evidence]}, settings, print))
    empty = [r["row"] for r in records if np.isnan(r["value"])]
    assert empty == ([] if errata else ["weat10-as-packaged"] * 3)
