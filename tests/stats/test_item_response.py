"""The item-response model: published estimates, naive integration, and planted truths."""

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.optimize import approx_fprime
from scipy.special import expit

from socialbias.errors import UserError
from socialbias.stats.item_response import (
    MAX_LOADING,
    SMALL,
    _likelihood,
    against_all,
    correlations,
    fit,
)

NAMES = [f"model {i}" for i in range(10)]
# The Law School Admission Test's section 6 (Bock and Lieberman 1970): how many of 1,000 persons
# answered five questions 00000, 00001, ..., 11111.
LSAT = [3, 6, 2, 11, 1, 1, 3, 4, 1, 8, 0, 16, 0, 3, 2, 15]
LSAT += [10, 29, 14, 81, 3, 28, 15, 80, 16, 56, 21, 173, 11, 61, 28, 298]


def planted(seed: int, n: int = 2000, m: int = 10):
    """Decisions (n, m) of which one loading is negative, the covariate, and all parameters."""
    rng = np.random.default_rng(seed)
    loadings, intercepts = rng.uniform(0.4, 2.5, m), rng.uniform(-1, 1, m)
    loadings[rng.integers(m)] *= -1
    x = rng.integers(6, size=n) / 5
    theta = 0.5 * (x - x.mean()) + rng.standard_normal(n)
    y = rng.uniform(size=(n, m)) < expit(intercepts + theta[:, None] * loadings)
    return y.astype(float), x, np.array([*intercepts, *loadings, 0.5])


def test_estimates_are_the_published_ones():
    # Slopes and standard errors as programs print them since Bock and Aitkin 1981.
    patterns = [[int(answer) for answer in f"{at:05b}"] for at in range(32)]
    found = fit(np.repeat(patterns, LSAT, axis=0), "abcde")
    assert found.log_likelihood == pytest.approx(-2466.65, abs=0.01)
    assert found.loadings == pytest.approx([0.825, 0.723, 0.890, 0.689, 0.657], abs=0.002)
    assert found.intercepts == pytest.approx([2.773, 0.990, 0.249, 1.285, 2.053], abs=0.002)
    errors = np.sqrt(np.diag(found.covariance))[5:]
    assert errors == pytest.approx([0.258, 0.187, 0.233, 0.185, 0.210], abs=0.001)


def test_likelihood_is_the_integral_and_its_gradient_the_derivative():
    y, x = np.array([[1, 0, 1], [0, np.nan, 1], [1, 1, 0]]), np.array([[-0.5], [0.2], [0.3]])
    parameters = np.array([0.3, -0.2, 1.0, 1.2, -0.7, 5.0, 0.8])
    intercepts, loadings, slope = parameters[:3], parameters[3:6], parameters[6]

    def density(theta, row, place):
        chances = expit(intercepts + loadings * theta)
        known = np.where(np.isnan(row), 1, np.where(row == 1, chances, 1 - chances))
        return known.prod() * np.exp(-0.5 * (theta - slope * place) ** 2) / np.sqrt(2 * np.pi)

    integrals = [
        quad(density, -9, 9, (row, at), points=[0])[0] for row, at in zip(y, x[:, 0], strict=True)
    ]
    value, gradients = _likelihood(parameters, y, x)
    assert value == pytest.approx(np.log(integrals).sum(), abs=1e-7)
    naive = approx_fprime(parameters, lambda p: _likelihood(p, y, x)[0], 1e-6)
    assert gradients.sum(axis=0) == pytest.approx(naive, abs=1e-4)


def test_most_loadings_are_positive_whichever_way_the_decisions_point():
    y, x, _ = planted(1, n=600, m=5)
    found, turned = fit(y, NAMES[:5], x), fit(1 - y, NAMES[:5], x)
    assert turned.loadings == pytest.approx(found.loadings, abs=1e-3)
    assert turned.intercepts == pytest.approx(-found.intercepts, abs=1e-3)
    assert turned.coefficients == pytest.approx(-found.coefficients, abs=1e-3)
    assert turned.log_likelihood == pytest.approx(found.log_likelihood)


def test_a_model_that_responds_to_nothing_is_small_and_one_that_responds_backwards_negative():
    y, _, _ = planted(2, m=6)
    rng = np.random.default_rng(1)
    noise = (rng.uniform(size=(2000, 1)) < 0.6).astype(float)
    found = fit(np.hstack([y, noise]), [*NAMES[:6], "noise"])
    assert "noise" in found.small()
    assert "noise" not in found.small(bound=0)
    assert set(found.small(bound=0)) < set(found.small())
    assert SMALL / np.sqrt(SMALL**2 + np.pi**2 / 3) == pytest.approx(0.3, abs=0.001)


def test_correlations_and_who_is_against_all_the_others():
    y = np.array([[1, 1, 0], [1, 1, 0], [1, 0, 1], [0, 0, 1], [0, 1, np.nan]])
    found = correlations(y)
    assert found[0, 1] == pytest.approx(np.corrcoef(y[:, 0], y[:, 1])[0, 1])
    assert found[0, 2] == pytest.approx(np.corrcoef(y[:4, 0], y[:4, 2])[0, 1])
    assert against_all(y, "abc") == ["c"]
    assert against_all(y[:, :2], "ab") == []


def test_missing_decisions_say_nothing():
    y, x, truth = planted(3)
    y[np.random.default_rng(1).uniform(size=y.shape) < 0.3] = np.nan
    found = fit(y, NAMES, x)
    low, high = found.intervals(0.999)
    assert ((low <= truth) & (truth <= high)).all()


def test_copies_of_an_item_in_a_term_are_worth_one_item():
    y, x, _ = planted(4, n=400, m=4)
    once = fit(y, NAMES[:4], x, terms=[f"{i}" for i in range(400)])
    copies = np.repeat(np.arange(400), 5)
    many = fit(y[copies], NAMES[:4], x[copies], terms=[f"{i}" for i in copies])
    assert np.sqrt(np.diag(many.covariance)) == pytest.approx(
        np.sqrt(np.diag(once.covariance)), rel=0.01
    )
    # Items apart: the sandwich and the information agree.
    assert np.diag(once.covariance) == pytest.approx(
        np.diag(fit(y, NAMES[:4], x).covariance), rel=0.5
    )


def test_a_loading_at_its_bound_has_no_interval():
    y, _, _ = planted(5, n=500, m=3)
    found = fit(np.hstack([y, y[:, :1]]), NAMES[:4])  # two models decide alike on every item
    low = found.intervals()[0][4:8]
    at_bound = np.abs(found.loadings) == MAX_LOADING
    assert at_bound.any()
    assert np.isnan(low[at_bound]).all()
    assert not np.isnan(low[~at_bound]).any()


def test_what_cannot_be_fitted_is_said():
    y, x, _ = planted(6, n=50, m=3)
    for arguments, message in (
        ((y[:, :2], "ab"), "2 models"),
        ((y * [1, 0, 1], "abc"), "b decides alike on all items"),
        ((y / 2, "abc"), "neither 0 nor 1"),
        ((y, "abc", np.ones(50)), "the same for all"),
        ((y, "abc", np.where(x == 0, np.nan, x)), "missing for an item"),
    ):
        with pytest.raises(UserError, match=message):
            fit(*arguments)
