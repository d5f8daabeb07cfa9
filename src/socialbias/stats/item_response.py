"""A two-parameter item-response model of models' decisions, with items as respondents.

Eleven models are too few to be the persons of such a model: the parameters of two thousand items
could not be estimated from them. Turned around, each item has a latent place theta, by how much it
lends itself to the stereotype, and each model is an indicator of it: model m decides for the
stereotype on item i with probability

    logistic(d_m + a_m theta_i),   theta_i ~ N(b'x_i, 1).

The loading a_m says how far a model responds to what the models have in common, the intercept d_m
how often it decides so at theta 0, and b how the place depends on covariates of the item, such as
its annotators' agreement. It is Birnbaum's model (1968) with the latent regression of Mislevy
(1984), fitted by marginal likelihood (Bock and Aitkin 1981): theta is integrated over a fixed grid,
on which a sum of smooth functions is as good as exact.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from socialbias.errors import UserError
from socialbias.stats.intervals import normal

Array = NDArray[np.float64]
GRID = np.linspace(-8, 8, 65)  # of theta, in its standard deviations
MAX_LOADING = 8.0  # loading: the likelihood may grow without end where two models decide alike
# A standardised loading of .3, which factor analysts pass over by convention, in logits:
# a / root(a^2 + pi^2 / 3) = .3.
SMALL = 0.57


@dataclass(frozen=True)
class ItemResponse:
    """The fitted model of m indicators and k covariates.

    Attributes:
        names: m names.
        loadings: (m,); most are positive, which fixes the sign of theta.
        intercepts: (m,).
        coefficients: (k,) b, per unit of each covariate.
        covariance: (2m + k, 2m + k) of intercepts, loadings and coefficients, in this order; NaN
            for a loading at its bound.
        log_likelihood: Of all decisions.
        n: Items.
    """

    names: tuple[str, ...]
    loadings: Array
    intercepts: Array
    coefficients: Array
    covariance: Array
    log_likelihood: float
    n: int

    @property
    def parameters(self) -> Array:
        """(2m + k,) intercepts, loadings, coefficients."""
        return np.concatenate([self.intercepts, self.loadings, self.coefficients])

    def intervals(self, level: float = 0.95) -> tuple[Array, Array]:
        """Wald's interval of each of the `parameters`, (2m + k,) each."""
        reach = normal(level) * np.sqrt(np.diag(self.covariance))
        return self.parameters - reach, self.parameters + reach

    def small(self, level: float = 0.95, bound: float = SMALL) -> list[str]:
        """Return the indicators whose loading has an interval that ends under the bound.

        With a bound of 0 the loading is surely below 0.
        """
        m = len(self.names)
        high = self.intervals(level)[1][m : 2 * m]
        return [name for name, end in zip(self.names, high, strict=True) if end < bound]


def fit(
    decisions: ArrayLike,
    names: Sequence[str],
    covariates: ArrayLike | None = None,
    terms: Sequence[str] | None = None,
) -> ItemResponse:
    """Return the model of greatest marginal likelihood.

    Standard errors are from the observed information, the differences of the analytic gradient.
    Where items belong to terms, they are those of the sandwich instead, with the gradients summed
    by term: items of a term resemble each other in more than theta.

    Args:
        decisions: (n, m) of 0 and 1, items by indicators; NaN where there is none.
        names: The m indicators.
        covariates: (n,) or (n, k) of the items; centred here.
        terms: (n,) the term of each item.

    Raises:
        UserError: fewer than three indicators, which do not identify a loading; an indicator whose
            decisions are all alike; a decision that is not 0 or 1; a covariate that is missing or
            always the same.
    """
    from scipy.optimize import minimize

    y, names = np.asarray(decisions, float), tuple(map(str, names))
    x = np.zeros((len(y), 0)) if covariates is None else np.asarray(covariates, float)
    x = x[:, None] if x.ndim == 1 else x
    _check(y, x, names)
    x = x - x.mean(axis=0)
    m, k = y.shape[1], x.shape[1]
    bounds = [(None, None)] * m + [(-MAX_LOADING, MAX_LOADING)] * m + [(None, None)] * k
    # Intercepts of the means, and loadings with the signs of the first principal component.
    means, direction = np.nanmean(y, axis=0), np.linalg.eigh(correlations(y))[1][:, -1]
    loadings = direction / np.abs(direction).max()
    start = np.concatenate([np.log(means / (1 - means)), loadings, np.zeros(k)])

    def loss(parameters: Array) -> tuple[float, Array]:
        value, gradients = _likelihood(parameters, y, x)
        return -value / len(y), -gradients.sum(axis=0) / len(y)

    options = {"maxiter": 1000, "ftol": 1e-13, "gtol": 1e-7}
    found = minimize(loss, start, jac=True, method="L-BFGS-B", bounds=bounds, options=options)
    parameters = found.x
    # Theta and -theta fit equally well: most loadings are made positive, or most of their sum.
    loadings = parameters[m : 2 * m]
    parameters[m:] *= np.sign(np.sign(loadings).sum()) or np.sign(loadings.sum()) or 1.0
    value, gradients = _likelihood(parameters, y, x)
    covariance = _covariance(parameters, y, x, gradients, terms)
    parts = parameters[m : 2 * m], parameters[:m], parameters[2 * m :]
    return ItemResponse(names, *parts, covariance, value, len(y))


def _check(y: Array, x: Array, names: Sequence[str]) -> None:
    """Raise a UserError of decisions (n, m) or covariates (n, k) that identify no model."""
    if np.isnan(x).any():
        raise UserError("a covariate is missing for an item: leave the item out")
    if (np.ptp(x, axis=0) == 0).any():
        raise UserError("a covariate is the same for all items: leave it out")
    if y.shape[1] < 3:
        raise UserError(f"{y.shape[1]} models: an item-response model needs three or more")
    if not np.isin(y[~np.isnan(y)], [0, 1]).all():
        raise UserError("a decision is neither 0 nor 1")
    for name, column in zip(names, y.T, strict=True):
        if len(np.unique(column[~np.isnan(column)])) < 2:
            raise UserError(f"{name} decides alike on all items: leave it out")


def correlations(decisions: ArrayLike) -> Array:
    """Correlations (phi) of the decisions (n, m) of each two models, over what both decided."""
    y = np.asarray(decisions, float)
    known = (~np.isnan(y)).astype(float)
    y = np.where(known > 0, y, 0)
    n, sums, both = known.T @ known, y.T @ known, y.T @ y
    with np.errstate(invalid="ignore", divide="ignore"):
        together = both / n - sums * sums.T / n**2
        spread = np.sqrt(sums / n * (1 - sums / n))
        return np.nan_to_num(together / (spread * spread.T))


def against_all(decisions: ArrayLike, names: Sequence[str]) -> list[str]:
    """Return the models whose decisions (n, m) correlate negatively with those of every other."""
    found = correlations(decisions)
    np.fill_diagonal(found, -1)
    return [str(name) for name, row in zip(names, found, strict=True) if row.max() < 0]


def _likelihood(parameters: Array, y: Array, x: Array) -> tuple[float, Array]:
    """Return the log-likelihood, and each item's gradient of it, (n, 2m + k)."""
    m = y.shape[1]
    intercepts, loadings, slopes = np.split(parameters, [m, 2 * m])
    logits = intercepts + GRID[:, None] * loadings  # (grid, m)
    yes, no = -np.logaddexp(0, -logits), -np.logaddexp(0, logits)
    known = ~np.isnan(y)
    ones = np.where(known, y, 0)
    place = x @ slopes
    prior = -0.5 * (GRID - place[:, None]) ** 2
    step = GRID[1] - GRID[0]
    joint = ones @ yes.T + (known - ones) @ no.T + prior + np.log(step / np.sqrt(2 * np.pi))
    largest = joint.max(axis=1, keepdims=True)
    posterior = np.exp(joint - largest)
    total = posterior.sum(axis=1, keepdims=True)
    posterior /= total
    chance, theta = np.exp(yes), posterior @ GRID
    of_intercepts = ones - known * (posterior @ chance)
    of_loadings = ones * theta[:, None] - known * (posterior @ (GRID[:, None] * chance))
    of_slopes = x * (theta - place)[:, None]
    return float((largest + np.log(total)).sum()), np.hstack(
        [of_intercepts, of_loadings, of_slopes]
    )


def _covariance(
    parameters: Array, y: Array, x: Array, gradients: Array, terms: Sequence[str] | None
) -> Array:
    """Inverse information, or the sandwich over terms; NaN for loadings at their bound."""
    m = y.shape[1]
    free = np.ones(len(parameters), bool)
    free[m : 2 * m] = np.abs(parameters[m : 2 * m]) < MAX_LOADING
    places = np.flatnonzero(free)
    rows = []  # second derivatives of the log-likelihood, by central differences
    for at in places:
        ends = []
        for step in (1e-4, -1e-4):
            moved = parameters.copy()
            moved[at] += step
            ends.append(_likelihood(moved, y, x)[1].sum(axis=0)[places])
        rows.append((ends[0] - ends[1]) / 2e-4)
    information = -np.array(rows)
    found = np.linalg.inv((information + information.T) / 2)
    if terms is not None:
        names, at = np.unique(np.asarray(terms, str), return_inverse=True)
        sums = np.zeros((len(names), len(places)))
        np.add.at(sums, at, gradients[:, places])
        found = found @ (sums.T @ sums) @ found * len(names) / (len(names) - 1)
    covariance = np.full((len(parameters),) * 2, np.nan)
    covariance[np.ix_(places, places)] = found
    return covariance
