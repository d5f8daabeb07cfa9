"""`compare`: of a subject with itself, of decisions that differ by chance, of what is worse."""

import numpy as np
import pytest

from socialbias import compare, compare_decisions
from socialbias.api.comparing import CANNOT_TELL, EXIT_CODES, NO_WORSE, WORSE, verdict
from socialbias.embeddings.vectors import WordVectors
from socialbias.errors import UserError
from tests.api.conftest import FILMS, WORDS

TERMS = [f"term {i % 80}" for i in range(320)]


def decided(rng, share=0.6):
    """Decisions of two models: alike on most items, with terms of their own level."""
    levels = np.clip(rng.normal(share, 0.2, 80), 0, 1)
    chance = np.array([levels[i % 80] for i in range(320)])
    first = rng.uniform(size=320) < chance
    second = np.where(rng.uniform(size=320) < 0.7, first, rng.uniform(size=320) < chance)
    return first.astype(float), second.astype(float)


def test_exit_codes_are_as_documented():
    assert EXIT_CODES == {NO_WORSE: 0, WORSE: 3, CANNOT_TELL: 4}


@pytest.mark.parametrize(
    ("ends", "detectable", "margin", "expected"),
    [
        ((-2, -1), 1, None, CANNOT_TELL),  # without a margin nothing is no worse
        ((1, 2), 1, None, WORSE),
        ((-1, 2), 1, None, CANNOT_TELL),
        ((-1, 2), 2, 2, NO_WORSE),
        ((-1, 2), 3, 2, CANNOT_TELL),  # a difference of the margin might not have been seen
        ((1, 2), 2, 2, NO_WORSE),  # more biased, by less than does harm
        ((1, 3), 2, 2, WORSE),
        ((0, 0), 0, 0.1, NO_WORSE),
        ((np.nan, np.nan), np.nan, 1, CANNOT_TELL),
        ((-1, 1), np.nan, 1, CANNOT_TELL),
    ],
)
def test_the_verdict_follows_from_interval_and_margin(ends, detectable, margin, expected):
    assert verdict(*ends, detectable, margin) == expected


@pytest.mark.parametrize("name", ["directed", "divdist", "bolukbasi", "garg-euclidean"])
def test_a_subject_is_no_worse_than_itself(reviews, name):
    result = compare(reviews, reviews, WORDS, FILMS, name)
    assert (result.value, result.low, result.high) == (0, 0, 0)
    assert result.p_value == 1
    assert result.verdict == NO_WORSE


def test_no_change_in_80_terms_bounds_the_change_by_3_7_in_80():
    first, _ = decided(np.random.default_rng(0))
    result = compare_decisions(first, first, TERMS, margin=0.05)
    assert result.value == 0
    assert -result.low == result.high == pytest.approx(3.69 / 80, rel=0.03)  # t for a normal's
    assert result.changed == {"towards the stereotype": 0, "away from it": 0, "of": 320}
    assert result.verdict == NO_WORSE
    assert compare_decisions(first, first, TERMS, margin=0.04).verdict == CANNOT_TELL


def test_decisions_that_change_as_often_either_way_are_counted():
    first = np.tile([1.0, 0.0], 160)
    result = compare_decisions(first, 1 - first, TERMS, margin=0.3)
    assert result.changed == {"towards the stereotype": 160, "away from it": 160, "of": 320}
    assert "320 of 320 decisions (100.0%)" in str(result)
    assert result.high > result.low


def test_decisions_swapped_at_random_alarm_as_often_as_the_level_says():
    # Which of the two a decision is of says nothing: a difference is found in about 5 of 100.
    rng = np.random.default_rng(4)
    first, second = decided(rng)
    alarms, worse = 0, 0
    for _ in range(1000):
        swap = rng.uniform(size=320) < 0.5
        sides = np.where(swap, second, first), np.where(swap, first, second)
        found = compare_decisions(*sides, TERMS)
        alarms += found.low > 0 or found.high < 0
        worse += found.verdict == WORSE
    assert 30 <= alarms <= 70
    assert 8 <= worse <= 45  # half of them


def test_a_difference_by_hand():
    # The second prefers the stereotype in both items of two terms of four, the first in none.
    first = np.zeros(8)
    second = np.array([1, 1, 1, 1, 0, 0, 0, 0.0])
    result = compare_decisions(first, second, ["a", "a", "b", "b", "c", "c", "d", "d"])
    assert result.value == 0.5
    assert {row.target: row.value for row in result.rows} == {"a": 1, "b": 1, "c": 0, "d": 0}
    assert result.verdict == CANNOT_TELL  # of four terms
    assert compare_decisions(second, first, list("aabbccdd")).value == -0.5


def test_a_model_that_prefers_the_stereotype_more_often_is_worse():
    rng = np.random.default_rng(2)
    first = (rng.uniform(size=320) < 0.5).astype(float)
    second = np.where(rng.uniform(size=320) < 0.3, 1, first)
    assert compare_decisions(first, second, TERMS).verdict == WORSE
    assert compare_decisions(second, first, TERMS, margin=0.3).verdict == NO_WORSE
    assert compare_decisions(first, second, TERMS, margin=0.5).verdict == NO_WORSE


def test_the_detectable_difference_is_found_in_four_of_five():
    rng, found = np.random.default_rng(3), []
    first, second = decided(rng)
    size = compare_decisions(first, second, TERMS).detectable
    for _ in range(300):
        first, second = decided(rng)
        worse = np.where(rng.uniform(size=320) < size / 0.4, 1.0, second)  # 0.4 are 0 before
        found.append(compare_decisions(first, worse, TERMS).verdict == WORSE)
    assert 0.7 < np.mean(found) < 0.92


def made(rng, shift):
    """Vectors of two groups of ten and twenty targets, which lean to the first by a shift."""
    words = [f"w{i}" for i in range(40)]
    matrix = rng.normal(size=(40, 40)) + 1
    matrix[:10, 0] += 8
    matrix[10:20, 1] += 8
    matrix[20:, 0] += shift
    return WordVectors(tuple(words), matrix.astype("f4"))


def test_vectors_with_more_bias_are_worse_and_those_with_less_are_not():
    rng = np.random.default_rng(5)
    little, much = made(rng, 0.5), made(rng, 6)
    words = ({"a": little.words[:10], "b": little.words[10:20]}, little.words[20:], "caliskan")
    result = compare(little, much, *words)
    assert result.verdict == WORSE
    assert 0 < result.low < result.value
    assert result.detectable > 0
    assert compare(much, little, *words).verdict == NO_WORSE
    assert compare(much, little, *words).value == pytest.approx(-result.value)


def test_of_one_target_there_is_no_verdict_and_of_two_they_are_resampled():
    spaces = [made(np.random.default_rng(5), shift) for shift in (0.5, 6)]
    words = spaces[0].words
    groups = {"a": words[:10], "b": words[10:20]}
    alone, two = (compare(*spaces, groups, words[20 : 20 + n], "caliskan") for n in (1, 2))
    assert alone.low > 0  # of this word
    assert alone.verdict == CANNOT_TELL
    assert any("one target" in note for note in alone.notes)
    assert alone.resampled == "words of each group"
    assert two.resampled == "words of each group and targets"
    assert two.high - two.low > alone.high - alone.low
    assert not two.notes
    itself = compare(spaces[0], spaces[0], groups, words[20:21], "caliskan")
    assert itself.verdict == CANNOT_TELL


def test_with_one_group_word_nothing_is_resampled():
    rng = np.random.default_rng(5)
    spaces = [made(rng, 0.5), made(rng, 6)]
    words = spaces[0].words
    found = compare(*spaces, {"a": words[:1], "b": words[10:20]}, words[20:], "caliskan")
    assert found.resampled == "nothing: a group has one word"
    assert np.isnan(found.low)
    assert found.verdict == CANNOT_TELL


def test_only_words_of_both_are_compared(reviews, loaded):
    some = loaded.only([w for w in loaded.words if w not in ("movie", "her", "his")])
    result = compare(reviews, some, WORDS, FILMS, "caliskan")
    assert result.value == pytest.approx(0, abs=1e-7)
    assert result.missing == {"targets": ["movie"]}


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda v: compare(v, v, measure="weat"), "a WEAT has one number and no targets to pair"),
        (lambda v: compare_decisions([1.0], [1.0, 0.0], ["a"]), r"\(1,\) of the first, \(2,\)"),
        (lambda v: compare_decisions([2.0], [1.0], ["a"]), "a decision is not between 0 and 1"),
        (lambda v: compare_decisions([1.0], [1.0], ["a", "b"]), "1 items have decisions, 2 have"),
    ],
)
def test_what_cannot_be_compared_is_told_in_a_line(reviews, call, message):
    with pytest.raises(UserError, match=message):
        call(reviews)
