"""Seed sets that Bad Seeds gathered from published work on bias."""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from socialbias.errors import UserError
from socialbias.measures.datasets.parsing import check_distinct, literal_list, read_json, strings

COLUMNS = {
    "Seeds ID": "id",
    "Category": "category",
    "Source / Justification": "justification",
    "Source Categories": "source_categories",
    "Used in Paper": "paper",
    "Link": "link",
}


def read_seeds(path: Path) -> pd.DataFrame:
    """Read `gathered_seeds.json` (Antoniak and Mimno 2021).

    Args:
        path: The file: records whose `Seeds` are a Python list written as a string.

    Returns:
        One row per seed set, in the order of the file. Columns: `id`, `category`, `justification`,
        `paper`, `link` (strings, "" where the file has null), `source_categories` (tuple),
        `seeds` (tuple of strings), `documented` (bool: whether there are seeds; an empty list
        means that the paper does not document them).

    Raises:
        UserError: the file is not of that form, a list is invalid, or an id is duplicated.
    """
    records = read_json(path)
    if not isinstance(records, list) or not records:
        raise UserError(f"{path}: not a list of seed sets")
    keys, rows = (*COLUMNS, "Seeds"), []
    for i, record in enumerate(records, 1):
        where = f"{path}, record {i}"
        missing = [key for key in keys if not isinstance(record, dict) or key not in record]
        if missing:
            raise UserError(f"{where}: no key {missing[0]!r}")
        row = {column: record[key] or "" for key, column in COLUMNS.items()}
        row["source_categories"] = tuple(filter(None, row["source_categories"].split(", ")))
        seeds = strings(literal_list(record["Seeds"], where), where)
        rows.append({**row, "seeds": seeds, "documented": bool(seeds)})
    table = pd.DataFrame(rows)
    check_distinct(table["id"], path)
    return table
