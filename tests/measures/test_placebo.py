"""Placebo words: which are drawn, and the positions of words among them."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import special_ortho_group

from socialbias.measures.placebo import (
    are_near,
    axis,
    cohesion,
    draw,
    is_by_frequency,
    neighbouring_sets,
    positions,
)
from socialbias.stats.similarity import cosine_matrix

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


def test_each_target_has_as_many_placebo_words_around_its_rank():
    words = by_rank()
    drawn = draw(words, [words[100], words[2000]], [], 1, 60)
    places = np.array([words.index(word) for word in drawn.words])
    assert [(places < 500).sum(), (places >= 1000).sum()] == [30, 30]


def test_words_that_are_not_sorted_are_drawn_from_all():
    words = sorted(by_rank())
    drawn = draw(words, [words[3]], [], 1, 1000)
    places = np.array([words.index(word) for word in drawn.words])
    assert not drawn.matched
    assert abs(places.mean() - 2500) < 5 * 5000 / np.sqrt(12 * 1000)


def test_the_seed_and_not_the_order_of_the_targets_decides():
    words = by_rank()
    one, two, three = (draw(words, ts, [], s, 50).words for ts, s in [
        (words[10:12], 1), (words[11:9:-1], 1), (words[10:12], 2)])  # fmt: skip
    assert one == two != three


def test_near_neighbours_of_group_words_are_found():
    rng = np.random.default_rng(3)
    words, groups = rng.standard_normal((400, 40)), rng.standard_normal((2, 4, 40))
    words[:3] = 5 * groups[0, 0] + rng.standard_normal((3, 40))
    assert are_near(words, groups)[:3].all()
    assert are_near(words, groups)[3:].mean() < 0.05  # by chance .00135 for each of eight


def test_positions_are_those_worked_out_by_hand():
    # Their mean is (1, 1); from there they point along the axis, against it and across it twice.
    placebo = [[2, 1], [0, 1], [1, 2], [1, 0]]
    found = positions([[4, 1], [1, 5], [2, 2]], placebo, axis([[[3, 0]], [[1, 0]]]))
    deviation = np.sqrt(2 / 3)  # of 1, -1, 0, 0
    assert found == pytest.approx(np.array([1, 0, np.sqrt(0.5)]) / deviation)
    both = positions([[4, 1]], placebo, [[2, 0], [-2, 0]])
    assert both == pytest.approx(np.array([[1], [-1]]) / deviation)
    assert np.isnan(positions([[4, 1]], [[1, 1], [1, 1]], [1, 0])).all()


def test_an_axis_of_three_groups_is_between_the_first_and_the_others():
    assert axis([[[3, 1]], [[1, 0], [3, 0]], [[0, 2]]]) == pytest.approx([2, 0])


@given(st.integers(0, 2**32 - 1), st.floats(0.01, 100))
def test_positions_and_neighbours_stay_where_vectors_are_shifted_rotated_or_scaled(seed, scale):
    rng = np.random.default_rng(seed)
    sizes, d = [7, 30, 5, 6], 8
    rows = rng.standard_normal((sum(sizes), d)) + rng.standard_normal(d)
    turn = special_ortho_group.rvs(d, random_state=rng)
    moved = scale * rows @ turn + 10 * scale * rng.standard_normal(d)
    (t, p, *g), (t2, p2, *g2) = (np.split(each, np.cumsum(sizes)[:-1]) for each in (rows, moved))
    assert positions(t2, p2, axis(g2)) == pytest.approx(positions(t, p, axis(g)), abs=1e-7)
    assert (are_near(p2, g2) == are_near(p, g)).all()


def test_sets_of_neighbours_are_as_large_and_as_coherent_as_given_ones():
    rng = np.random.default_rng(1)
    themes = 2 * rng.standard_normal((60, 20))
    words = np.vstack([theme + rng.standard_normal((20, 20)) for theme in themes])
    given = [words[:6], words[rng.choice(len(words), 9)]]  # of one theme, and of many
    for made, like in zip(neighbouring_sets(words, given, rng, 50), given, strict=True):
        assert made.shape == (50, len(like))
        assert all(len(set(row)) == len(like) for row in made.tolist())
        found = [cohesion(cosine_matrix(words[row], words[row])) for row in made]
        assert np.median(found) == pytest.approx(cohesion(cosine_matrix(like, like)), abs=0.1)


def test_sets_of_neighbours_by_hand():
    # Three words around each axis: neighbours are within 2 degrees, all others 88 or more away.
    angles = np.radians([0, 1, 2, 90, 91, 92])
    words = np.column_stack([np.cos(angles), np.sin(angles)])
    rng = np.random.default_rng(1)
    near, apart, too_many = neighbouring_sets(
        words, [words[:2], words[[0, 3]], words[[0] * 9]], rng
    )
    assert ((near < 3).sum(axis=1) != 1).all()
    assert ((apart < 3).sum(axis=1) == 1).all()
    assert (np.sort(too_many) == np.arange(6)).all()  # of six words no set has nine


def test_cohesion_by_hand():
    # Pairs at right angles, and one word twice: cosines of 0, 0 and 1.
    rows = np.array([[1, 0], [0, 1], [0, 2]])
    assert cohesion(cosine_matrix(rows, rows)) == pytest.approx(1 / 3)
