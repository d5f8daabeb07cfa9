"""Placebo words: which are drawn, and the positions of words among them."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.distance import mahalanobis
from scipy.stats import special_ortho_group

from socialbias.measures.placebo import (
    RandomWords,
    are_near,
    axis,
    cohesion,
    draw,
    is_by_frequency,
    neighbouring_sets,
    octaves,
)
from socialbias.stats.similarity import unit_rows

LETTERS = "abcdefghij"


def by_rank(n=5000):
    """Words that get longer, as in a file that is sorted by frequency."""
    return ["".join(LETTERS[int(digit)] for digit in f"{100 + i}"[::-1]) for i in range(n)]


def test_a_vocabulary_is_by_frequency_where_frequent_words_are_shorter():
    words = by_rank()
    assert is_by_frequency(words)
    assert not is_by_frequency(sorted(words))
    assert not is_by_frequency(words[::-1])
    assert not is_by_frequency(list(np.random.default_rng(0).permutation(words)))
    assert not is_by_frequency(words[:50])


def test_placebo_words_are_alphabetic_and_none_that_is_left_out():
    names = ["Paris", "Mary", "lamp", "sea", "nurse", "Bäume", "木"]
    words = [*names, "ab", "it's", "x1", "two words"]
    assert set(draw(words, ["nurse"], ["MARY"], 1).words) == {"lamp", "sea", "木"}
    assert set(draw(words, ["Nurse"], ["mary"], 1).words) == {"Paris", "lamp", "sea", "Bäume", "木"}


@pytest.mark.parametrize("rank", [5, 100, 3000])
def test_placebo_words_are_as_frequent_as_the_targets(rank):
    words = by_rank()
    drawn = draw(words, [words[rank]], [], 1, 40)
    places = np.array([words.index(word) for word in drawn.words])
    assert drawn.matched
    assert len(set(places.tolist()) - {rank}) == 40
    within = (places >= rank // 2) & (places <= 2 * rank) if rank > 40 else places <= 60
    assert within.all()


def test_words_that_are_not_sorted_are_drawn_from_all():
    words = sorted(by_rank())
    drawn = draw(words, [words[3]], [], 1, 1000)
    places = np.array([words.index(word) for word in drawn.words])
    assert not drawn.matched
    assert abs(places.mean() - 2500) < 5 * 5000 / np.sqrt(12 * 1000)


def test_near_neighbours_of_group_words_are_found():
    rng = np.random.default_rng(3)
    words, groups = rng.standard_normal((400, 40)), rng.standard_normal((2, 4, 40))
    words[:3] = 5 * groups[0, 0] + rng.standard_normal((3, 40))
    assert are_near(words, groups)[:3].all()
    assert are_near(words, groups)[3:].mean() < 0.05  # by chance .00135 for each of eight


def test_positions_are_those_among_random_words_of_the_same_kind():
    # Around their mean (1, 1), cosines with the axis are 1, 0, 0 in one kind and -1, 0, 0 in the
    # other: means of 1/3 and -1/3, and a variance of 1/3. The target's is 3/5.
    random = [[2, 1], [1, 2], [1, 0], [0, 1], [1, 3], [1, -1]]
    words = RandomWords(random, np.array([7, 7, 7, 9, 9, 9]))
    targets, kinds = [[4, 5], [4, 5], [1, 1]], np.array([7, 9, 9])
    by_hand = np.array([3 / 5 - 1 / 3, 3 / 5 + 1 / 3, 1 / 3]) * np.sqrt(3)
    groups = [[[3, 0]], [[1, 0]]]
    assert words.positions(targets, kinds, axis(groups)) == pytest.approx(by_hand)
    assert words.position(targets, kinds, groups) == pytest.approx(by_hand)
    assert words.position(targets, kinds, groups[::-1]) == pytest.approx(-by_hand)
    assert words.distances(targets, kinds, groups) == pytest.approx(np.abs(by_hand))
    both = words.positions(targets, kinds, [[2, 0], [-2, 0]])
    assert both == pytest.approx(np.stack([by_hand, -by_hand]))


def test_random_words_at_one_place_give_no_position():
    words = RandomWords([[1, 0, 0], [-1, 0, 0], [0, 1, 0]], np.zeros(3, int))
    targets, kinds, groups = [[1, 1, 1]], np.zeros(1, int), [[[1, 0, 0]], [[0, 1, 0]], [[0, 0, 1]]]
    assert np.isnan(words.positions(targets, kinds, [0, 0, 1])).all()
    assert np.isfinite(words.position(targets, kinds, groups[:2])).all()
    same = RandomWords([[2, 1, 0]] * 3, np.zeros(3, int))
    assert np.isnan(same.position(targets, kinds, groups)).all()


@given(st.integers(0, 2**32 - 1), st.floats(0.01, 100))
def test_positions_and_neighbours_stay_where_vectors_are_shifted_rotated_or_scaled(seed, scale):
    rng = np.random.default_rng(seed)
    sizes, d = [7, 30, 5, 6, 4], 8
    rows = rng.standard_normal((sum(sizes), d)) + rng.standard_normal(d)
    turn = special_ortho_group.rvs(d, random_state=rng)
    moved = scale * rows @ turn + 10 * scale * rng.standard_normal(d)
    kinds, found = rng.permutation(np.arange(37) % 2), []
    for each in (rows, moved):
        targets, random, *groups = np.split(each, np.cumsum(sizes)[:-1])
        words = RandomWords(random, kinds[7:])
        of_two, of_three = (words.position(targets, kinds[:7], groups[:n]) for n in (2, 3))
        found.append([*of_two, *of_three, *are_near(random, groups)])
        means, units = np.stack([g.mean(axis=0) for g in groups]), words.units(random)
        for target, kind, distance in zip(words.units(targets), kinds[:7], of_three, strict=True):
            across = means[1:] - means[0]  # any basis of the span gives the same distance
            cosines = units[kinds[7:] == kind] @ across.T
            inverse = np.linalg.inv(np.cov(cosines.T))
            by_scipy = mahalanobis(across @ target, cosines.mean(axis=0), inverse)
            assert distance == pytest.approx(by_scipy, rel=1e-5)
    assert found[1] == pytest.approx(found[0], abs=1e-6)


def test_octaves_are_those_of_ranks_and_rare_ones_count_as_their_neighbours():
    words = by_rank(1000)  # of ranks 1 to 1000
    asked = [words[0], words[199], words[255], words[899], "never", words[300].upper()]
    for last, by_hand in [(1000, [7, 7, 8, 9, 9, 8]), (560, [7, 7, 8, 8, 8, 8]), (180, [0] * 6)]:
        assert octaves(words, asked, words[127:last]) == by_hand  # 7 begins with rank 128


def test_cohesion_is_the_mean_cosine_of_all_pairs():
    sets = unit_rows(np.random.default_rng(2).standard_normal((30, 7))).reshape(6, 5, 7)
    pairs = [[s[i] @ s[j] for i in range(5) for j in range(5) if i != j] for s in sets]
    assert cohesion(sets) == pytest.approx(np.mean(pairs, axis=1))


def test_sets_of_neighbours_by_hand():
    # Three words around each axis: neighbours are within 2 degrees, all others 88 or more away.
    angles = np.radians([0, 1, 2, 90, 91, 92])
    words, rng = np.column_stack([np.cos(angles), np.sin(angles)]), np.random.default_rng(1)
    near, apart, too_many = (
        neighbouring_sets(words, words[like], rng)[0] for like in ([0, 1], [0, 3], [0] * 9)
    )
    assert ((near < 3).sum(axis=1) != 1).all()
    assert ((apart < 3).sum(axis=1) == 1).all()
    assert (np.sort(too_many) == np.arange(6)).all()  # of six words no set has nine
