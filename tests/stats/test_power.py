"""Predicted power is within .05 of that of the library's own tests, simulated."""

import numpy as np
import pytest

from socialbias.measures.fairness import fairness_draws, predictions
from socialbias.measures.stereoset import summary, term_scores
from socialbias.measures.weat import permutation_p
from socialbias.stats import power
from socialbias.stats.clustered import clustered_shares
from socialbias.stats.correlation import spearman_test
from socialbias.stats.paired import compare
from tests.shortened import later

RUNS = 1500  # the standard error of a share of them is .013 at most
WITHIN = 0.05


def simulated(found, runs: int = RUNS) -> float:
    """How often a test finds what is there."""
    rng = np.random.default_rng(17)
    return float(np.mean([found(rng) for _ in range(runs)]))


@pytest.mark.parametrize(
    ("rho", "n"), later([(0.3, 57), (0.8, 12), (0.3, 20), (0.4, 57), (0.6, 20)], 2)
)
def test_of_rank_correlations(rho, n):
    r = 2 * np.sin(np.pi * rho / 6)  # Pearson's of normal numbers with this Spearman's

    def found(rng: np.random.Generator) -> bool:
        x = rng.standard_normal(n)
        y = r * x + np.sqrt(1 - r**2) * rng.standard_normal(n)
        return spearman_test(x, y)[1] < 0.05

    assert power.of_correlation(rho, n) == pytest.approx(simulated(found), abs=WITHIN)


@pytest.mark.parametrize(("n", "cosine"), [(5, 0.3), (12, 0.0), (12, 0.4), (30, 0.2)])
def test_of_positions_of_related_words(n, cosine):
    rng = np.random.default_rng(n)
    common = np.sqrt(cosine) * rng.standard_normal((20_000, 1))
    positions = common + np.sqrt(1 - cosine) * rng.standard_normal((20_000, n))
    spreads, means = np.sqrt((positions**2).mean(axis=1)), positions.mean(axis=1)
    found = (1.6 * spreads > np.quantile(spreads, 0.95)).mean()
    assert power.of_spread(1.6, n, cosine) == pytest.approx(found, abs=WITHIN)
    found = (np.abs(means + 1.2) > np.quantile(np.abs(means), 0.95)).mean()
    assert power.of_direction(1.2, n, cosine) == pytest.approx(found, abs=WITHIN)


@pytest.mark.parametrize(
    ("lean", "n"), later([(0.2, 12), (-0.1, 200), (0.2, 40), (0.1, 100), (0.3, 25)], 2)
)
def test_of_shares_in_documents(lean, n):
    def found(rng: np.random.Generator) -> bool:
        labels = (rng.random(n) > 0.5 + lean).astype(int)
        shares = clustered_shares(labels, np.zeros(n, int), np.arange(n), 1, 2, 0.95)
        return bool(shares.low[0, 0] > 0.5 or shares.high[0, 0] < 0.5)

    assert power.of_share(lean, n) == pytest.approx(simulated(found), abs=WITHIN)


@pytest.mark.parametrize(("size", "n"), later([(0.5, 8), (1.5, 5), (1.0, 8), (0.8, 10)], 2))
def test_of_weat(size, n):
    within = size / np.sqrt(1 - size**2 / 4)

    def found(rng: np.random.Generator) -> bool:
        x, y = rng.standard_normal((2, n))
        return permutation_p(x + within, y, draws=500, rng=rng)[0] <= 0.05

    assert power.of_effect_size(size, n) == pytest.approx(simulated(found, 1000), abs=WITHIN)


@pytest.mark.long
@pytest.mark.parametrize("metric", ["AvgGF", "AvgIF", "PosAvgEG", "Average Score Difference"])
@pytest.mark.parametrize(("deviations", "n"), [(1.5, 6), (1.0, 12)])
def test_of_gaps_between_groups_of_terms(metric, deviations, n):
    templates = 20

    def found(rng: np.random.Generator) -> bool:
        source, term = (part.ravel() for part in np.indices((templates, 2 * n)))
        of_terms = 0.3 * (rng.standard_normal(2 * n) + deviations * (np.arange(2 * n) < n))
        logits = (rng.standard_normal((templates, 1)) + of_terms).ravel()
        positive = 1 / (1 + np.exp(-logits))
        data = predictions(
            source % 2,
            probabilities=np.column_stack([1 - positive, positive]),
            group=(term >= n).astype(int),
            source=source,
            term=term,
        )
        rows = fairness_draws(
            data, [metric], seed=int(rng.integers(10**6)), classes=["1"], bootstraps=0,
            null_deals=99,
        )  # fmt: skip
        told = [row.row.p_value for row in rows if row.row.version == "published"]
        return next(p for p in told if not np.isnan(p)) <= 0.05

    assert power.of_gap(deviations, n) == pytest.approx(simulated(found, 400), abs=WITHIN)


@pytest.mark.parametrize(
    ("points", "n", "items"), later([(15, 10, 5), (5, 20, 27), (3, 79, 27)], 1)
)
def test_of_scores_over_terms(points, n, items):
    terms = [f"term {i}" for i in range(n) for _ in range(items)]

    def found(rng: np.random.Generator) -> bool:
        decided = rng.random(len(terms)) < 0.5 + points / 100
        scores = np.column_stack([decided, ~decided, np.zeros(len(terms))]).astype(float)
        score = summary(term_scores(scores, terms), 1)["ss"]
        return bool(score.low > 50 or score.high < 50)

    assert power.of_terms(points, n, items) == pytest.approx(simulated(found, 800), abs=WITHIN)


@pytest.mark.parametrize(
    ("points", "n", "differ"), later([(8, 20, 0.4), (5, 40, 0.3), (3, 79, 0.2)], 1)
)
def test_of_paired_decisions(points, n, differ):
    items = 27
    terms, gap = [f"term {i}" for i in range(n) for _ in range(items)], points / 100
    chances = [(differ + gap) / 2, (differ - gap) / 2]

    def found(rng: np.random.Generator) -> bool:
        apart = rng.choice([1, -1, 0], size=len(terms), p=[*chances, 1 - differ])
        first = np.where(apart == 0, rng.integers(0, 2, len(terms)), apart > 0)
        pair = compare(first.astype(float), (first - apart).astype(float), terms, 1)
        return bool(pair.low[0] > 0 or pair.high[0] < 0)

    predicted = power.of_paired_terms(gap, n, items, differ)
    assert predicted == pytest.approx(simulated(found, 800), abs=WITHIN)


@pytest.mark.parametrize("effect", [0.1, 0.25, 0.5])
def test_as_many_as_are_needed_reach_80_percent_and_one_fewer_does_not(effect):
    n = int(power.needed(power.of_correlation, effect, 0.8, 5))
    assert power.of_correlation(effect, n) >= 0.8 > power.of_correlation(effect, n - 1)


def test_without_an_effect_a_test_alarms_at_its_level():
    assert power.of_correlation(0.0, 57) == pytest.approx(0.05, abs=0.01)
    assert power.of_effect_size(0.0, 9) == pytest.approx(0.05)
    assert power.of_terms(0.0, 30, 27) == pytest.approx(0.05)


def test_what_no_sample_finds_needs_infinitely_many():
    assert power.needed(lambda effect, n: 0.5, 1.0, 0.8, 2) == np.inf


@pytest.mark.parametrize(("size", "found"), [(1e-300, 0.0), (1e300, 1.0)])
def test_spreads_of_any_size(size, found):
    assert power.of_spread(size, 20, 0.3) == found
