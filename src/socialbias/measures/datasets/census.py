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
    """
    return _table(path, ",").rename(columns={"census year": "year"}).drop(columns="total weight")


def winogender(path: Path) -> pd.DataFrame:
    """Read Winogender's occupation statistics: percentage of women, a single year.

    Returns:
        Columns `profession`, `female`, `male` as shares.
    """
    table = _table(path, "\t")
    female = table["bls_pct_female"].astype(float) / 100
    return pd.DataFrame({"profession": table["profession"], "female": female, "male": 1 - female})


def _table(path: Path, delimiter: str) -> pd.DataFrame:
    """Return a table with its columns and professions in lower case."""
    table = pd.read_csv(path, sep=delimiter, keep_default_na=False, index_col=False)
    table.columns = table.columns.str.lower()
    table["occupation"] = table["occupation"].str.lower()
    return table.rename(columns={"occupation": "profession"})


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
