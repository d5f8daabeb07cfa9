"""SemEval-2018 Task 1, English valence: tweets with a class."""

from __future__ import annotations

import re
from pathlib import Path

import pandas as pd

from socialbias.files.text import read_text

HEADER = "ID\tTweet\tAffect Dimension\tIntensity Class"
CLASS = re.compile(r"(-?[0-3]): ")


def read_tweets(path: Path) -> pd.DataFrame:
    r"""Read one of the files (Mohammad et al. 2018), with or without its header.

    Fields are separated by tabs, without quoting.

    Returns:
        One row per tweet, in the order of the file. Columns: `id`, `tweet`, `dimension`
        (`valence`), and `intensity`: nullable integers from -3 to 3; missing where the file has
        `NONE` (test files without gold labels).
    """
    lines = [line.removesuffix("\r") for line in read_text(path).split("\n")]
    rows = [line.split("\t") for line in lines if line not in ("", HEADER)]
    table = pd.DataFrame(rows, columns=["id", "tweet", "dimension", "intensity"], dtype=str)
    return table.assign(intensity=table["intensity"].str.extract(CLASS)[0].astype("Int64"))
