"""Comparison of values with print: verdicts that are computed, and the price of each test.

On exact inputs every number is judged. On subset or substitute inputs no single number is, but
the column is: does it order the rows as print does, and with the same signs? More data make either
verdict surer, never less data: what is too uncertain to tell is `undecided`.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from decimal import ROUND_DOWN, ROUND_HALF_UP, Context, Decimal
from functools import cache
from math import comb

import numpy as np
import pandas as pd

from socialbias.reporting.artefact import base_column
from socialbias.reporting.values import KEY, NO_INPUT
from socialbias.stats.seeding import generator

FEWEST_CONTEXTS = 20  # a number on fewer contexts is `too few`
FEWEST_TERMS = 5  # a mean over fewer target terms is `too few`
FEWEST_SEEDS = 3  # of a seed set that must have a vector
SMALLEST_SHARE = 0.5  # of its words (or professions) that a number must rest on
WIDEST_INTERVAL = 0.25  # of the printed column's range, for a number to count as `compatible`
FEWEST_ROWS = 4  # with fewer, no order of the rows can be significant at 0.05
SIGNIFICANT = 0.05
OPPOSITE = SIGNIFICANT / 4  # of each of the two tests for a contradiction: 0.025 for both
POWER_AT = 0.9  # correlation with print at which the power of a column is told
SAMPLES = 999  # behind a power
BLOCK = 1_000_000  # pairs of rows that are compared at a time
PASSED = ("exact", "compatible")
NOT_JUDGED = "not judged"
TOTAL = "total"  # a row, or a column, that is the sum of the others
OWN = "own"  # the fidelity of a user's own input

CELL_COLUMNS = [*KEY, "printed", "value", "ci_low", "ci_high", "p_value", "n", "n_of", "n_unit"]
CELL_COLUMNS += ["q_value", "reliability", "ceiling", "detectable"]
CELL_COLUMNS += ["fidelity", "sources", "verdict", "detail", "column_verdict"]


def compare(
    values: pd.DataFrame,
    published: pd.DataFrame,
    seed: int,
    describing: Collection[str] = (),
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Judge values against the printed numbers.

    Args:
        values: A table of values; `column` may end in `@variant`.
        published: Columns `row, column, value, note`, all text, `value` with the printed digits
            or empty where print says N/A.
        seed: For the shuffles.
        describing: Printed columns that describe an input itself, such as the size of a corpus:
            numbers of another input are not judged, nor is their order.

    Returns:
        The cells, one row each, and the columns, one row each:
        cells have `verdict` exact, compatible, differs, undecided, too few, too weak, no input,
        own input, not judged (the column is, or nothing), not printed; columns have `verdict`
        identical, agrees, contradicts, undecided, too few, or "" where cells are judged, and what a
        shuffle of the printed numbers would have passed.
    """
    printed = published.set_index(KEY)["value"].to_dict()
    cells = values.copy()
    cells["printed"] = [
        printed.get((row, base_column(column)), "")
        for row, column in zip(cells["row"], cells["column"], strict=True)
    ]
    ranges = _printed_ranges(published)
    verdicts = [_judge(cell, ranges, describing) for cell in cells.to_dict("records")]
    cells["verdict"], cells["detail"] = [v for v, _ in verdicts], [d for _, d in verdicts]
    columns = pd.DataFrame(
        _column_summary(column, part, ranges, describing, seed)
        for column, part in cells.groupby("column", sort=True)
    )
    cells["column_verdict"] = cells["column"].map(columns.set_index("column")["verdict"])
    return cells[CELL_COLUMNS], columns


def _printed_ranges(published: pd.DataFrame) -> dict[str, float]:
    """The range of each printed column; a total of its rows does not widen it."""
    numbers = published[published["value"] != ""]
    totals = numbers["row"].str.strip().str.lower() == TOTAL
    parts = numbers["column"].map(numbers["column"][~totals].value_counts())
    numbers = numbers[~totals | ~(parts > 1)]
    by_column = numbers["value"].astype(float).groupby(numbers["column"])
    return (by_column.max() - by_column.min()).to_dict()


def _judge(cell: dict, ranges: dict[str, float], describing: Collection[str]) -> tuple[str, str]:
    """Verdict on one cell, and why."""
    if cell["fidelity"] == NO_INPUT:
        return NO_INPUT, cell["note"]
    if cell["fidelity"] == OWN:
        return "own input", "your own input: not compared with the paper"
    if few := too_few(cell):
        return "too few", few
    if cell["weak"]:
        return "too weak", cell["weak"]
    if cell["printed"] == "":
        return "not printed", ""
    if cell["fidelity"] != "exact" and base_column(cell["column"]) in describing:
        return NOT_JUDGED, f"it describes the input, and the paper had another: {cell['fidelity']}"
    if cell["fidelity"] != "exact":
        return NOT_JUDGED, f"{cell['fidelity']} inputs: the column is judged"
    return judge_number(
        cell["value"],
        cell["ci_low"],
        cell["ci_high"],
        cell["printed"],
        ranges[base_column(cell["column"])],
    )


def too_few(cell: Mapping) -> str:
    """Why a number rests on too little to be judged; "" when it does not.

    Args:
        cell: With `n`, `n_of` and `n_unit`, as in values.
    """
    n, of, unit = cell["n"], cell["n_of"], cell["n_unit"]
    if unit == "contexts" and n < FEWEST_CONTEXTS:
        return f"{n:.0f} contexts, fewer than {FEWEST_CONTEXTS}"
    if unit == "terms" and n < FEWEST_TERMS:
        return f"{n:.0f} terms, fewer than {FEWEST_TERMS}"
    if unit == "seeds" and n < FEWEST_SEEDS:
        return f"{n:.0f} seeds, fewer than {FEWEST_SEEDS}"
    if of > 0 and n < SMALLEST_SHARE * of:
        return f"{n:.0f} of {of:.0f} {unit}, less than half"
    return ""


def caution(cell: Mapping) -> str:
    """Why a number is to be read with caution; "" where nothing speaks against it.

    Args:
        cell: With `n`, `n_of`, `n_unit` and `weak`, as in values.
    """
    return too_few(cell) or cell["weak"]


def judge_number(
    value: float, low: float, high: float, printed: str, printed_range: float
) -> tuple[str, str]:
    """Judge a number from exact inputs against the printed digits.

    Args:
        value: Our number.
        low: Lower end of its 95 % interval; NaN where there is none.
        high: Upper end.
        printed: The digits in print, such as `0.83`.
        printed_range: Largest minus smallest number of the printed column.

    Returns:
        `exact` when rounding or truncating gives the printed digits; `differs` when the interval
        excludes the printed number, or there is none; `compatible` when the interval holds it and
        is no wider than a quarter of the column's range; `undecided` when it is wider. With it a
        short reason.
    """
    how = same_digits(value, printed)
    if how:
        return "exact", how
    number = float(printed)
    if np.isnan(low):
        return "differs", "no interval"
    if not low <= number <= high:
        return "differs", "the paper is outside our interval"
    if high - low > WIDEST_INTERVAL * printed_range:
        return "undecided", "our interval is wider than a quarter of the printed range"
    return "compatible", "the paper is inside our interval"


def same_digits(value: float, printed: str) -> str:
    """`rounded` or `truncated` when that gives the printed digits, else ""."""
    digits = Decimal(printed)
    step = Decimal(1).scaleb(digits.as_tuple().exponent)
    number = Decimal(repr(float(value)))
    # Print has p-values of 1e-60: another one has as many digits to their last place.
    enough = Context(prec=max(1, number.adjusted() - step.adjusted() + 2))
    for name, rule in (("rounded", ROUND_HALF_UP), ("truncated", ROUND_DOWN)):
        if number.quantize(step, rounding=rule, context=enough) == digits:
            return name
    return ""


def _column_summary(
    column: str, part: pd.DataFrame, ranges: dict, describing: Collection[str], seed: int
) -> dict:
    """Counts of a column's verdicts, its own verdict, and what a shuffle would have passed."""
    counts = part["verdict"].value_counts()
    judged = part[part["verdict"].isin(["exact", "compatible", "differs", "undecided"])]
    by_order = base_column(column) not in describing
    rest = part[(part["verdict"] == NOT_JUDGED) & by_order]
    summary = {
        "column": column,
        "cells": int((part["printed"] != "").sum()),
        "exact": int(counts.get("exact", 0)),
        "compatible": int(counts.get("compatible", 0)),
        "differs": int(counts.get("differs", 0)),
        "undecided": int(counts.get("undecided", 0)),
        "too_few": int(counts.get("too few", 0)),
        "too_weak": int(counts.get("too weak", 0)),
        "no_input": int(counts.get(NO_INPUT, 0)),
        "passed_if_shuffled": passed_if_shuffled(judged, ranges.get(base_column(column), 0.0)),
    }
    order = order_and_signs(rest["value"], rest["printed"], generator(seed, "compare", column))
    return summary | order


def passed_if_shuffled(judged: pd.DataFrame, printed_range: float) -> float:
    """How many cells would be exact or compatible on average, were print shuffled over the rows.

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


def order_and_signs(ours: pd.Series, printed: pd.Series, rng: np.random.Generator) -> dict:
    """Judge a column by the order of its rows and by its signs, three ways.

    Kendall's tau-b against the null in which print is shuffled over the rows (one-sided), and
    the share of rows with equal signs. The column `agrees` when tau is significant at 0.05 and
    more than half of the signs are equal. It `contradicts` when tau is significantly negative, or
    significantly fewer than half of the signs are equal (binomial test), each at 0.0125. Where
    both sides are constant and equal it is `identical`. Otherwise it is `undecided`.

    Returns:
        `tau`, `tau_p`, `equal_signs`, `power` (the chance of `agrees` at a true correlation of .9
        with print), `verdict` (identical, agrees, contradicts, undecided, too few, or "" where no
        cell is to be judged so), and `agrees_if_shuffled`, the share of shuffles that would have
        agreed. Tau is NaN where a side is constant.
    """
    keys = ("tau", "tau_p", "equal_signs", "power", "agrees_if_shuffled")
    empty = dict.fromkeys(keys, np.nan)
    if len(ours) < FEWEST_ROWS:
        return empty | {"verdict": "too few" if len(ours) else ""}
    x, y = ours.to_numpy(float), printed.astype(float).to_numpy()
    signs = np.sign(x) == np.sign(y)
    if np.ptp(x) == 0 or np.ptp(y) == 0:
        same = [bool(same_digits(a, b)) for a, b in zip(x, printed, strict=True)]
        verdict = "identical" if all(same) else "undecided"
        return empty | {"equal_signs": signs.mean(), "verdict": verdict}
    orders = _orders(len(y), rng)
    taus = _taus(x, y, orders)
    # The share of all orders, the observed one among them, that order the rows at least as well.
    p_values = 1 - np.searchsorted(np.sort(taus), taus - 1e-12) / len(taus)
    opposite = (taus <= taus[0] + 1e-12).mean()
    enough = (np.sign(x) == np.sign(y[orders])).mean(axis=1) > 0.5
    agrees = (p_values <= SIGNIFICANT) & enough
    # The chance of so few equal signs, were each sign a coin's.
    n, equal = len(signs), int(signs.sum())
    fewer = sum(comb(n, k) for k in range(equal + 1)) / 2**n
    against = min(opposite, fewer) <= OPPOSITE
    return {
        "tau": taus[0],
        "tau_p": p_values[0],
        "equal_signs": signs.mean(),
        "power": power_of_order(len(x)),
        "agrees_if_shuffled": agrees[1:].mean(),
        "verdict": "contradicts" if against else "agrees" if agrees[0] else "undecided",
    }


def _orders(n: int, rng: np.random.Generator) -> np.ndarray:
    """The order of n rows as it is, then shuffled."""
    rows, draws = np.arange(n), 9_999 if n <= 50 else 999
    return np.vstack([rows, rng.permuted(np.tile(rows, (draws, 1)), axis=1)])


@cache
def power_of_order(n: int) -> float:
    """The chance that n rows order as print does, significantly, at a true correlation of .9.

    By simulation of normal pairs: rows that have no order in truth tell nothing, and four rows find
    even such a correlation in fewer than half of all cases.
    """
    rng = generator(0, "power of order", n)
    x, noise = rng.standard_normal((2, SAMPLES, n))
    y = POWER_AT * x + np.sqrt(1 - POWER_AT**2) * noise
    # Without ties the distribution under shuffling is the same for all columns of n rows.
    null = np.sort(_taus(np.arange(n), np.arange(n), _orders(n, rng)))
    found = np.array([_taus(a, b, np.arange(n)[None])[0] for a, b in zip(x, y, strict=True)])
    p_values = 1 - np.searchsorted(null, found - 1e-12) / len(null)
    return float((p_values <= SIGNIFICANT).mean())


def _taus(x: np.ndarray, y: np.ndarray, orders: np.ndarray) -> np.ndarray:
    """Kendall's tau-b of x (n,) with each reordering of y (n,): one for each row of orders."""
    i, j = np.triu_indices(len(x), k=1)
    dx, dy = np.sign(x[i] - x[j]), np.sign(y[i] - y[j])
    norm = np.sqrt((dx**2).sum() * (dy**2).sum())
    # In blocks: all pairs of all orders of many rows would not fit into memory.
    blocks = np.array_split(orders, 1 + orders.shape[0] * len(i) // BLOCK)
    return np.concatenate([np.sign(y[part[:, i]] - y[part[:, j]]) @ dx for part in blocks]) / norm
