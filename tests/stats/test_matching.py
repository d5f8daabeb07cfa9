import numpy as np
import pytest
from numpy.testing import assert_array_equal

from socialbias.errors import UserError
from socialbias.stats.matching import matched_lists

RANKS = np.array([500, 100, 0, 3, 990, 101])


def rng(seed=0):
    return np.random.default_rng(seed)


@pytest.fixture(scope="module")
def lists():
    return matched_lists(RANKS, 1000, 4000, np.random.default_rng(1))


def test_a_word_lies_within_a_fifth_of_the_rank_or_ten_ranks_and_in_the_vocabulary(lists):
    assert lists.shape == (4000, 6)
    # 500 -+ 100, 100 -+ 20, 0 + 10, 3 + 10 from the first rank on, 990 - 198 to the last rank
    assert_array_equal(lists.min(axis=0), [400, 80, 1, 1, 792, 81])
    assert_array_equal(lists.max(axis=0), [600, 120, 10, 13, 999, 121])


def test_the_words_themselves_are_never_drawn_and_every_other_word_of_a_band_is(lists):
    assert not np.isin(lists, RANKS).any()
    assert set(lists[:, 1]) == set(range(80, 121)) - {100, 101}
    assert set(lists[:, 2]) == set(range(11)) - {0, 3}


def test_words_are_distinct_within_a_list(lists):
    assert all(len(set(row)) == 6 for row in lists.tolist())


def test_words_of_a_band_are_equally_likely():
    drawn = matched_lists(np.array([100]), 1000, 8000, rng(2))[:, 0]
    counts = np.bincount(drawn - 80, minlength=41)[[i for i in range(41) if i != 20]]
    assert len(counts) == 40
    assert (np.abs(counts - 200) < 5 * np.sqrt(200)).all()


def test_the_lists_are_reproducible_by_their_seed():
    first, again, other = (matched_lists(RANKS, 1000, 20, rng(s)) for s in (1, 1, 2))
    assert_array_equal(first, again)
    assert (first != other).any()


@pytest.mark.parametrize(("ranks", "size"), [([0, 1, 2], 3), ([0, 1, 2], 5)])
def test_bands_with_too_few_other_words_are_refused(ranks, size):
    with pytest.raises(UserError, match="too few words of similar frequency"):
        matched_lists(np.array(ranks), size, 5, rng())


def test_bands_with_just_enough_other_words_are_used_up():
    lists = matched_lists(np.array([0, 1, 2]), 6, 50, rng())
    assert {tuple(sorted(row)) for row in lists.tolist()} == {(3, 4, 5)}
