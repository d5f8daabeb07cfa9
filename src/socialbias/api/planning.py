"""`power`: how many words, contexts, items or models it takes to find a bias of a given size."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from socialbias.errors import UserError, nearest
from socialbias.measures.registry import MEASURES
from socialbias.stats import power as curves

POWER = 0.8
ITEMS = 27  # of a term of StereoSet's development split and one of its tasks, the median
DIFFER = 0.3  # share of items that two models decide otherwise


@dataclass(frozen=True)
class Design:
    """What a measure's test rests on.

    Attributes:
        curve: Power by effect and units.
        bias: What the effect is, in words.
        units: What is counted.
        test: What finds it.
        low, high: The effect lies between these, and is not 0.
        least: Units that it takes at least.
        most: Units at which to stop.
        assumes: What else it rests on; "" for nothing.
    """

    curve: curves.Curve
    bias: str
    units: str
    test: str
    low: float
    high: float
    least: int
    most: int = curves.MOST
    assumes: str = ""


_CORRELATION = Design(
    curves.of_correlation,
    "true rank correlation of the biases, as measured, with an outcome",
    "targets",
    "Spearman's rho, two-sided at 0.05",
    -0.999,
    0.999,
    5,
    assumes="unreliable biases correlate less: see the ceiling beside each correlation",
)
_SHARE = Design(
    curves.of_share,
    "true share of the first group less 1/2",
    "documents with one labelled context each",
    "95 % interval over documents leaves out 1/2",
    -0.499,
    0.499,
    2,
    most=100_000,
    assumes="further contexts of a document add less than one of another",
)
_MODELS = Design(
    curves.of_models,
    "true number in standard deviations between bootstrapped models",
    "bootstrapped models of one corpus",
    "95 % interval over models leaves out 0",
    -math.inf,
    math.inf,
    2,
    assumes="models of one corpus share its error: a larger corpus lowers the deviation",
)
_SCORE = Design(
    partial(curves.of_terms, items=ITEMS),
    "true score less 50, in points",
    f"terms with {ITEMS} items each",
    "95 % interval over terms leaves out 50",
    -49.9,
    49.9,
    2,
    assumes="terms that differ in truth take more",
)
_PAIRED = Design(
    partial(curves.of_paired_terms, items=ITEMS, differ=DIFFER),
    "true difference of two models' scores on the same items, in points: 5 is .05 of `compare`",
    f"terms with {ITEMS} items each",
    "95 % interval over terms of the paired difference leaves out 0",
    -100,
    100,
    2,
    assumes=f"the two models decide {DIFFER:.0%} of the items otherwise",
)
_EFFECT = Design(
    curves.of_effect_size,
    "true effect size, in standard deviations of all words",
    "words in each of the two sets of targets",
    "permutation test, one-sided at 0.05",
    -1.99,
    1.99,
    3,
    assumes="the vectors are given: another training may give another effect size",
)
_GAP = Design(
    curves.of_gap,
    "true gap of two groups, in standard deviations between the terms of a group",
    "terms in each of the two groups",
    "terms dealt to groups at random, at 0.05",
    -math.inf,
    math.inf,
    5,
    assumes="two groups, and dozens of templates; metrics that count decisions find less",
)
_OF_SCORES = (
    "avggf", "avggf-tc", "posavgeg", "negavgeg", "avgeg", "avgif", "avgif-tc",
    "average-score-difference",
)  # fmt: skip
DESIGNS = {
    **dict.fromkeys([*MEASURES, "reduction"], _CORRELATION),
    "weat": _EFFECT,
    "text": _SHARE,
    "samples": _SHARE,
    "unpleasantness": _MODELS,
    "stereotype-score": _SCORE,
    "decisions": _PAIRED,
    **dict.fromkeys(_OF_SCORES, _GAP),
}


@dataclass(frozen=True)
class Planned:
    """How many units it takes.

    Attributes:
        measure: Name of the measure.
        bias: The effect to find.
        needed: Units that find it in 80 % of samples; infinite where no number does.
        power: By number of units, how often it is found.
        design: What the test rests on.
    """

    measure: str
    bias: float
    needed: float
    power: dict[int, float]
    design: Design

    def __str__(self) -> str:
        about = self.design
        enough = math.isfinite(self.needed)
        found = f"{self.needed:,.0f} {about.units} find" if enough else f"no {about.units} find"
        lines = [
            f"{found} a bias of {self.bias:g} in {POWER:.0%} of samples",
            *(f"  {n:>7,}  power {power:.2f}" for n, power in self.power.items()),
            f"bias     {about.bias}",
            f"test     {about.test}",
        ]
        return "\n".join([*lines, *([f"note     {about.assumes}"] if about.assumes else [])])


def power(measure: str, bias: float, n: Sequence[int] = ()) -> Planned:
    """How many units a measure needs for a bias of a given size.

    Args:
        measure: A key of `DESIGNS`.
        bias: The true effect, in the measure's unit; of measures of vectors a rank correlation.
        n: Numbers of units of which to say the power; by default half, once and twice as many as
            are needed.

    Raises:
        UserError: the measure is not planned for, or the bias or a number of units cannot be.
    """
    if measure not in DESIGNS:
        hint = nearest(measure, DESIGNS) or f": there are {', '.join(DESIGNS)}"
        raise UserError(f"measure: none that can be planned is called {measure!r}{hint}")
    design = DESIGNS[measure]
    if not (design.low <= bias <= design.high and bias and math.isfinite(bias)):
        ends = f" between {design.low:g} and {design.high:g}" if math.isfinite(design.high) else ""
        raise UserError(f"bias: must be a number{ends} and not 0, it is {bias:g}")
    for count in n:
        if not design.least <= count <= design.most:
            raise UserError(
                f"n: from {design.least} to {design.most:,} {design.units}, not {count}"
            )
    size = abs(bias)
    fewest = curves.needed(design.curve, size, POWER, design.least, design.most)
    around = [fewest / 2, fewest, 2 * fewest] if math.isfinite(fewest) else [design.least, 100]
    counts = n or [int(min(max(count, design.least), design.most)) for count in around]
    found = {int(count): design.curve(size, int(count)) for count in dict.fromkeys(counts)}
    return Planned(measure, bias, fewest, found, design)
