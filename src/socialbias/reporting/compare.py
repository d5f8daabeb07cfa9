"""Comparison of values with print: verdicts that are computed, and what chance would give.

On the paper's inputs every number is judged. On other inputs a number only stands beside print, and
the column is judged: does it order the rows as print does? A caution changes no verdict.

Several cells of ours may be of one printed number: variants, and what print repeats. Of these,
`counted` is 1 for the first variant with a number, where the number is printed first.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import ROUND_DOWN, ROUND_HALF_UP, Context, Decimal
from fnmatch import fnmatchcase

import numpy as np
import pandas as pd

from socialbias.reporting.artefact import base_column
from socialbias.reporting.values import KEY, NO_INPUT
from socialbias.stats.correlation import spearman_test

FEWEST_CONTEXTS = 20  # a number on fewer contexts has a caution
FEWEST_TERMS = 5  # a mean over fewer target terms has one
FEWEST_SEEDS = 3  # of a seed set that must have a vector
SMALLEST_SHARE = 0.5  # of its words (or professions) that a number must cover
FEWEST_VALUES = 5  # different ones in a printed column, for it to have an order
SIGNIFICANT = 0.05
EQUAL, TRUNCATED, WITHIN, OUTSIDE, OPEN = NUMBER_VERDICTS = (
    *("equal", "equal by truncation", "within", "outside", "open"),
)
AGREES, CONTRADICTS, UNCLEAR = "agrees", "contradicts", "unclear"  # of a column
PASSED = (EQUAL, TRUNCATED, WITHIN)
BY_CHANCE = ["equal_by_chance", "passed_by_chance"]  # were print shuffled over the rows
NOT_JUDGED = "not judged"
TOTAL = "total"  # a row, or a column, that is the sum of the others
OWN = "own"  # the fidelity of a user's own input
# Kinds of numbers that have an order: the others are constants, counts of an input, the authors'
# own, or follow from numbers of other columns. Without a declaration a number has no kind.
RANKED = ("", "human judgement", "measured", "measured after training")

CELL_COLUMNS = [*KEY, "printed", "value", "ci_low", "ci_high", "p_value", "n", "n_of", "n_unit"]
CELL_COLUMNS += ["q_value", "reliability", "ceiling", "detectable", "fidelity", "sources", "kind"]
CELL_COLUMNS += ["counted", "verdict", "detail", *BY_CHANCE, "column_verdict", "caution"]

NO_ORDER = {"rows": 0, "rho": np.nan, "p_value": np.nan, "verdict": "", "detail": ""}


def compare(
    values: pd.DataFrame,
    published: pd.DataFrame,
    kinds: Sequence[Mapping] = (),
    order: Sequence[str] = (),
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Judge values against the printed numbers.

    Args:
        values: A table of values.
        published: The printed numbers.
        kinds: The kinds of the printed numbers, as `Artefact.kinds` has them.
        order: The columns of the values in the order of print, and within one by variant.

    Returns:
        The cells with their verdicts, and the columns with theirs.
    """
    order = [*(order or values["column"].unique())]
    cells = printed_numbers(values, published, kinds, order)
    numbers = published[published["value"] != ""]
    # The range of a printed column is that of its rows; a total of them does not widen it.
    totals = numbers["row"].str.strip().str.lower() == TOTAL
    parts = numbers["column"].map(numbers["column"][~totals].value_counts())
    numbers = numbers[~totals | ~(parts > 1)]
    by_column = numbers["value"].astype(float).groupby(numbers["column"])
    ranges, records = (by_column.max() - by_column.min()).to_dict(), cells.to_dict("records")
    verdicts = [_judge(cell, ranges) for cell in records]
    cells["verdict"], cells["detail"] = [v for v, _ in verdicts], [d for _, d in verdicts]
    cells["caution"] = [caution(cell) for cell in records]
    cells.loc[cells["verdict"] == NO_INPUT, "caution"] = ""
    judged = cells[cells["verdict"].isin(NUMBER_VERDICTS) & ~cells["repeats"]]
    chances = [
        by_chance(group, ranges[base_column(column)])
        for (column, _), group in judged.groupby(["column", "unit"])
    ]
    cells = cells.join(pd.concat(chances) if chances else pd.DataFrame(columns=BY_CHANCE))
    other_inputs = (cells["printed"] != "") & cells["fidelity"].isin(["subset", "substitute"])
    cells["ordered"] = other_inputs & cells["own_kind"].isin(RANKED) & ~cells["repeats"]
    columns = pd.DataFrame(
        {"column": name} | _order(cells[cells["ordered"] & (cells["column"] == name)])
        for name in order
    )
    first = columns["column"][columns["verdict"] != ""]
    columns["counted"] = columns["column"].isin(first[~first.map(base_column).duplicated()])
    columns["counted"] = columns["counted"].astype(int)
    own = cells["column"].map(columns.set_index("column")["verdict"])
    cells["column_verdict"] = own.where(cells["ordered"], "")
    return cells[CELL_COLUMNS], columns


def printed_numbers(
    cells: pd.DataFrame, published: pd.DataFrame, kinds: Sequence[Mapping], order: Sequence[str]
) -> pd.DataFrame:
    """Return cells with what print has: its digits, their kind and whether they count here.

    The kind of a printed number is that of its first variant; `own_kind` is each cell's own.
    """
    printed = published.set_index(KEY)["value"].to_dict()
    bases = cells["column"].map(base_column)
    keys = list(zip(cells["row"], bases, strict=True))
    fitting = [
        [kind for kind in kinds if _fits(kind, row, column)]
        for row, column in zip(cells["row"], cells["column"], strict=True)
    ]
    cells = cells.assign(
        printed=[printed.get(key, "") for key in keys],
        own_kind=[next((x["kind"] for x in fit if x["kind"]), "") for fit in fitting],
        repeats=[any(x["repeats"] for x in fit) for fit in fitting],
    )
    placed = cells.assign(key=keys, place=cells["column"].map([*order].index))
    placed["empty"] = placed["fidelity"] == NO_INPUT
    cells["kind"] = placed.sort_values("place").groupby("key")["own_kind"].transform("first")
    cells.loc[cells["printed"] == "", "kind"] = ""
    numbers = placed[(cells["printed"] != "") & ~cells["repeats"]]
    first = numbers.sort_values(["empty", "place"]).drop_duplicates("key")
    return cells.assign(counted=cells.index.isin(first.index).astype(int))


def _fits(kind: Mapping, row: str, column: str) -> bool:
    """Return whether the patterns of a kind fit a cell, with its variant or without it."""
    names = (column, base_column(column))
    return any(fnmatchcase(row, pattern) for pattern in kind["rows"]) and any(
        fnmatchcase(name, pattern) for name in names for pattern in kind["columns"]
    )


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


def _judge(cell: dict, ranges: dict[str, float]) -> tuple[str, str]:
    """Verdict on one cell, and why."""
    fidelity = cell["fidelity"]
    if fidelity == NO_INPUT:
        return NO_INPUT, cell["note"]
    if fidelity == OWN:
        return NOT_JUDGED, "your own input: not compared with the paper"
    if cell["printed"] == "":
        return NOT_JUDGED, "not in the paper"
    if fidelity != "exact":
        return NOT_JUDGED, f"other inputs than the paper's ({fidelity})"
    ends = cell["ci_low"], cell["ci_high"]
    return judge_number(cell["value"], *ends, cell["printed"], ranges[base_column(cell["column"])])


def judge_number(
    value: float, low: float, high: float, printed: str, printed_range: float
) -> tuple[str, str]:
    """Judge a number from the paper's inputs against the printed digits."""
    if how := same_digits(value, printed):
        return {"rounded": EQUAL, "truncated": TRUNCATED}[how], how
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


def by_chance(judged: pd.DataFrame, printed_range: float) -> pd.DataFrame:
    """Return for each cell, in what share of all orders of print it would be `EQUAL`, and `PASSED`.

    The cells are those of a column with one unit. A single one has no other number that it could
    have by chance: NaN.
    """
    shares = []
    for cell in judged.itertuples():
        ours = cell.value, cell.ci_low, cell.ci_high
        verdicts = [judge_number(*ours, printed, printed_range)[0] for printed in judged["printed"]]
        passed = sum(verdict in PASSED for verdict in verdicts)
        shares.append([verdicts.count(EQUAL) / len(judged), passed / len(judged)])
    table = pd.DataFrame(shares, judged.index, BY_CHANCE)
    return table if len(judged) > 1 else table * np.nan


def _order(rows: pd.DataFrame) -> dict:
    """Judge the order of a column's rows."""
    if rows["unit"].nunique() > 1:
        return NO_ORDER | {"detail": "rows of several units have no order"}
    return rank_correlation(rows["value"], rows["printed"].astype(float))


def rank_correlation(ours: Sequence[float], printed: Sequence[float]) -> dict:
    """Judge a column by Spearman's rank correlation of its rows with print, two-sided at 0.05."""
    result = NO_ORDER | {"rows": len(printed)}
    if len(set(printed)) < FEWEST_VALUES:
        few = f"fewer than {FEWEST_VALUES} different numbers in the paper"
        return result | {"detail": few if len(printed) else ""}
    rho, p = spearman_test(ours, printed)
    if np.isnan(rho):
        return result | {"detail": "constant rows have no order"}
    verdict = UNCLEAR if p > SIGNIFICANT else AGREES if rho > 0 else CONTRADICTS
    return result | {"rho": rho, "p_value": p, "verdict": verdict}
