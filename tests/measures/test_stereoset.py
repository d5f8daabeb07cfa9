"""StereoSet's scores: by hand, against a loop over items, and what they must not depend on."""

import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy import stats

from socialbias.errors import UserError
from socialbias.measures.stereoset import (
    idealized_cat_score,
    of_one_term,
    summary,
    term_scores,
)

TIES = ("anti-stereotype", "left out")
# Stereotype, anti-stereotype, unrelated.
ITEMS = [(3, 2, 1), (2, 3, 1), (1, 2, 3), (2, 1, 3), (3, 1, 2), (1, 1, 1)]
TERMS = ["x", "x", "y", "z", "z", "z"]


def values(scores, terms, ties="anti-stereotype"):
    return {
        name: score.value for name, score in summary(term_scores(scores, terms, ties), 1).items()
    }


def test_three_terms_by_hand():
    found = term_scores(ITEMS, TERMS)
    assert found.terms == ("x", "y", "z")
    assert found.items.tolist() == [2, 1, 3]
    # Of two comparisons an item with the unrelated candidate: 4 of 4, 0 of 2, 1 of 6.
    assert_allclose(found.lms, [100, 0, 100 / 6])
    assert_allclose(found.ss, [100 / 2, 0, 200 / 3])
    # Means over terms, not over items, of which 3 of 6 prefer the stereotype.
    lms, ss = (100 + 0 + 100 / 6) / 3, (100 / 2 + 0 + 200 / 3) / 3
    assert values(ITEMS, TERMS) == pytest.approx({"lms": lms, "ss": ss, "icat": lms * ss / 50})


@pytest.mark.parametrize(
    ("lms", "ss", "icat"), [(100, 50, 100), (100, 100, 0), (100, 0, 0), (50, 50, 50), (80, 75, 40)]
)
def test_icat_has_the_properties_of_section_5_2(lms, ss, icat):
    assert idealized_cat_score(lms, ss) == icat


def one_by_one(scores, terms, ties):
    """The three scores, an item and a comparison at a time."""
    lms, ss = [], []
    for term in sorted(set(terms)):
        related = meaningful = preferred = decided = 0
        for (stereotype, anti, unrelated), own in zip(scores, terms, strict=True):
            if own != term:
                continue
            for candidate in (stereotype, anti):
                if candidate != unrelated or ties == "anti-stereotype":
                    meaningful += 1
                    related += candidate > unrelated
            if stereotype != anti or ties == "anti-stereotype":
                decided += 1
                preferred += stereotype > anti
        if meaningful:
            lms.append(100 * related / meaningful)
        if decided:
            ss.append(100 * preferred / decided)
    if not lms or not ss:
        return None
    lms, ss = sum(lms) / len(lms), sum(ss) / len(ss)
    return {"lms": lms, "ss": ss, "icat": lms * min(ss, 100 - ss) / 50}


few = st.integers(-2, 2)  # so that there are ties
some_items = st.lists(st.tuples(st.sampled_from("abcde"), st.tuples(few, few, few)), min_size=1)


@given(some_items, st.sampled_from(TIES))
def test_as_an_item_at_a_time(items, ties):
    terms, scores = zip(*items, strict=True)
    expected = one_by_one(scores, terms, ties)
    if expected is not None:
        assert values(scores, terms, ties) == pytest.approx(expected, rel=1e-12)


def simulated(number, seed=3):
    """Items of so many terms, five each, whose preference varies over terms."""
    rng = np.random.default_rng(seed)
    terms = np.repeat([f"t{i:03}" for i in range(number)], 5)
    shift = np.repeat(rng.normal(0.3, 0.7, number), 5)
    scores = rng.normal(size=(5 * number, 3)) + np.stack([shift, 0 * shift, 0 * shift - 0.7], 1)
    return term_scores(scores, terms.tolist())


def test_intervals_are_students_over_terms():
    found = simulated(60)
    for name, numbers in (("lms", found.lms), ("ss", found.ss)):
        score = summary(found, 1)[name]
        low, high = stats.t.interval(0.95, 59, numbers.mean(), stats.sem(numbers))
        assert score.low == pytest.approx(low, abs=0.12 * (high - low))
        assert score.high == pytest.approx(high, abs=0.12 * (high - low))
        assert len(score.draws) == 1000


def test_one_term_has_no_interval_over_terms():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = summary(term_scores([(3, 2, 1), (1, 3, 2)], ["x", "x"]), 1)
    assert [score.value for score in found.values()] == [75, 50, 75]
    assert all(np.isnan([score.low, score.high]).all() for score in found.values())
    assert all(np.isnan(score.draws).all() for score in found.values())


def test_the_items_of_one_term_have_an_interval_over_items():
    scores = [(3, 2, 1)] * 6 + [(1, 3, 2)] * 2
    found = of_one_term(scores, 1, "x")
    assert [found[name].value for name in ("lms", "ss")] == [100 * 14 / 16, 75]
    assert found["ss"].low < 75 < found["ss"].high
    assert found["ss"].value == term_scores(scores, ["x"] * 8).ss[0]


def test_a_term_of_ties_alone_is_left_out_of_the_mean():
    scores, terms = [(1, 1, 0), (2, 1, 0)], ["tied", "told"]
    assert np.isnan(term_scores(scores, terms, "left out").ss[0])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert values(scores, terms, "left out") == {"lms": 100, "ss": 100, "icat": 0}
        assert np.isnan(values(scores[:1], terms[:1], "left out")["ss"])


@pytest.mark.parametrize(
    ("scores", "terms", "message"),
    [
        ([(1, 2)], ["x"], r"scores need the shape \(items, 3\), got \(1, 2\)"),
        ([1, 2, 3], ["x"], r"scores need the shape \(items, 3\), got \(3,\)"),
        (np.empty((0, 3)), [], r"scores need the shape \(items, 3\), got \(0, 3\)"),
        ([(1, 2, 3), (1, np.nan, 3)], ["x", "y"], "a score of item 1 is not a number"),
        ([(1, 2, 3)], ["x", "y"], "2 terms for 1 items"),
    ],
)
def test_what_is_no_score_is_one_line(scores, terms, message):
    with pytest.raises(UserError, match=message) as caught:
        term_scores(scores, terms)
    assert "\n" not in str(caught.value)
