"""SemEval-2018 Task 1, English valence: tweets with a class."""

from __future__ import annotations

import re
from pathlib import Path

import pandas as pd

from socialbias.errors import UserError
from socialbias.files.text import read_text
from socialbias.measures.datasets.parsing import check_distinct

HEADER = "ID\tTweet\tAffect Dimension\tIntensity Class"
CLASS = re.compile(r"(-?[0-3]): ")


def read_tweets(path: Path) -> pd.DataFrame:
    r"""Read one of the files (Mohammad et al. 2018), with or without its header.

    Fields are separated by tabs, without quoting.

    Returns:
        One row per tweet, in the order of the file. Columns: `id`, `tweet`, `dimension`
        (`valence`), and `intensity`: nullable integers from -3 to 3; missing where the file has
        `NONE` (test files without gold labels).

    Raises:
        UserError: a line does not have four fields, an id is duplicated, or the last field is not
            a class.
    """
    rows = []
    for number, line in enumerate(read_text(path).split("\n"), 1):
        line = line.removesuffix("\r")
        if not line or (number == 1 and line == HEADER):
            continue
        fields = line.split("\t")
        if len(fields) != 4:
            raise UserError(f"{path}, line {number}: {len(fields)} fields instead of 4")
        rows.append((number, *fields))
    table = pd.DataFrame(rows, columns=["line", "id", "tweet", "dimension", "intensity"], dtype=str)
    if table.empty:
        raise UserError(f"{path}: contains no tweets")
    check_distinct(table["id"], path)
    classes = table["intensity"].str.extract(CLASS)[0].astype("Int64")
    wrong = table["line"][classes.isna() & (table["intensity"] != "NONE")]
    if len(wrong):
        example = "`-3: very negative ...`"
        raise UserError(f"{path}, line {wrong.iloc[0]}: not a class such as {example}")
    return table.drop(columns="line").assign(intensity=classes)
