"""Values: the common format between measuring and showing, one row a number.

| column | content |
|---|---|
| artefact | `table5` |
| row, column | the cell; a column may end in `@variant` where one printed column has variants |
| value | the number; empty where there is no input |
| ci_low, ci_high | 95 % interval; empty where there is none |
| p_value | two-sided, of the test that the paper reports; empty where there is none |
| q_value | the p-value adjusted for the other tests of its column: they err together in 5 % |
| n, n_of, n_unit | sample size, out of how many, and its unit |
| reliability | of the measured numbers behind it, from 0 to 1 |
| ceiling | the largest correlation that the reliabilities of its two sides allow |
| detectable | the smallest true value that would be found at 0.05 with a power of 80 % |
| weak | what is wrong with its input or measure though the sample is large enough; or empty |
| unit | what the number is |
| fidelity | of the worst input: exact, subset, substitute, own, no input |
| sources | ids of the inputs, separated by `;` |
| seed | the configuration's seed |
| note | what is missing and how to get it, or another remark |

Beside the values of an artefact lie its draws (`<artefact>.draws.parquet`): what each number might
have been, had other units been sampled, `stats.draws.DRAWS` times.

| column | content |
|---|---|
| draw | from 0; the same draw of two numbers is of the same sampled units |
| row, column | the cell |
| value | the number in this draw; the same in all where nothing was sampled |
| null | the number with inputs permuted, so that there is no effect; empty where that is not done |
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from socialbias.errors import UserError
from socialbias.files.atomic_write import aside
from socialbias.sources.fidelity import FIDELITIES
from socialbias.stats.draws import DRAWS

NO_INPUT = "no input"
TOO_SPARSE = "the input is available but covers too few of the words: use a larger source"
KEY = ["row", "column"]

TEXT, NUMBER, INTEGER = "text", "a number", "a whole number"
COLUMNS = {
    "artefact": TEXT,
    "row": TEXT,
    "column": TEXT,
    "value": NUMBER,
    "ci_low": NUMBER,
    "ci_high": NUMBER,
    "p_value": NUMBER,
    "q_value": NUMBER,
    "n": NUMBER,
    "n_of": NUMBER,
    "n_unit": TEXT,
    "reliability": NUMBER,
    "ceiling": NUMBER,
    "detectable": NUMBER,
    "weak": TEXT,
    "unit": TEXT,
    "fidelity": TEXT,
    "sources": TEXT,
    "seed": INTEGER,
    "note": TEXT,
}
NUMBERS = {name for name, kind in COLUMNS.items() if kind != TEXT}
DERIVED = ("fidelity", "sources")  # from what a cell needs, in `reporting.write_artefact` alone
DRAWN = ("draws", "null")  # of a record, what goes to the file of draws
# What is not written of a record: what its reliability is computed from, whether its evidence has
# all that was asked of inputs that are subsets, and the rows of other artefacts' values behind it.
REPLICATES, WHOLE, MADE_OF = "replicates", "whole", "made_of"


def value(
    row: str, column: str, number: float, *, interval: Iterable[float] | None = None, **others
) -> dict:
    """Return one number as a record; what is not said about it is left empty."""
    if interval is not None:
        others["ci_low"], others["ci_high"] = interval
    unknown = set(others) - (set(COLUMNS) - {*DERIVED}) - {*DRAWN, REPLICATES, WHOLE, MADE_OF}
    if unknown:
        raise KeyError(f"a number has no field {sorted(unknown)[0]!r}")
    return {"row": row, "column": column, "value": number, **others}


def exact(row: str, column: str, number: float, **others) -> dict:
    """Return the record of what was counted whole, so that nothing varies."""
    return value(row, column, float(number), draws=float(number), **others)


def values_table(artefact: str, records: list[dict], seed: int) -> pd.DataFrame:
    """Return records as a table of values, checked and sorted by cell."""
    table = pd.DataFrame(records, columns=list(COLUMNS))
    table["artefact"] = artefact
    table["seed"] = seed
    return _checked(table, artefact).sort_values(KEY, ignore_index=True)


def draws_table(records: list[dict]) -> pd.DataFrame:
    """Return the draws of records, in the columns `draw`, `row`, `column`, `value`, `null`."""
    parts = []
    for record in records:
        numbers = [np.asarray(record.get(name, np.nan), float) for name in DRAWN]
        drawn = [np.broadcast_to(each, DRAWS) for each in numbers]
        if np.isnan(drawn[0]).all():
            continue
        cell = {"draw": np.arange(DRAWS, dtype=np.int32)}
        cell |= {"row": record["row"], "column": record["column"]}
        parts.append(pd.DataFrame(cell | dict(zip(("value", "null"), drawn, strict=True))))
    if not parts:
        return pd.DataFrame(columns=["draw", "row", "column", "value", "null"])
    table = pd.concat(parts, ignore_index=True)
    return table.astype({"row": "category", "column": "category"})


def read_draws(path: Path) -> dict[tuple[str, str], NDArray[np.float64]]:
    """Return by cell, its draws and its draws with permuted inputs: (2, DRAWS)."""
    table = pd.read_parquet(path)
    # The draws of a cell follow each other, as `draws_table` has written them.
    numbers = table[["value", "null"]].to_numpy(float).reshape(-1, DRAWS, 2)
    cells = table.iloc[::DRAWS][KEY].itertuples(index=False, name=None)
    return {cell: drawn.T for cell, drawn in zip(cells, numbers, strict=True)}


def write_values(table: pd.DataFrame, path: Path) -> None:
    """Write values, atomically."""
    write_csv(_checked(table, str(path)), path)


def digits_of(number: float) -> str:
    """Return a whole number in full as text, another one to 6 significant digits."""
    return f"{number:.0f}" if float(number).is_integer() else f"{number:.6g}"


def write_csv(table: pd.DataFrame, path: Path) -> None:
    """Write any table as CSV, numbers as `digits_of` writes them, atomically."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with aside(path) as part:
        table.to_csv(part, index=False, float_format=digits_of, lineterminator="\n")


def read_values(path: Path) -> pd.DataFrame:
    """Read values; UserError when the file breaks the schema."""
    return _checked(read_csv(path, numbers=NUMBERS), str(path))


def read_published(path: Path) -> pd.DataFrame:
    """Return printed numbers as text (`row, column, value, note`), none where there is no file."""
    if path.is_file():
        return read_csv(path)
    return pd.DataFrame(columns=["row", "column", "value", "note"], dtype=object)


def read_csv(path: Path, numbers: set[str] = frozenset()) -> pd.DataFrame:
    """Read a CSV in which words such as `null` and `NA` are words."""
    table = pd.read_csv(path, dtype=str, keep_default_na=False)
    for name in numbers & set(table.columns):
        table[name] = pd.to_numeric(table[name])
    return table


def _checked(table: pd.DataFrame, where: str) -> pd.DataFrame:
    """Return the table in the schema's types; UserError with the first thing that is wrong."""
    if list(table.columns) != list(COLUMNS):
        raise UserError(f"{where}: not a table of values: its columns must be {', '.join(COLUMNS)}")
    table = table.copy()
    problem = ""
    for name, kind in COLUMNS.items():
        if kind == TEXT:
            table[name] = table[name].astype(object).where(table[name].notna(), "").astype(str)
            continue
        numbers = pd.to_numeric(table[name], errors="coerce")
        wrong = numbers.isna() & table[name].notna()
        if kind == INTEGER:
            wrong |= numbers != numbers.round()
        if wrong.any():
            problem = problem or _at(table, wrong, name, f"is not {kind}")
        else:
            table[name] = numbers.astype(int if kind == INTEGER else float)
    if problem := problem or _first_problem(table):
        raise UserError(f"{where}: not a table of values: {problem}")
    return table


def _first_problem(table: pd.DataFrame) -> str:
    """Return the first rule of values that a table breaks, with the cell; "" if none."""
    without = table["value"].isna() != (table["fidelity"] == NO_INPUT)
    backwards = table["ci_low"].notna() & ~(table["ci_low"] <= table["ci_high"])
    checks = [
        (~table["fidelity"].isin(FIDELITIES), "fidelity", f"is none of {', '.join(FIDELITIES)}"),
        *(
            ((table[name] < 0) | (table[name] > 1), name, "is not between 0 and 1")
            for name in ("p_value", "q_value", "reliability", "ceiling")
        ),
        (table["n"] < 0, "n", "is negative"),
        (table["n_of"] < 0, "n_of", "is negative"),
        (without, "value", f"is empty exactly where the fidelity is {NO_INPUT!r}, and only there"),
        (backwards, "ci_low", "is above ci_high, or ci_high is empty"),
        (table["sources"].str.contains("; |^;|;;|;$"), "sources", "is not separated by `;` alone"),
        (table.duplicated(KEY), "column", "appears twice for this row"),
    ]
    for wrong, name, what in checks:
        if wrong.any():
            return _at(table, wrong, name, what)
    return ""


def _at(table: pd.DataFrame, wrong: pd.Series, name: str, what: str) -> str:
    """Return what is wrong with a column, and the first cell in which it is."""
    first = table[wrong].iloc[0]
    row, column = first[KEY]
    text = " ".join(str(first[name]).split())
    return f"row {row!r}, column {column!r}: {name} {what}, got {text!r}"
