"""Shares of groups by profession, from census and labour data."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd

from socialbias.errors import UserError
from socialbias.sources.manifest import only_file

GENDER = ("female", "male")
RACE = ("white", "hispanic", "asian")


def read_shares(folder: Path, manifest: dict, groups: tuple[str, ...], year: int) -> pd.DataFrame:
    """Read the shares of groups in each profession from a fetched source.

    Args:
        folder: The folder of the source's files.
        manifest: The source's manifest; its `format` selects the reader.
        groups: Lower-case names of the groups to keep, such as `GENDER`.
        year: Census year; ignored for a source with a single table.

    Returns:
        One row per profession (lower case, sorted), one column per group; rows sum to one.

    Raises:
        UserError: the source has no such group or year.
        KeyError: there is no reader for the source's format.
    """
    path = only_file(folder, manifest)
    table = READERS[manifest["format"]](path)
    if "year" in table.columns:
        table = table[table["year"] == year].drop(columns="year")
    missing = [group for group in groups if group not in table.columns]
    if missing or table.empty:
        problem = f"no column {missing[0]!r}" if missing else f"no rows for {year}"
        raise UserError(f"{path}: {problem}")
    return renormalise(table.set_index("profession")[list(groups)]).sort_index()


def garg_census(path: Path) -> pd.DataFrame:
    """Read the files of Garg et al. 2018: one row per profession and census year, unordered.

    Returns:
        Columns `profession`, `year`, and one per group, all in lower case.

    Raises:
        UserError: the file is not such a table, a share is not in 0 to 1, or a profession has two
            rows of one year.
    """
    table = _table(path, ",", ("occupation", "census year", "total weight"))
    table = table.rename(columns={"occupation": "profession", "census year": "year"})
    table = table.drop(columns="total weight")
    for column in table.columns.drop("profession"):
        table[column] = _numbers(table[column], path, 3000 if column == "year" else 1)
    _check_once(table, ["profession", "year"], path)
    return table


def winogender(path: Path) -> pd.DataFrame:
    """Read Winogender's occupation statistics: percentage of women, a single year.

    Returns:
        Columns `profession`, `female`, `male` as shares.

    Raises:
        UserError: the file is not such a table, a percentage is not in 0 to 100, or a profession
            has two rows.
    """
    table = _table(path, "\t", ("occupation", "bls_pct_female"))
    female = _numbers(table["bls_pct_female"], path, 100).astype(float) / 100
    table = pd.DataFrame({"profession": table["occupation"], "female": female, "male": 1 - female})
    _check_once(table, ["profession"], path)
    return table


def _table(path: Path, delimiter: str, needed: tuple[str, ...]) -> pd.DataFrame:
    """Return a table with its columns and professions in lower case."""
    try:
        table = pd.read_csv(path, sep=delimiter, keep_default_na=False, index_col=False)
    except OSError as error:
        raise UserError(f"{path}: cannot be read: {error.strerror}") from None
    except (ValueError, pd.errors.ParserError) as error:  # of which an empty file is one
        raise UserError(
            f"{path}: not a table ({str(error).strip()[:80]}): fetch it again"
        ) from None
    table.columns = table.columns.astype(str).str.lower()
    missing = [column for column in needed if column not in table.columns]
    if missing or table.columns.has_duplicates:
        problem = f"no column {missing[0]!r}" if missing else "a column twice"
        listed = ", ".join(table.columns[:10])[:200]
        raise UserError(f"{path}: {problem}; its columns are {listed}")
    table["occupation"] = table["occupation"].astype(str).str.lower()
    return table


def _numbers(column: pd.Series, path: Path, most: float) -> pd.Series:
    """Return a column of numbers between 0 and the most that they can be."""
    try:
        numbers = pd.to_numeric(column)
        wrong = column[~numbers.astype(float).between(0, most)]
    except (ValueError, TypeError, OverflowError):
        wrong = column[pd.to_numeric(column, errors="coerce").isna()]
    if len(wrong):
        raise UserError(
            f"{path}, row {wrong.index[0] + 2}: {column.name} is {str(wrong.iloc[0])[:40]!r}, not "
            f"a number from 0 to {most}: fetch it again"
        )
    return numbers


def _check_once(table: pd.DataFrame, key: list[str], path: Path) -> None:
    """Refuse a second row on the same profession: neither would be the one that is meant."""
    twice = table.loc[table.duplicated(key), "profession"]
    if len(twice):
        profession = f"row {twice.index[0] + 2}: {twice.iloc[0][:40]!r}"
        raise UserError(f"{path}, {profession} appears twice: fetch it again")


def renormalise(shares: pd.DataFrame) -> pd.DataFrame:
    """Scale each row to sum to one; rows that sum to zero are dropped."""
    totals = shares.sum(axis=1)
    return shares[totals > 0].div(totals[totals > 0], axis=0)


def bias_from_uniform(shares: pd.DataFrame) -> pd.Series:
    """L1 distance of each profession's shares from the uniform distribution, in [0, 2).

    Bommasani and Liang 2022, section 6: the employment bias that Table 5 compares with.
    """
    k = shares.shape[1]
    return pd.Series(np.abs(shares.to_numpy() - 1 / k).sum(axis=1), index=shares.index)


def professions(folder: Path, manifest: dict) -> set[str]:
    """Return all professions of a fetched source, in lower case, of any year."""
    return set(READERS[manifest["format"]](only_file(folder, manifest))["profession"])


READERS = {"garg-census": garg_census, "winogender": winogender}
