"""Student's t distribution.

SciPy's functions are imported where they are called: most jobs need ranks alone, and the import
takes longer than what they do with them.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray


def two_sided_p(t: float, freedom: float) -> float:
    """Return the chance of a t at least as far from 0."""
    from scipy.special import stdtr

    return float(2 * stdtr(freedom, -abs(t)))


def quantile(p: float, freedom: ArrayLike) -> float | NDArray[np.float64]:
    """Return the t below which the share p of the distribution lies, for each number of freedom."""
    from scipy.special import stdtrit

    return stdtrit(freedom, p) if np.ndim(freedom) else float(stdtrit(freedom, p))
