"""Fairness metrics of arrays, beside loops over examples."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np

from bench.comparison import Comparison, Here
from bench.workplace import Workplace
from socialbias.measures.fairness.data import Predictions, predictions
from socialbias.measures.fairness.draws import Key, bootstrap, results
from socialbias.measures.fairness.metrics import applicable
from socialbias.measures.fairness.registry import METRICS
from socialbias.measures.fairness.sample import Draws
from socialbias.measures.fairness.variations import Tuples, variations
from tests.oracles import slow_fairness

TEMPLATES, GROUPS, TERMS, CLASSES = 60, 12, 30, 3
SIZE = f"{TEMPLATES} templates x {GROUPS} groups x {TERMS} terms x {CLASSES} classes"
Values = dict[tuple[int, str, str], float]


def comparisons(_: Workplace) -> Iterator[Comparison]:
    """Yield all metrics once, and 200 bootstrap samples of them."""
    arrays = made_up()
    tuples = variations(predictions(**arrays), 0)
    yield Comparison(
        name="fairness",
        what=f"all fairness metrics, {SIZE}",
        ours=Here(partial(fast, arrays)),
        peer=Here(partial(slow, arrays, tuples)),
        peer_name="loops over examples, with SciPy's Wasserstein distance",
        least_ratio=30,
        difference=apart,
        tolerance=1e-9,
    )
    yield Comparison(
        name="fairness-bootstrap",
        what=f"200 bootstrap samples of all fairness metrics, {SIZE}",
        ours=Here(partial(sampled, arrays)),
        peer=Here(partial(fast, arrays)),
        peer_name="all of them once: a sample may take half as long",
        least_ratio=1 / 100,
        difference=lambda ours, theirs: 0.0,  # other numbers
    )


def made_up() -> dict[str, np.ndarray]:
    """Predictions at random."""
    rng = np.random.default_rng(0)
    grids = np.meshgrid(range(TEMPLATES), range(GROUPS), range(TERMS), indexing="ij")
    source, group, term = (grid.ravel() for grid in grids)
    y_true = source % CLASSES
    chances = np.eye(CLASSES)[y_true] * 3 + 1
    p = rng.standard_gamma(chances)
    return {
        "y_true": y_true, "probabilities": p / p.sum(axis=1, keepdims=True), "group": group,
        "source": source, "term": group * TERMS + term,
    }  # fmt: skip


def fast(arrays: dict[str, np.ndarray]) -> Values:
    """From the arrays to all values."""
    data = predictions(**arrays)
    return flat(computed(data, Draws.none(data), variations(data, 0)))


def sampled(arrays: dict[str, np.ndarray]) -> Values:
    """Return the same in 200 bootstrap samples."""
    data = predictions(**arrays)
    return flat(computed(data, bootstrap(data, 200, 0), variations(data, 0)))


def computed(data: Predictions, draws: Draws, tuples: Tuples | None) -> dict:
    """Return all that the data allow."""
    return results(data, [METRICS[name] for name in applicable(data, tuples)], draws, tuples)


def flat(found: dict[Key, object]) -> Values:
    """Scalars by class, metric and version."""
    return {
        (key.class_, key.metric, key.version): float(result.value[0])
        for key, result in found.items()
        if METRICS[key.metric].scalar
    }


def slow(arrays: dict[str, np.ndarray], tuples: Tuples) -> Values:
    """Return the same one example after the other, of the same variations."""
    p = arrays["probabilities"].tolist()
    rows = zip(*(arrays[name].tolist() for name in ("group", "source", "y_true")), p, strict=True)
    examples = [
        {"group": g, "source": s, "true": y, "predicted": q.index(max(q)), "p": q}
        for g, s, y, q in rows
    ]
    of = {}
    for s, terms in zip(tuples.source, tuples.terms, strict=True):
        of.setdefault(s, []).append([examples[i] for i in tuples.table[s, terms]])
    found: Values = {}
    for c in range(CLASSES):
        values = slow_fairness.group_metrics(examples, range(GROUPS), c)
        slow_fairness.equality_gaps(examples, range(GROUPS), c)
        values |= slow_fairness.counterfactual_metrics(examples, range(GROUPS), c, of)
        found |= {(c, *key): value for key, value in values.items()}
    return found


def apart(ours: Values, theirs: Values) -> float:
    """Return the largest difference."""
    return max(abs(value - theirs[key]) for key, value in ours.items())
