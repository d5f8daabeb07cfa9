"""What is asked about the numbers of targets, and of equally coherent topics."""

import numpy as np
import pytest
from scipy.stats import t

from socialbias.measurement.topics import (
    RANDOM,
    TOPICS,
    ControlSets,
    answer,
    answers,
    contrast,
    contrast_grown,
    control_sets,
    differences,
    is_outside,
    mean,
    of_first,
    order,
    over_targets,
    root_mean_square,
    statistic,
)
from socialbias.measures.registry import MEASURES
from socialbias.stats.similarity import unit_rows

POSITION, SHARE = MEASURES["position"], MEASURES["divdist"]
WORDS = np.array([-2.0, -1, 0, 1, 2])  # 95 % of them are from -1.9 to 1.9
TOPIC_SETS = np.array([[0, 1], [1, 2], [2, 3], [3, 4]])
SETS = ControlSets(TOPIC_SETS, np.array([[0, 4], [1, 3]]), (0.5, 0.5))


def test_answers_are_ranks_among_topics_and_among_random_words():
    near, far = np.sqrt(0.5), np.sqrt(2.5)  # root mean squares of the topics
    by_hand = [  # question, control sets, value, median, p-value
        ("spread", TOPICS, 2, (near + far) / 2, 1 / 5),
        ("spread", RANDOM, 2, 1.5, 2 / 3),
        ("direction", TOPICS, 0, 0, 1),
        ("direction", RANDOM, 0, 0, 1),
        ("outside", TOPICS, 2, 0.5, 1 / 5),
        ("outside", RANDOM, 2, 1, 2 / 3),
    ]
    found = list(answers(np.array([-2.0, 2]), WORDS, SETS, POSITION))
    for each, expected in zip(found, by_hand, strict=True):
        assert (each.question, each.among) == expected[:2]
        assert [each.value, each.middle, each.p_value] == pytest.approx(expected[2:])
    sizes = list(answers(np.array([1.0, 2]), WORDS + 2, SETS, SHARE))
    assert [(each.question, each.n) for each in sizes if each.among == TOPICS] == [
        ("size", 4), ("outside", 4)]  # fmt: skip
    assert [statistic(each)[1] for each in (POSITION, SHARE)] == [root_mean_square, mean]


@pytest.mark.parametrize(
    ("signed", "ends", "p", "detectable"),
    # 20 % of the controls are below 20, and 5 % above 95, or farther than 48 from 50.
    [(False, [5, 95], 4 / 102, 75), (True, [2.5, 97.5], 7 / 102, 48 + 30)],
)
def test_an_effect_is_detectable_where_80_percent_of_the_controls_would_be_found(
    signed, ends, p, detectable
):
    found = answer("spread", 98, TOPICS, np.arange(101.0), signed)
    assert (found.middle, found.n) == (50, 101)
    assert [found.low, found.high, found.p_value] == pytest.approx([*ends, p])
    assert found.detectable == pytest.approx(detectable)


def test_outside_is_beyond_the_middle_95_percent_or_the_smallest():
    words = np.arange(1001.0)
    values = np.array([24.0, 26, 949, 951, 976])
    assert is_outside(values, words, True).tolist() == [True, False, False, False, True]
    assert is_outside(values, words, False).tolist() == [False, False, False, True, True]


@pytest.mark.parametrize("measure", [POSITION, SHARE])
def test_a_difference_is_the_opposite_where_the_subjects_are_exchanged(measure):
    rng = np.random.default_rng(1)
    values, words = rng.gamma(2, size=(2, 9)), rng.gamma(2, size=(2, 300))
    controls = ControlSets(*rng.integers(300, size=(2, 150, 9)), (0.1, 0.1))
    ways = (differences(values[::way], words[::way], controls, measure) for way in (1, -1))
    for (one, sides, apart), (other, exchanged, negated) in zip(*ways, strict=True):
        assert one.value == pytest.approx(sides[1] - sides[0])
        assert sides == exchanged[::-1]
        assert apart == pytest.approx(-negated)
        assert (one.question, one.p_value) == (other.question, other.p_value)
        of_one = [one.value, one.middle, one.low, one.high, one.detectable]
        exchanged = [-other.value, -other.middle, -other.high, -other.low, other.detectable]
        assert of_one == pytest.approx(exchanged)


def test_the_interval_over_targets_is_nearly_students():
    values = np.random.default_rng(3).standard_normal(12)
    low, high = over_targets(values, [*map(str, values)], mean, 1, 0.95)
    by_scipy = t.interval(0.95, 11, values.mean(), values.std(ddof=1) / np.sqrt(12))
    assert (low, high) == pytest.approx(by_scipy, abs=0.1)
    assert np.isnan(over_targets(values[:1], ["one"], mean, 1, 0.95)).all()


@pytest.fixture(scope="module")
def space():
    """Words of 60 topics in 50 dimensions, and 60 axes that none of them knows."""
    rng = np.random.default_rng(5)
    words = rng.standard_normal((60, 1, 50)) + rng.standard_normal((60, 25, 50))
    return words, unit_rows(rng.standard_normal((60, 50)))


def p_of(targets, words, axes, shift=0.0):
    """P-values of the targets' spread and direction on each axis, by kind of control set."""
    controls, found = control_sets(targets, words, np.random.default_rng(1)), {}
    for axis in axes:
        numbers = [unit_rows(rows) @ axis for rows in (targets, words)]
        of_words = numbers[1].std()
        for each in answers(
            numbers[0] / of_words + shift, numbers[1] / of_words, controls, POSITION
        ):
            found.setdefault((each.question, each.among), []).append(each.p_value)
    return {name: np.array(p) for name, p in found.items()}


def test_coherent_targets_without_bias_are_seldom_found_and_planted_ones_often(space):
    words, axes = space
    others = [np.vstack(np.delete(words, i, axis=0)) for i in range(6)]
    alike = [p_of(words[i, :8], others[i], axes) for i in range(6)]
    share = {name: (np.stack([p[name] for p in alike]) <= 0.05).mean() for name in alike[0]}
    for question in ("spread", "direction"):
        assert share[question, TOPICS] < 0.08  # 360 worlds at 5 %
        assert share[question, RANDOM] > 0.09  # which is why topics are the control sets
    planted = p_of(words[0, :8], others[0], axes, shift=2)
    assert min((p <= 0.05).mean() for p in planted.values()) > 0.6


def test_random_targets_are_seldom_found(space):
    words, axes = space
    rows = np.random.default_rng(2).permutation(np.vstack(words))
    found = [p_of(rows[8 * i : 8 * i + 8], rows[80:], axes) for i in range(6)]
    for name in found[0]:
        assert (np.stack([p[name] for p in found]) <= 0.05).mean() < 0.09


def test_a_contrast_and_an_order_by_hand():
    rng = np.random.default_rng(0)
    found = contrast(np.array([3.0, 4, 5]), np.array([0.0, 1]), rng)
    assert (found.value, found.p_value) == pytest.approx((3.5, 2 / 10))  # of ten ways to divide
    found = order(np.array([1.0, 3, 4, 8, 9]), np.array([10.0, 20, 30, 40, 50]), rng)
    assert (found.value, found.p_value) == pytest.approx((1, 2 / 120))  # of 120 orders
    assert order(np.array([1.0, 3, 4, 9, 8]), np.arange(5.0), rng).value == pytest.approx(0.9)


def test_a_contrast_grows_if_the_second_subject_moves_the_lists_apart():
    values, lists = np.array([[1.0, 1, 0, 0], [2, 2, 0, 0]]), [[0, 1], [2, 3]]
    for both, grown in ((values, 1), (values[::-1], -1), (values * [[1], [-1]], 1)):
        found, sides, _ = contrast_grown(both, lists, np.random.default_rng(0))
        assert (found.value, sides[1] - sides[0]) == (grown, grown)
    moved = sorted(contrast_grown(values, lists, np.random.default_rng(0))[2])
    assert moved == pytest.approx([-1, 0, 0, 0, 0, 1])  # of six ways to divide four words


def test_without_topics_nothing_is_decided():
    rng, words = np.random.default_rng(2), np.random.default_rng(3).standard_normal(300)
    none = np.empty((0, 4), int)
    controls = ControlSets(none, rng.integers(300, size=(150, 4)), (0.9, np.nan))
    found = list(answers(np.full(4, 9.0), words, controls, POSITION))
    assert {each.among for each in found} == {RANDOM}
    assert of_first(found).keys() == {"value", "answers", "null"}
