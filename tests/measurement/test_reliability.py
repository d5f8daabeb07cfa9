"""Reliability of artefacts' numbers: planted worlds, hand work, and what a record gets."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from socialbias.measurement import reliability
from socialbias.papers.trustworthy.directed import directed
from socialbias.reporting.write_artefact import with_detectable
from tests.records import value

LEVEL = 0.95


WIDTH = 50


def words_of(sizes, noise: float, things: int = 60):
    """Things that lean by their first coordinate, and groups whose words do so with noise."""
    rng = np.random.default_rng(1)
    targets = 4 * rng.standard_normal((things, WIDTH)) / np.sqrt(WIDTH)
    targets[:, 0] = rng.standard_normal(things)
    groups = [
        sign * np.eye(WIDTH)[0] + noise * rng.standard_normal((m, WIDTH))
        for sign, m in zip((1, -1), sizes, strict=True)
    ]
    return targets, groups, [str(i) for i in range(things)]


def leaning(targets):
    """The mean projection on the first group less that on the second."""
    return lambda groups: targets @ (groups[0].mean(axis=0) - groups[1].mean(axis=0))


def test_divisions_are_halves_and_the_same_in_every_run():
    once, again = (list(reliability.divisions([5, 8], paired=False)) for _ in range(2))
    assert len(once) == reliability.HALVES
    for first, second in once:
        for m, a, b in zip((5, 8), first, second, strict=True):
            assert len(a) == m // 2
            assert sorted([*a, *b]) == list(range(m))
    assert all(np.array_equal(x[0][0], y[0][0]) for x, y in zip(once, again, strict=True))
    for halves in reliability.divisions([6, 6], paired=True):  # a half takes whole pairs
        assert all(np.array_equal(*half) for half in halves)


def test_counts_are_added_up_over_the_documents_of_each_half():
    # Three documents, of which a half takes one: the other has all that this one has not.
    documents, owners = np.array(["a", "b", "b", "c"]), np.array([0, 0, 1, 1])
    counts = np.array([[1, 10], [2, 20], [3, 30], [4, 40]])
    alone = {"a": [[1, 10], [0, 0]], "b": [[2, 20], [3, 30]], "c": [[0, 0], [4, 40]]}
    first, second = reliability.sums_by_halves(counts, owners, documents, 2)
    assert len(first) == len(second) == reliability.HALVES
    assert {repr(half.astype(int).tolist()) for half in first} == {*map(repr, alone.values())}
    assert (first + second == [[3, 30], [7, 70]]).all()


def test_words_that_agree_are_reliable_and_noise_is_not():
    found = []
    for noise in (0.01, 1.0, 30.0):
        targets, groups, names = words_of((8, 8), noise)
        found.append(reliability.over_words(leaning(targets), groups, names, LEVEL).value)
    assert found[0] > 0.99
    assert found[0] > found[1] > found[2]


@pytest.mark.parametrize(("sizes", "paired"), [((1, 8), False), ((3, 3), True)])
def test_a_list_that_cannot_be_halved_has_no_reliability(sizes, paired):
    targets, groups, names = words_of(sizes, 0.1)
    assert np.isnan(reliability.over_words(leaning(targets), groups, names, LEVEL, paired).value)


def test_alpha_of_words_takes_the_difference_of_each_pair():
    targets = np.array([[1.0, 0], [0, 1], [-1, 0], [0.6, 0.8], [0.8, 0.6]])
    groups = [np.array([[1.0, 0], [1, 0], [0, 1]]), np.array([[0, 1.0], [0, 1]])]
    # Cosines: both pairs give x - y, so that the items are the same; the third word has no partner.
    assert reliability.alpha_of_words(targets, groups, LEVEL).value == 1


def test_a_record_gets_its_reliability_and_a_correlation_its_ceiling():
    record = value("a", "x", 0.3)
    assert reliability.with_reliability(record, -0.2)["reliability"] == 0
    assert "ceiling" not in reliability.with_reliability(record, 0.5)
    assert reliability.with_reliability(record, 0.64, 0.25)["ceiling"] == pytest.approx(0.4)
    assert np.isnan(reliability.with_reliability(record, np.nan, 1.0)["ceiling"])


def over_models(column: str, row: str, numbers) -> dict:
    return value(row, column, float(np.mean(numbers)), replicates=np.array(numbers, float))


def test_numbers_over_models_get_the_reliability_of_their_column():
    # Means 1 to 4, and replicates 0.1 to either side.
    signs = [(i, 0.1 * (-1) ** i) for i in range(1, 5)]
    rows = [over_models("x", str(i), [i + off, i - off]) for i, off in signs]
    lonely, plain = over_models("y", "1", [1, 2]), value("5", "x", 1.0)
    [found] = reliability.retested([*rows, lonely, plain], LEVEL).values()
    # Between rows 2 * (5/3); left over, since no model is above the other: 8 * 0.01 / 3.
    f = (10 / 3) / (0.08 / 3)
    assert found[0].value == pytest.approx((f - 1) / (f + 1))
    assert found[1].value == pytest.approx(1 - 3 / f)
    *first, other, last = reliability.with_retest([*rows, lonely, plain], LEVEL)
    assert [r["reliability"] for r in first] == pytest.approx(4 * [1 - 3 / f])
    # What has a reliability of its own keeps it.
    own = [r | {"reliability": 0.25} for r in rows]
    assert {r["reliability"] for r in reliability.with_retest(own, LEVEL)} == {0.25}
    assert "reliability" not in other
    assert "reliability" not in last
    by_row = [r | {"row": r["column"], "column": r["row"]} for r in rows]
    assert list(reliability.retested(by_row, LEVEL, "row")) == ["x"]


def counts(documents: int, agree: bool) -> pd.DataFrame:
    """Twelve targets in documents that all say the same of a target, or anything."""
    rng = np.random.default_rng(3)
    share = np.repeat(np.linspace(0, 1, 12)[:, None], documents, axis=1)
    share = share if agree else rng.uniform(size=share.shape)
    female = np.rint(100 * share).astype(int).ravel()
    targets = np.repeat([f"t{i:02d}" for i in range(12)], documents)
    table = pd.DataFrame({"target": targets, "document": np.tile(np.arange(documents), 12)})
    return table.assign(female=female, male=100 - female, corpus_documents=documents)


@pytest.mark.parametrize("agree", [True, False])
def test_documents_that_agree_make_a_text_reliable(agree):
    found = directed(counts(10, agree), LEVEL, "t")
    reliable = found.reliability(LEVEL)
    assert reliable.value == 1 if agree else reliable.value < 0.7
    chosen = found.of([*found.targets[::-1], "unknown"])
    assert chosen.reliability(LEVEL).value == pytest.approx(reliable.value)


def test_what_could_have_been_detected():
    normal = np.random.default_rng(4).standard_normal(1000)
    rho = {"unit": "Spearman's rho", "n": 57, "p_value": 0.1, "draws": normal}

    def detectable(number=0.5, **others):
        return with_detectable(value("a", "x", number, **others)).get("detectable")

    assert detectable(draws=normal) == pytest.approx(2.802, abs=0.2)
    assert detectable(**rho) == pytest.approx(0.374, abs=1e-3)
    assert detectable(**rho, ceiling=0.5) == pytest.approx(0.747, abs=1e-3)
    assert detectable(unit="Spearman's rho", n=9) is None
    assert np.isnan(detectable(3))
    assert detectable(3, detectable=1.0) == 1
