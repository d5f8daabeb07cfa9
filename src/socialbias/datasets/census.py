"""Who works in which profession: shares of groups by profession, from census and labour data."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd

from socialbias.errors import UserError

GENDER = ("female", "male")
RACE = ("white", "hispanic", "asian")


def read_shares(folder: Path, manifest: dict, groups: tuple[str, ...], year: int) -> pd.DataFrame:
    """Read the shares of groups in each profession from a fetched source.

    Args:
        folder: The folder in which the source's files lie.
        manifest: The source's manifest; its `format` says how to read.
        groups: Lower-case names of the groups to keep, such as `GENDER`.
        year: Census year; a source without years gives its only table.

    Returns:
        One row a profession (lower case, sorted), one column a group; each row sums to one.

    Raises:
        UserError: the source has no such group or year.
        KeyError: there is no reader for the source's format.
    """
    path = folder / manifest["files"][0]["path"]
    table = READERS[manifest["format"]](path)
    if "year" in table.columns:
        table = table[table["year"] == year].drop(columns="year")
    missing = [group for group in groups if group not in table.columns]
    if missing or table.empty:
        what = f"no column {missing[0]!r}" if missing else f"no rows for {year}"
        raise UserError(f"{path}: {what}")
    return renormalise(table.set_index("profession")[list(groups)]).sort_index()


def garg_census(path: Path) -> pd.DataFrame:
    """The files of Garg et al. 2018: a row for every profession and census year, in no order.

    Returns:
        Columns `profession`, `year`, and one a group, all in lower case.
    """
    table = pd.read_csv(path, keep_default_na=False)
    table.columns = table.columns.str.lower()
    table = table.rename(columns={"occupation": "profession", "census year": "year"})
    table["profession"] = table["profession"].str.lower()
    return table.drop(columns="total weight")


def winogender(path: Path) -> pd.DataFrame:
    """Winogender's occupation statistics: per cent of women, one year a profession.

    Returns:
        Columns `profession`, `female`, `male` as shares.
    """
    table = pd.read_csv(path, sep="\t", keep_default_na=False)
    female = table["bls_pct_female"].astype(float) / 100
    profession = table["occupation"].str.lower()
    return pd.DataFrame({"profession": profession, "female": female, "male": 1 - female})


def renormalise(shares: pd.DataFrame) -> pd.DataFrame:
    """Scale each row to sum to one; rows whose sum is zero are dropped."""
    totals = shares.sum(axis=1)
    return shares[totals > 0].div(totals[totals > 0], axis=0)


def bias_from_uniform(shares: pd.DataFrame) -> pd.Series:
    """L1 distance of each profession's shares from the uniform distribution, in [0, 2).

    Bommasani and Liang 2022, section 6: the bias in employment that Table 5 compares with.
    """
    k = shares.shape[1]
    return pd.Series(np.abs(shares.to_numpy() - 1 / k).sum(axis=1), index=shares.index)


def professions(folder: Path, manifest: dict) -> set[str]:
    """Every profession of a fetched source, in lower case, whatever the year."""
    return set(READERS[manifest["format"]](folder / manifest["files"][0]["path"])["profession"])


READERS = {"garg-census": garg_census, "winogender": winogender}
