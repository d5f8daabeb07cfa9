import numpy as np
import pytest
from scipy import stats

from socialbias.stats.correlation import partial_spearman


def by_formula(x, y, z):
    """(r_xy - r_xz r_yz) / sqrt((1 - r_xz^2)(1 - r_yz^2)) on ranks, and Student's t."""
    xy, xz, yz = (stats.spearmanr(a, b).statistic for a, b in ((x, y), (x, z), (y, z)))
    r = (xy - xz * yz) / np.sqrt((1 - xz**2) * (1 - yz**2))
    t = r * np.sqrt((len(x) - 3) / (1 - r**2))
    return r, 2 * stats.t.sf(abs(t), len(x) - 3)


@pytest.mark.parametrize("ties", [False, True])
@pytest.mark.parametrize("n", [5, 6, 40])
def test_it_is_the_formula_on_ranks(n, ties):
    x, y, z = np.random.default_rng(n).normal(size=(3, n))
    x, y = x + z, y - z
    if ties:
        x, y, z = x.round(), y.round(), z.round()
    assert partial_spearman(x, y, z) == pytest.approx(by_formula(x, y, z))


def test_a_perfect_partial_correlation_has_p_near_0():
    rho, p = partial_spearman([1, 2, 3, 4, 5, 6], [1, 2, 3, 4, 5, 6], [2, 1, 6, 3, 5, 4])
    assert rho == pytest.approx(1)
    assert 0 <= p < 1e-12


@pytest.mark.parametrize(
    ("x", "y", "z"),
    [
        ([1, 2, 3, 4], [2, 1, 4, 3], [1, 3, 2, 4]),
        ([1, 2, 3, 4, 5], [2, 1, 4, 3, 5], [1, 2, 3, 4, 5]),
        ([1, 2, 3, 4, 5], [7, 7, 7, 7, 7], [2, 1, 4, 3, 5]),
        ([], [], []),
    ],
    ids=["four", "x is the third", "y is flat", "none"],
)
def test_too_few_numbers_or_none_left_to_vary_have_no_partial_correlation(x, y, z):
    assert np.isnan(partial_spearman(x, y, z)).all()
