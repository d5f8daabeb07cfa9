"""A test against controls: things that are known to have no effect, measured in the same way.

What a measure says of a thing without an effect varies with everything that the measure rests on:
words of the groups, documents, the training of a model. A test that resamples one of these knows
nothing of the others, and finds effects too often. Controls from other samples vary with all of
them, about the height that the measure has without an effect, which need not be 0. Numbers of
controls and of a thing without an effect are exchangeable, so that the rank of the thing among them
is a p-value whatever their distribution (conformal prediction: Vovk, Gammerman and Shafer 2005,
chapter 2). That holds on average over things that are alike: where numbers of rare words scatter
more, controls should be as rare as the thing.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[np.float64]
TIE = 1e-9  # distances that differ by a smaller share of themselves are equal


def p_values(numbers: ArrayLike, controls: ArrayLike, signed: bool) -> Array:
    """Return the share of controls, the thing itself included, that are as far from no effect.

    Args:
        numbers: (n,) of things; NaN where there is none.
        controls: (m,) of controls that share no sample with the things; NaN is left out.
        signed: Whether an effect may go either way: then far is far from the controls' median,
            else large.

    Returns:
        (n,), at least 1 / (m + 1), so that 19 controls are the fewest that allow .05; NaN where
        there is no number.
    """
    numbers, controls = np.asarray(numbers, float), np.asarray(controls, float)
    controls = controls[~np.isnan(controls)]
    if signed and len(controls):
        middle = np.median(controls)
        numbers, controls = np.abs(numbers - middle), np.abs(controls - middle)
    below = np.searchsorted(np.sort(controls), numbers - TIE * np.abs(numbers))
    found = (1 + len(controls) - below) / (1 + len(controls))
    return np.where(np.isnan(numbers), np.nan, found)
