"""Seed sets that Bad Seeds gathered from published work on bias."""

from __future__ import annotations

import ast
from pathlib import Path

import pandas as pd

from socialbias.files.json_files import read_json

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
    """
    rows = []
    for record in read_json(path):
        row = {column: record[key] or "" for key, column in COLUMNS.items()}
        row["source_categories"] = tuple(filter(None, row["source_categories"].split(", ")))
        seeds = tuple(ast.literal_eval(record["Seeds"]))
        rows.append({**row, "seeds": seeds, "documented": bool(seeds)})
    return pd.DataFrame(rows)
