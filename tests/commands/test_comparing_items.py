"""Comparisons in looks, which stop early, and the items that changed."""

import json
from itertools import islice

import numpy as np
import pytest

from socialbias import compare_decisions
from socialbias.commands.compare import CANNOT_TELL, NO_WORSE, WORSE
from socialbias.measurement.items import Rules, in_looks

RULES = Rules(0.05, common=False, seed=20221222, level=0.95)
TERMS = [f"term {i % 80}" for i in range(800)]


def decided(differ, worse=0.0, seed=1):
    """Decisions of two models that differ at random, and more towards the stereotype."""
    rng = np.random.default_rng(seed)
    first = (rng.uniform(size=800) < 0.5).astype(float)
    second = np.where(rng.uniform(size=800) < differ, 1 - first, first)
    return first, np.where(rng.uniform(size=800) < worse, 1, second)


def test_only_the_items_of_the_looks_taken_are_decided():
    sides, calls = decided(0.05), []

    def decide(places):
        calls.append([*places])
        return [side[places] for side in sides]

    results = [
        *islice(
            in_looks(decide, {"term": TERMS}, RULES),
            3,
        )
    ]
    assert [len(each) for each in calls] == [100, 50, 50]
    assert len({place for each in calls for place in each}) == 200
    assert [result.n for result in results] == [100, 150, 200]
    assert results[2].looks["planned"] == (100, 150, 200, 300, 400, 600, 800)
    assert results[2].looks["taken"] == 3


@pytest.mark.parametrize(("worse", "expected"), [(0, NO_WORSE), (0.4, WORSE)])
def test_a_clear_difference_is_decided_early(worse, expected):
    result = compare_decisions(*decided(0.05, worse), TERMS, margin=0.05, sequential=True)
    assert result.verdict == expected
    assert result.n < 800
    assert result.n == result.looks["planned"][result.looks["taken"] - 1]


def test_a_model_that_changed_nothing_passes_at_the_first_look():
    first, _ = decided(0)
    result = compare_decisions(first, first, TERMS, margin=0.05, sequential=True)
    assert (result.verdict, result.n) == (NO_WORSE, 100)
    # Of 80 terms, 95 % of samples show a change that -ln(.025) / 80 of all terms have.
    assert 0.0461 < result.high < 0.0461 * 1.05
    assert not result.notes


@pytest.mark.parametrize(("n_terms", "share"), [(20, "18 %"), (40, "9 %"), (80, None)])
def test_terms_that_may_miss_what_exceeds_the_margin_are_a_note(n_terms, share):
    terms = [f"term {i % n_terms}" for i in range(800)]
    result = compare_decisions(*decided(0, 0.3), terms, margin=0.05)
    assert result.verdict == WORSE
    told = f"{n_terms} terms may all miss a kind of term that makes up {share} of all: "
    assert [note.startswith(told) for note in result.notes] == [True] * (share is not None)


def test_an_unclear_difference_takes_all_items_and_has_a_wider_interval_than_one_look():
    sides = decided(0.3)
    result = compare_decisions(*sides, TERMS, margin=0.01, sequential=True)
    once = compare_decisions(*sides, TERMS, margin=0.01)
    assert (result.verdict, result.n, result.looks["taken"]) == (CANNOT_TELL, 800, 7)
    assert result.value == once.value
    assert result.low < once.low < once.high < result.high
    assert np.isnan(result.p_value)  # it would be that of a single look
    assert "looks" in str(result)
    assert "7 of 7 planned (at 100, 150, 200, 300, 400, 600, 800 items)" in str(result)
    assert "do not repeat it" in str(once).lower()


def test_items_that_one_model_left_out_keep_a_sequential_comparison_open():
    first, second = decided(0.0)
    second[::4] = np.nan
    how = {"margin": 0.1, "sequential": True}
    assert compare_decisions(first, second, TERMS, **how).verdict == CANNOT_TELL
    found = compare_decisions(first, second, TERMS, common=True, **how)
    assert found.verdict == NO_WORSE


def test_changed_items_are_named_and_counted_by_label():
    first = [0, 1, 1, 0, np.nan, 1]
    second = [1, 0, 1, 0, 1, 0.5]
    labels = {"item": [*"abcdef"], "domain": ["race"] * 2 + ["gender"] * 4}
    terms = ["x", "x", "y", "y", "y", "z"]
    result = compare_decisions(first, second, terms, labels=labels)
    towards, away = "towards the stereotype", "away from it"
    assert result.changed == {towards: 1, away: 2, "of": 5}
    assert result.changed_items == [
        {"term": "x", "item": "a", "domain": "race", "first": 0, "second": 1},
        {"term": "x", "item": "b", "domain": "race", "first": 1, "second": 0},
        {"term": "z", "item": "f", "domain": "gender", "first": 1, "second": 0.5},
    ]
    assert json.loads(result.to_json())["changed_items"] == result.changed_items
