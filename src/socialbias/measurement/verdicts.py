"""The verdict on a comparison of two subjects: is the second more biased than the first?"""

from __future__ import annotations

import math

from socialbias.errors import UserError

NO_WORSE, WORSE, CANNOT_TELL = "no worse", "worse", "cannot tell"


def verdict(low: float, high: float, detectable: float, margin: float | None) -> str:
    """Return the verdict on the second for an interval of the difference.

    It is `WORSE` if the interval lies above 0 and ends above the margin; `NO_WORSE` if it lies
    below 0, or ends at the margin or below and the comparison could have detected a difference of
    the margin with 80 % power; else `CANNOT_TELL`, as without an interval or a margin.
    """
    allowed = margin or 0.0
    if low > 0 and high > allowed:
        return WORSE
    enough = high < 0 or (high <= allowed and detectable <= allowed)  # false where one is NaN
    return NO_WORSE if allowed > 0 and enough else CANNOT_TELL


def check_margin(margin: float | None, most: float = math.inf) -> None:
    """Raise UserError for a margin that cannot be the size of a difference."""
    if margin is not None and not 0 < margin < most:
        what = f"a share of the items above 0 and below {most:g}" if most < math.inf else "above 0"
        raise UserError(f"margin: must be {what}, not {margin:g}")


def rounded(number: float) -> str:
    """Return a number with two significant digits, such as 1,300."""
    return f"{float(f'{number:.2g}'):,.12g}"


def would_tell(detectable: float, margin: float | None, many: str) -> str:
    """Return what a new comparison needs if this one is undecided.

    `many` are the units that were resampled, such as "as many terms".
    """
    if margin is None:
        harmless = "the largest difference that would do no harm"
        return f"without --margin ({harmless}), the verdict is never '{NO_WORSE}'"
    if detectable <= margin:
        return "the difference is too close to 0 or to the margin for a comparison of this size"
    times = (detectable / margin) * (detectable / margin)  # `**` would overflow, not be infinite
    return (
        f"a new comparison with about {rounded(times)} times {many}, none of them from this one, "
        "would detect a difference of the margin with 80 % power"
    )
