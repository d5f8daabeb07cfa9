"""WEAT 1 to 10 on a world of two dimensions in which s(w, A, B) of a unit vector is x - y."""

import json
from dataclasses import replace
from math import comb, sqrt

import numpy as np
import pytest
from numpy.testing import assert_allclose

from socialbias.papers.trustworthy import weat
from socialbias.reporting.compare import caution
from tests.worlds import job_with, manifest, summarised, vectors

# s is 1, 1/5 (of (4, 3)/5), -1/5 and -1.
WORLD = {"rose": (2, 0), "daisy": (4, 3), "moth": (3, 4), "wasp": (0, 1), "love": (1, 0)}
WORLD |= {"pain": (0, 7)}
KEYS = ("first_target", "second_target", "first_attribute", "second_attribute")
FLOWERS = {"x": ["rose", "absent", "daisy"], "y": ["moth", "wasp"], "a": ["love"], "b": ["pain"]}


def test_associations_of_the_known_words_and_what_they_rest_on():
    table = evidence_of()
    for key, expected in (("x", [1, 0.2]), ("y", [-0.2, -1])):
        assert_allclose(table.loc[table["set"] == key, "association"], expected)
    assert set(zip(table["row"], table["n"], table["n_of"], strict=True)) == {("weat1", 6, 7)}
    assert not table["whole"].any()


@pytest.mark.parametrize("empty", ["x", "y", "a", "b"])
def test_a_test_of_which_one_set_has_no_word_is_left_out(empty):
    table = evidence_of(none=FLOWERS | {empty: ["absent"]}, weat1=FLOWERS)
    assert set(table["row"]) == {"weat1"}
    assert evidence_of(none=FLOWERS | {empty: ["absent"]}).empty


def test_effect_sizes_and_p_by_hand():
    # Means 0.6 and -0.6; the squares of 1, 0.2, -0.2 and -1 sum to 2.08: over 3, or over 4.
    cells = cells_of(evidence_of())
    assert cells["effect-size"]["value"] == pytest.approx(1.2 / sqrt(2.08 / 3))
    population = cells["effect-size-population"]["value"]
    assert population == pytest.approx(1.2 / sqrt(2.08 / 4))
    # Perfectly separated: one of C(4, 2) divisions.
    assert cells["p-value"]["value"] == 1 / comb(4, 2)
    assert {r["p_value"] for r in cells.values()} == {1 / comb(4, 2)}
    assert {r["note"] for r in cells.values()} == {"exact permutation test"}
    assert {(r["n"], r["n_of"], r["n_unit"]) for r in cells.values()} == {(6, 7, "words")}


def evidence_of(words=WORLD, **tests):
    return weat.evidence(vectors(**words), tests or {"weat1": FLOWERS}, 0.95)


def cells_of(table):
    records = summarised(weat, table, **{"intervals.replicates": 400})
    return {record["column"]: record for record in records if record["row"] in set(table["row"])}


def test_vectors_that_have_every_word_are_whole_and_those_of_unit_length_are_not():
    every = FLOWERS | {"x": ["rose", "daisy"]}
    cells = cells_of(evidence_of(every=every))
    assert {cell["whole"] for cell in cells.values()} == {True}
    assert not evidence_of(part=FLOWERS)["whole"].any()
    unit = {word: np.array(v) / np.hypot(*v) for word, v in WORLD.items()}
    assert not evidence_of(unit, every=every)["whole"].any()


@pytest.mark.parametrize(
    ("x", "counted"),
    [
        (["rose", "a"], (5, 6, "words")),  # half of a set is enough
        (["rose", "a", "b"], (1, 3, "words of a set")),
    ],
)
def test_a_test_is_too_few_if_one_of_its_sets_lacks_more_than_half(x, counted):
    cell = cells_of(evidence_of(weat1=FLOWERS | {"x": x}))["p-value"]
    assert (cell["n"], cell["n_of"], cell["n_unit"]) == counted
    assert bool(caution(cell)) == (counted[2] == "words of a set")


@pytest.mark.parametrize("errata", [{"daisie": "daisy"}, {}])
def test_a_test_with_an_erratum_stands_there_as_packaged_too(tmp_path, errata):
    sets = dict(zip(KEYS, (["rose", "daisie"], ["moth", "wasp"], ["love"], ["pain"]), strict=True))
    lists = [{key: {"name": key, "words": words} for key, words in sets.items()}]
    (tmp_path / "weat.json").write_text(json.dumps(lists))
    vectors(**WORLD).save(tmp_path / "aligned/weat")
    files = {"weat_lists": manifest(tmp_path, "lists", "weat.json")}
    files |= {"vectors/weat/word2vec": tmp_path / "aligned"}
    corrected = {"weat_lists": errata} if errata else {}
    table = weat.measure(replace(job_with(files), errata=corrected))
    counted = set(zip(table["row"], table["n"], table["whole"], strict=True))
    if errata:
        assert counted == {("weat1", 6, True), ("weat1-as-packaged", 5, False)}
    else:
        assert counted == {("weat1", 5, False)}
    empty = [r["row"] for r in summarised(weat, table) if np.isnan(r["value"])]
    assert empty == ([] if errata else ["weat10-as-packaged"] * 3)
