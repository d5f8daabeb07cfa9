"""Values: the one currency between measuring and showing, one row a number.

| column | content |
|---|---|
| artefact | `table5` |
| row, column | the cell; a column may end in `@variant` where one printed column has variants |
| value | the number; empty where there is no input |
| ci_low, ci_high | 95 % interval; empty where there is none |
| p_value | two-sided, of the test that the paper reports; empty where there is none |
| n, n_of, n_unit | what the number rests on, out of how many, counted in which unit |
| unit | what the number is |
| fidelity | of the worst input: exact, subset, substitute, no input |
| sources | ids of the inputs, separated by `;` |
| seed | the configuration's seed |
| note | what is missing and how to get it, or another remark |
"""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pandera.pandas as pa

from socialbias.errors import UserError
from socialbias.sources.registry import FIDELITIES

NO_INPUT = "no input"
TOO_SPARSE = "the input is available but covers too few of the words: use a larger source"
KEY = ["row", "column"]

SCHEMA = pa.DataFrameSchema(
    {
        "artefact": pa.Column(str),
        "row": pa.Column(str),
        "column": pa.Column(str),
        "value": pa.Column(float, nullable=True),
        "ci_low": pa.Column(float, nullable=True),
        "ci_high": pa.Column(float, nullable=True),
        "p_value": pa.Column(float, pa.Check.in_range(0, 1), nullable=True),
        "n": pa.Column(float, pa.Check.ge(0), nullable=True),
        "n_of": pa.Column(float, pa.Check.ge(0), nullable=True),
        "n_unit": pa.Column(str),
        "unit": pa.Column(str),
        "fidelity": pa.Column(str, pa.Check.isin(FIDELITIES)),
        "sources": pa.Column(str),
        "seed": pa.Column(int),
        "note": pa.Column(str),
    },
    checks=[
        pa.Check(
            lambda v: v["value"].isna() == (v["fidelity"] == NO_INPUT),
            error="a value is empty exactly where its fidelity is 'no input'",
        ),
        pa.Check(
            lambda v: v["ci_low"].isna() | (v["ci_low"] <= v["ci_high"]),
            error="ci_low is above ci_high",
        ),
    ],
    unique=KEY,
    coerce=True,
    strict=True,
    ordered=True,
)
TEXT_COLUMNS = ("artefact", "row", "column", "n_unit", "unit", "fidelity", "sources", "note")


def value(row: str, column: str, number: float, **others) -> dict:
    """One number as a record; what is not said about it is left empty.

    Args:
        row: The cell's row.
        column: The cell's column.
        number: The value.
        others: Any further column of the table.

    Raises:
        KeyError: a keyword is not a column of values.
    """
    unknown = set(others) - set(SCHEMA.columns)
    if unknown:
        raise KeyError(f"values have no column {sorted(unknown)[0]!r}")
    return {"row": row, "column": column, "value": number, **others}


def values_table(artefact: str, records: list[dict], seed: int) -> pd.DataFrame:
    """Records as a table of values, checked and sorted by cell.

    Args:
        artefact: Such as `table5`.
        records: Made by `value`.
        seed: The configuration's seed.

    Raises:
        UserError: the records break the schema; the message names the first cell.
    """
    table = pd.DataFrame(records, columns=list(SCHEMA.columns))
    table["artefact"] = artefact
    table["seed"] = seed
    return _checked(table, artefact).sort_values(KEY, ignore_index=True)


def write_values(table: pd.DataFrame, path: Path) -> None:
    """Write values, atomically."""
    write_csv(_checked(table, str(path)), path)


def digits_of(number: float) -> str:
    """A number as text: a count or another whole number in full, others to 6 significant digits."""
    return f"{number:.0f}" if float(number).is_integer() else f"{number:.6g}"


def write_csv(table: pd.DataFrame, path: Path) -> None:
    """Write any table as CSV, numbers as `digits_of` writes them, atomically."""
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_suffix(".tmp")
    table.to_csv(temporary, index=False, float_format=digits_of, lineterminator="\n")
    temporary.replace(path)


def read_values(path: Path) -> pd.DataFrame:
    """Read values; UserError when the file breaks the schema."""
    return _checked(read_csv(path, numbers=set(SCHEMA.columns) - set(TEXT_COLUMNS)), str(path))


def read_published(path: Path) -> pd.DataFrame:
    """Printed numbers as text: `row, column, value, note`; empty where there is no such file."""
    if path.is_file():
        return read_csv(path)
    return pd.DataFrame(columns=["row", "column", "value", "note"], dtype=object)


def read_csv(path: Path, numbers: set[str] = frozenset()) -> pd.DataFrame:
    """Read a CSV in which words such as `null` and `NA` are words.

    Args:
        path: The file.
        numbers: Columns of numbers; all others are text, with "" where nothing stands.
    """
    table = pd.read_csv(path, dtype=str, keep_default_na=False)
    for name in numbers & set(table.columns):
        table[name] = pd.to_numeric(table[name])
    return table


def _checked(table: pd.DataFrame, where: str) -> pd.DataFrame:
    """The table in the schema's types; UserError with the first thing that is wrong."""
    table = table.copy()
    for name in set(TEXT_COLUMNS) & set(table.columns):
        table[name] = table[name].astype(object).where(table[name].notna(), "")
    try:
        return SCHEMA.validate(table, lazy=True)
    except pa.errors.SchemaErrors as errors:
        reason = _first_problem(table, errors.failure_cases)
        raise UserError(f"{where}: not a table of values: {reason}") from None


def _first_problem(table: pd.DataFrame, failures: pd.DataFrame) -> str:
    """The first failure of the schema, with the cell it stands in where it stands in one."""
    first = failures.iloc[0]
    what = f"{first['column'] or 'table'}: {first['check']}, got {first['failure_case']}"
    placed = failures["index"].dropna()
    if placed.empty or not set(KEY) <= set(table.columns):
        return " ".join(what.split())
    row, column = table.loc[int(placed.iloc[0]), KEY]
    return f"row {row!r}, column {column!r}: {' '.join(what.split())}"
