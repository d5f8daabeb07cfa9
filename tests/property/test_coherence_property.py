"""What must hold of coherence and the PCA method, whatever the words."""

import numpy as np
from hypothesis import assume, given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.testing import assert_allclose

from socialbias.measures.coherence import coherence, coherences, set_similarity, weat_direction
from socialbias.measures.pca_bias import explained_variances, pca_bias

whole = st.integers(-4, 4).map(float)


@st.composite
def scored(draw):
    size = draw(st.integers(2, 20))
    scores = draw(arrays(float, size, elements=whole))
    rows = st.lists(st.integers(0, size - 1), min_size=1, max_size=6)
    return scores, draw(rows), draw(rows)


@st.composite
def paired(draw):
    size, d = draw(st.integers(2, 6)), draw(st.integers(1, 5))
    return [draw(arrays(float, (size, d), elements=whole)) for _ in range(2)]


@given(scored())
def test_coherence_lies_between_zero_and_one_and_has_no_sides(world):
    scores, first, second = world
    found = coherence(scores, first, second)
    assert 0 <= found <= 1
    assert coherence(scores, second, first) == found


@given(scored(), st.sampled_from([np.exp, np.arctan, lambda x: 3 * x - 2, lambda x: x**3]))
def test_only_the_order_of_the_scores_counts(world, transform):
    scores, first, second = world
    assert_allclose(coherence(transform(scores), first, second), coherence(*world), atol=1e-12)


@given(scored())
def test_the_opposite_direction_has_the_same_coherence(world):
    scores, first, second = world
    assert_allclose(coherence(-scores, first, second), coherence(*world), atol=1e-12)


@given(scored())
def test_a_set_has_no_coherence_with_itself(world):
    scores, first, _ = world
    assert_allclose(coherence(scores, first, first[::-1]), 0, atol=1e-12)


@given(arrays(float, (8, 3), elements=whole), st.sampled_from([1 / 8, 4.0, 1024.0]))
def test_the_length_of_a_direction_plays_no_part(vocabulary, scale):
    direction = weat_direction(vocabulary[:2], vocabulary[2:5])
    assume(np.linalg.norm(direction) > 1e-3)
    pair = [([0, 1], [2, 3, 4])]
    # By powers of two, so that no rounding parts equal cosines.
    assert coherences(vocabulary, [scale * direction], pair) == coherences(
        vocabulary, [direction], pair
    )


@given(paired())
def test_similarity_has_no_sides_and_bounds(pair):
    for how in ("means", "pairwise"):
        found = set_similarity(*pair, how)
        assert -1 <= found <= 1
        assert_allclose(set_similarity(*pair[::-1], how), found, atol=1e-12)


@given(paired(), st.randoms(use_true_random=False))
def test_shuffling_both_lists_in_lockstep_changes_nothing(pair, random):
    order = list(range(len(pair[0])))
    random.shuffle(order)
    for centre in (False, True):
        plain = pca_bias(*pair, centre)
        again = pca_bias(*(side[order] for side in pair), centre=centre)
        assert_allclose(again.explained, plain.explained, atol=1e-9)


@given(paired())
def test_shares_of_variance_fall_and_sum_to_one(pair):
    found = pca_bias(*pair).explained
    assume(not np.isnan(found).any())
    assert_allclose(found.sum(), 1)
    assert (np.diff(found) <= 1e-12).all()
    assert (found >= 0).all()


@given(paired())
def test_the_sets_can_be_swapped(pair):
    plain, swapped = pca_bias(*pair), pca_bias(*pair[::-1])
    assert_allclose(swapped.explained, plain.explained, atol=1e-9)


@given(paired())
def test_the_quick_way_gives_the_shares_of_the_whole_method(pair):
    plain = pca_bias(*pair).explained
    quick = explained_variances(*pair, [range(len(plain))])[0]
    assert_allclose(quick, plain, atol=1e-9)
