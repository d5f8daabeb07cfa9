"""`power`: the sample size needed to detect a bias of a given size."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from socialbias.errors import UserError, nearest
from socialbias.measures.registry import ALIASES
from socialbias.reporting.render import first_lines
from socialbias.stats import power as curves

POWER = 0.8
COSINE = 0.3  # between occupations in word vectors of 50 to 300 dimensions: .2 to .4
ALIKE = f"the targets are a topic with a mean cosine of {COSINE}; unrelated words have more power"
ITEMS = 27  # of a term of StereoSet's development split and one of its tasks, the median
DIFFER = 0.3  # share of items that two models decide otherwise


@dataclass(frozen=True)
class Design:
    """The test of a measure, and its power."""

    curve: curves.Curve  # power by effect and units
    bias: str  # what the effect is, in words
    units: str  # the sampling units
    test: str
    limit: float = math.inf  # largest size of the effect, which is not 0
    least: int = 2  # smallest sample size
    most: int = curves.MAX_UNITS  # largest sample size
    assumes: str = ""  # other assumptions; "" for none


_SPREAD = Design(
    partial(curves.of_spread, cosine=COSINE),
    "true root mean square of positions, in standard deviations of random words, which have 1",
    "targets",
    "rank among equally coherent topics, at 0.05",
    assumes=ALIKE,
)
_DIRECTION = Design(
    partial(curves.of_direction, cosine=COSINE),
    "true mean position, in standard deviations of random words",
    "targets",
    "rank among equally coherent topics, two-sided at 0.05",
    assumes=ALIKE,
)
_CONTRAST = Design(
    curves.of_gap,
    "true difference between the mean positions of two lists, in standard deviations of random "
    "words",
    "targets in each of the two lists",
    "permutation test over the targets, two-sided at 0.05",
    least=4,
    assumes="the positions in a list scatter as much as those of random words",
)
_ORDER = Design(
    curves.of_correlation,
    "true rank correlation of the positions, as measured, with another number (--against)",
    "targets",
    "Spearman's rho, two-sided at 0.05",
    0.999,
    least=5,
    assumes="less reliable positions correlate less",
)
_SHARE = Design(
    curves.of_share,
    "true share of the first group minus 1/2",
    "documents with one labelled context each",
    "95 % interval over documents excludes 1/2",
    0.499,
    most=100_000,
    assumes="a second context in a document adds less than one in another document",
)
_SCORE = Design(
    partial(curves.of_terms, items=ITEMS),
    "true score minus 50, in points",
    f"terms with {ITEMS} items each",
    "95 % interval over terms excludes 50",
    49.9,
    assumes="terms with different true scores need a larger sample",
)
_PAIRED = Design(
    partial(curves.of_paired_terms, items=ITEMS, differ=DIFFER),
    "true difference between two models, as a share of the items, like `compare --margin`",
    f"terms with {ITEMS} items each",
    "95 % interval over terms of the paired difference excludes 0",
    0.999,
    assumes=f"the two models decide {100 * DIFFER:.0f} % of the items differently; "
    "`compare --sequential` may need fewer items",
)
_EFFECT = Design(
    curves.of_effect_size,
    "true effect size, in standard deviations of all words",
    "words in each of the two sets of targets",
    "permutation test, one-sided at 0.05",
    1.99,
    least=3,
    assumes="the vectors are fixed: another training run may give another effect size",
)
_GAP = Design(
    curves.of_gap,
    "true gap between two groups, in standard deviations over the terms of a group",
    "terms in each of the two groups",
    "permutation test over the terms, at 0.05",
    least=5,
    assumes="two groups and dozens of templates; metrics that count decisions have less power",
)
_OF_SCORES = (
    "avggf", "avggf-tc", "posavgeg", "negavgeg", "avgeg", "avgif", "avgif-tc",
    "average-score-difference",
)  # fmt: skip
DESIGNS = {
    "spread": _SPREAD,
    "direction": _DIRECTION,
    "contrast": _CONTRAST,
    "order": _ORDER,
    "weat": _EFFECT,
    "text": _SHARE,
    "stereotype-score": _SCORE,
    "decisions": _PAIRED,
    **dict.fromkeys(_OF_SCORES, _GAP),
}


@dataclass(frozen=True, repr=False)
class Planned:
    """The sample size that a measure needs."""

    measure: str  # its name
    bias: float  # the effect to detect
    needed: float  # sample size with 80 % power; infinite if none is enough
    power: dict[int, float]  # by sample size
    design: Design

    def __repr__(self) -> str:
        return first_lines(str(self))

    def __str__(self) -> str:
        design = self.design
        size = f"  {self.needed:,.0f} {design.units}"
        if not math.isfinite(self.needed):
            size = f"  even {design.most:,} {design.units} are not enough"
        lines = [
            f"sample size needed to detect a bias of {self.bias:g} with {100 * POWER:.0f} % power:",
            size,
            *(f"  {n:>7,}  power {power:.2f}" for n, power in self.power.items()),
            f"bias     {design.bias}",
            f"test     {design.test}",
        ]
        lines += [f"note     {design.assumes}"] if design.assumes else []
        return "\n".join(lines)


def power(measure: str, bias: float, n: Sequence[int] = ()) -> Planned:
    """Compute the sample size that a measure needs to detect a bias of a given size.

    Args:
        measure: A question about positions ("spread", "direction", "contrast" or "order"), or a
            measure such as "weat", "text" or "avggf": a key of `DESIGNS`.
        bias: True effect to detect. Of positions, it is in standard deviations of random words; the
            order is a rank correlation.
        n: Sample sizes to compute the power of. Default: half, once and twice the size needed.

    Returns:
        The sample size needed for 80 % power, and the power of each size in `n`.

    Raises:
        UserError: the measure has no design, or the bias or a sample size is out of range.
    """
    measure = ALIASES.get(measure, measure)
    if measure not in DESIGNS:
        hint = nearest(measure, DESIGNS) or "; see socialbias power --help"
        raise UserError(f"measure: no sample size can be computed for {measure!r}{hint}")
    design = DESIGNS[measure]
    limit = design.limit
    if not (0 < abs(bias) <= limit and math.isfinite(bias)):
        ends = f" between {-limit:g} and {limit:g}" if math.isfinite(limit) else ""
        raise UserError(f"bias: must be a number{ends} other than 0, not {bias:g}")
    for count in n:
        if not design.least <= count <= design.most:
            ends = f"from {design.least} to {design.most:,} {design.units}"
            raise UserError(f"n: must be {ends}, not {count}")
    size = abs(bias)
    fewest = curves.needed(design.curve, size, POWER, design.least, design.most)
    around = [fewest / 2, fewest, 2 * fewest] if math.isfinite(fewest) else [design.least, 100]
    counts = n or [int(min(max(count, design.least), design.most)) for count in around]
    powers = {int(count): design.curve(size, int(count)) for count in dict.fromkeys(counts)}
    return Planned(measure, bias, fewest, powers, design)
