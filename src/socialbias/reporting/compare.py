"""Comparison of values with print: verdicts that are computed, and what chance would give.

On the paper's inputs every number is judged. On other inputs no single number is, but the column:
does it order the rows as print does? More data make either verdict surer, never less sure: what is
too uncertain to tell is `open`. A caution about a number changes no verdict.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from decimal import ROUND_DOWN, ROUND_HALF_UP, Context, Decimal
from functools import cache
from itertools import permutations

import numpy as np
import pandas as pd

from socialbias.reporting.artefact import base_column
from socialbias.reporting.values import KEY, NO_INPUT
from socialbias.stats.correlation import midranks, rowwise_pearson
from socialbias.stats.seeding import generator

FEWEST_CONTEXTS = 20  # a number on fewer contexts has a caution
FEWEST_TERMS = 5  # a mean over fewer target terms has one
FEWEST_SEEDS = 3  # of a seed set that must have a vector
SMALLEST_SHARE = 0.5  # of its words (or professions) that a number must cover
FEWEST_ROWS = 4  # of a column, for it to have an order
SIGNIFICANT = 0.05
MOST_ORDERED = 8  # rows of which all orders are compared
SHUFFLES = 9_999  # of the printed numbers over more rows
EQUAL, WITHIN, OUTSIDE, OPEN = NUMBER_VERDICTS = ("equal", "within", "outside", "open")
AGREES, CONTRADICTS = "agrees", "contradicts"  # of a column, or it is open
PASSED = (EQUAL, WITHIN)
NOT_JUDGED = "not judged"
TOTAL = "total"  # a row, or a column, that is the sum of the others
OWN = "own"  # the fidelity of a user's own input

CELL_COLUMNS = [*KEY, "printed", "value", "ci_low", "ci_high", "p_value", "n", "n_of", "n_unit"]
CELL_COLUMNS += ["q_value", "reliability", "ceiling", "detectable"]
CELL_COLUMNS += ["fidelity", "sources", "verdict", "detail", "column_verdict", "caution"]


def compare(
    values: pd.DataFrame,
    published: pd.DataFrame,
    seed: int,
    describing: Collection[str] = (),
    order: Sequence[str] = (),
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Judge values against the printed numbers."""
    printed = published.set_index(KEY)["value"].to_dict()
    cells = values.copy()
    bases = cells["column"].map(base_column)
    keys = zip(cells["row"], bases, strict=True)
    cells["printed"] = [printed.get(key, "") for key in keys]
    numbers = published[published["value"] != ""]
    # The range of a printed column is that of its rows; a total of them does not widen it.
    totals = numbers["row"].str.strip().str.lower() == TOTAL
    parts = numbers["column"].map(numbers["column"][~totals].value_counts())
    numbers = numbers[~totals | ~(parts > 1)]
    by_column = numbers["value"].astype(float).groupby(numbers["column"])
    ranges, records = (by_column.max() - by_column.min()).to_dict(), cells.to_dict("records")
    verdicts = [_judge(cell, ranges, describing) for cell in records]
    cells["verdict"], cells["detail"] = [v for v, _ in verdicts], [d for _, d in verdicts]
    cells["caution"] = [caution(cell) for cell in records]
    cells.loc[cells["verdict"] == NO_INPUT, "caution"] = ""
    other_inputs = (cells["printed"] != "") & cells["fidelity"].isin(["subset", "substitute"])
    cells["ordered"] = other_inputs & ~bases.isin(describing)
    columns = pd.DataFrame(
        _column_summary(column, cells[cells["column"] == column], ranges, seed)
        for column in order or cells["column"].unique()
    )
    judged = columns["column"][columns["verdict"] != ""]
    columns["counted"] = columns["column"].isin(judged[~judged.map(base_column).duplicated()])
    columns["counted"] = columns["counted"].astype(int)
    own = cells["column"].map(columns.set_index("column")["verdict"])
    cells["column_verdict"] = own.where(cells["ordered"], "")
    return cells[CELL_COLUMNS], columns


def caution(cell: Mapping) -> str:
    """Return why a number should be read with caution; "" where nothing speaks against it."""
    n, of, unit = cell["n"], cell["n_of"], cell["n_unit"]
    fewest = {"contexts": FEWEST_CONTEXTS, "terms": FEWEST_TERMS, "seeds": FEWEST_SEEDS}
    reasons = [cell.get("weak")]
    if n < fewest.get(unit, 0):
        reasons.insert(0, f"{n:.0f} {unit}, fewer than {fewest[unit]}")
    elif of > 0 and n < SMALLEST_SHARE * of:
        reasons.insert(0, f"{n:.0f} of {of:.0f} {unit}, less than half")
    return "; ".join(filter(None, reasons))


def _judge(cell: dict, ranges: dict[str, float], describing: Collection[str]) -> tuple[str, str]:
    """Verdict on one cell, and why."""
    base, fidelity = base_column(cell["column"]), cell["fidelity"]
    if fidelity == NO_INPUT:
        return NO_INPUT, cell["note"]
    if fidelity == OWN:
        return NOT_JUDGED, "your own input: not compared with the paper"
    if cell["printed"] == "":
        return NOT_JUDGED, "not in the paper"
    if fidelity == "exact":
        ends = cell["ci_low"], cell["ci_high"]
        return judge_number(cell["value"], *ends, cell["printed"], ranges[base])
    if base in describing:
        return NOT_JUDGED, f"it describes the input, and the paper had another ({fidelity})"
    return NOT_JUDGED, f"other inputs than the paper's ({fidelity}): its column is judged"


def judge_number(
    value: float, low: float, high: float, printed: str, printed_range: float
) -> tuple[str, str]:
    """Judge a number from the paper's inputs against the printed digits."""
    how = same_digits(value, printed)
    if how:
        return EQUAL, how
    if np.isnan(low):
        return OUTSIDE, "no interval"
    if not low <= float(printed) <= high:
        return OUTSIDE, "the printed number is outside our interval"
    if high - low > printed_range:
        return OPEN, "our interval is wider than the range of the printed column"
    return WITHIN, "the printed number is in our interval"


def same_digits(value: float, printed: str) -> str:
    """Return `rounded` or `truncated` when that gives the printed digits, else ""."""
    digits = Decimal(printed)
    step = Decimal(1).scaleb(digits.as_tuple().exponent)
    number = Decimal(repr(float(value)))
    # Print has p-values of 1e-60: another one has as many digits to their last place.
    enough = Context(prec=max(1, number.adjusted() - step.adjusted() + 2))
    for name, rule in (("rounded", ROUND_HALF_UP), ("truncated", ROUND_DOWN)):
        if number.quantize(step, rounding=rule, context=enough) == digits:
            return name
    return ""


def _column_summary(column: str, part: pd.DataFrame, ranges: dict, seed: int) -> dict:
    """Return counts of a column's verdicts, its own, and what shuffled print would give."""
    counts = part["verdict"].value_counts()
    rows = part[part["ordered"]]
    summary = {
        "column": column,
        "printed": int((part["printed"] != "").sum()),
        **{name: int(counts.get(name, 0)) for name in NUMBER_VERDICTS},
        "no_input": int(counts.get(NO_INPUT, 0)),
        "cautions": int((part["caution"] != "").sum()),
        "passed_if_shuffled": passed_if_shuffled(
            part[part["verdict"].isin(NUMBER_VERDICTS)], ranges.get(base_column(column), 0.0)
        ),
    }
    printed = rows["printed"].astype(float)
    return summary | rank_correlation(rows["value"], printed, generator(seed, "compare", column))


def passed_if_shuffled(judged: pd.DataFrame, printed_range: float) -> float:
    """Return how many cells would be equal or within on average, were print shuffled over the rows.

    Every printed number is held against every value: the mean over all orders is the sum over
    the cells of the share of printed numbers that they would pass with.
    """
    if judged.empty:
        return 0.0
    passed = [
        judge_number(cell.value, cell.ci_low, cell.ci_high, printed, printed_range)[0] in PASSED
        for cell in judged.itertuples()
        for printed in judged["printed"]
    ]
    return sum(passed) / len(judged)


def rank_correlation(
    ours: Sequence[float], printed: Sequence[float], rng: np.random.Generator
) -> dict:
    """Judge a column by Spearman's rank correlation of its rows with print.

    The 95 % interval is that of Bonett and Wright (2000): Fisher's z, whose standard error grows
    with the correlation as sqrt(1 + rho^2 / 2). In place of normal quantiles it has those of z over
    all orders of print (of many rows, over shuffles), so that it is valid for few rows and for
    ties. A perfect order counts as half a step of Spearman's rho short of 1, where z is infinite.

    Args:
        ours: Our numbers, (n,).
        printed: The printed numbers of the same rows, (n,).
        rng: For the shuffles.
    """
    x, y = np.asarray(ours, float), np.asarray(printed, float)
    n = len(x)
    keys = ("rho", "rho_low", "rho_high", "agrees_if_shuffled")
    result = {"rows": n, **dict.fromkeys(keys, np.nan), "verdict": "", "detail": ""}
    if n < FEWEST_ROWS:
        return result | {"detail": f"fewer than {FEWEST_ROWS} rows" if n else ""}
    if np.ptp(x) == 0 or np.ptp(y) == 0:
        return result | {"detail": "constant rows have no order"}
    if n <= MOST_ORDERED:
        orders = _all_orders(n)
    else:
        shuffled = rng.permuted(np.tile(np.arange(n), (SHUFFLES, 1)), axis=1)
        orders = np.vstack([np.arange(n), shuffled])
    rhos = rowwise_pearson(np.broadcast_to(midranks(x), orders.shape), midranks(y)[orders])
    limit = 1 - 6 / (n**3 - n)
    z = np.arctanh(np.clip(rhos, -limit, limit))
    # The observed order is among those of the quantiles, as in a permutation test.
    above = np.quantile(z, 1 - SIGNIFICANT / 2, method="higher")
    below = np.quantile(z, SIGNIFICANT / 2, method="lower")
    width = np.sqrt(1 + np.tanh(z) ** 2 / 2)
    lows = np.minimum(np.tanh(z - above * width), rhos)
    highs = np.maximum(np.tanh(z - below * width), rhos)
    verdict = AGREES if lows[0] > 0 else CONTRADICTS if highs[0] < 0 else OPEN
    interval = {"rho": rhos[0], "rho_low": lows[0], "rho_high": highs[0], "verdict": verdict}
    return result | interval | {"agrees_if_shuffled": (lows > 0).mean()}


@cache
def _all_orders(n: int) -> np.ndarray:
    """Return all orders of n rows, that as they are first: (n!, n)."""
    return np.array([*permutations(range(n))])
