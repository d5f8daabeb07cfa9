"""The exact WEAT, beside WEFE's random permutations."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np

from bench.comparison import Comparison, Here
from bench.workplace import Workplace
from socialbias.measures.weat import Weat, weat

DIMENSIONS, PERMUTATIONS = 300, 1000


def comparisons(workplace: Workplace) -> Iterator[Comparison]:
    """Yield the size that WEFE is asked for as well, and larger ones alone."""
    wefe, why_not = workplace.peer("wefe")
    sets = word_sets(8)
    path = workplace.folder / "weat.npz"
    np.savez(path, **sets)
    side = wefe.side("weat", path=str(path), permutations=PERMUTATIONS) if wefe else None
    note = "WEFE draws words with replacement: its p-value is another, and not compared"
    yield Comparison(
        name="weat-8",
        what="exact WEAT, 8 + 8 words (12,870 divisions)",
        ours=Here(partial(weat, **sets, ddof=0)),  # WEFE takes the population's deviation
        peer=side,
        peer_name=f"WEFE, {PERMUTATIONS:,} permutations",
        least_ratio=1000,
        difference=apart,
        tolerance=1e-5,  # WEFE's cosines are in single precision
        note=why_not or note,
    )
    for size, divisions in ((16, "6e8"), (20, "1.4e11")):
        sets = word_sets(size)
        yield Comparison(
            name=f"weat-{size}",
            what=f"exact WEAT, {size} + {size} words ({divisions} divisions)",
            ours=Here(partial(weat, **sets)),
        )


def word_sets(size: int) -> dict[str, np.ndarray]:
    """Targets x and y, attributes a and b, of so many words each."""
    rng = np.random.default_rng(size)
    return {name: rng.normal(size=(size, DIMENSIONS)).astype(np.float32) for name in "xyab"}


def apart(ours: Weat, theirs: list[float]) -> float:
    """Return the larger of the differences in statistic and effect size."""
    return float(np.abs(np.subtract([ours.statistic, ours.effect_size], theirs)).max())
