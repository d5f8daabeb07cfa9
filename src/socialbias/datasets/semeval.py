"""SemEval-2018 Task 1, English valence: tweets with a class (V-oc) or a score (V-reg)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from socialbias.datasets.parsing import check_distinct, read_text
from socialbias.errors import UserError

HEADERS = {
    "ID\tTweet\tAffect Dimension\tIntensity Class": "class",
    "ID\tTweet\tAffect Dimension\tIntensity Score": "score",
}
# Rows of the Equity Evaluation Corpus that the V-reg test file contains in addition to the tweets.
EXTRA = re.compile(r"\d{4}-En-mystery-\d+")
CLASS = re.compile(r"(-?[0-3]): ")


@dataclass(frozen=True)
class Tweets:
    """A file of SemEval-2018 Task 1.

    Attributes:
        table: One row per tweet, in the order of the file. Columns: `id`, `tweet`, `dimension`
            (`valence`), and `intensity`: nullable integers from -3 to 3 for V-oc, floats from 0 to
            1 for V-reg; missing where the file has `NONE` (test files without gold labels).
        kind: `class` (V-oc), `score` (V-reg), or `none` if neither gold labels nor header tell.
        dropped: Rows that are not tweets and were dropped: see `read_tweets`.
    """

    table: pd.DataFrame
    kind: str
    dropped: int


def read_tweets(path: Path) -> Tweets:
    r"""Read one of the files (Mohammad et al. 2018), with or without its header.

    Fields are separated by tabs, without quoting. The V-reg test file contains 16,937 sentences of
    the Equity Evaluation Corpus after its 937 tweets, with the placeholder score 0.000: rows whose
    id is `2018-En-mystery-<n>` are dropped and counted.

    Args:
        path: The file.

    Returns:
        The tweets.

    Raises:
        UserError: a line does not have four fields, an id is duplicated, or the last field is not
            of one of the two kinds throughout.
    """
    rows, dropped, declared = [], 0, "none"
    for number, line in enumerate(read_text(path).split("\n"), 1):
        line = line.removesuffix("\r")
        if number == 1 and line in HEADERS:
            declared = HEADERS[line]
            continue
        if not line:
            continue
        fields = line.split("\t")
        if len(fields) != 4:
            raise UserError(f"{path}, line {number}: {len(fields)} fields instead of 4")
        if EXTRA.fullmatch(fields[0]):
            dropped += 1
        else:
            rows.append((number, *fields))
    table = pd.DataFrame(rows, columns=["line", "id", "tweet", "dimension", "intensity"], dtype=str)
    if table.empty:
        raise UserError(f"{path}: contains no tweets")
    check_distinct(table["id"], path)
    kind, table["intensity"] = _intensity(table, declared, path)
    return Tweets(table.drop(columns="line"), kind, dropped)


def _intensity(table: pd.DataFrame, declared: str, path: Path) -> tuple[str, pd.Series]:
    """The kind of the last field, and its numbers; `declared` is the kind in the header."""
    known = table[table["intensity"] != "NONE"]
    scores = pd.to_numeric(known["intensity"], errors="coerce").astype(float)
    readings = {
        "class": known["intensity"].str.extract(CLASS)[0].astype("Int64"),
        "score": scores.where(scores.between(0, 1)),
    }
    readings["none"] = readings["score"]
    kind = declared
    if declared == "none" and len(known):
        kind = "class" if readings["class"].notna().iloc[0] else "score"
    wrong = known["line"][readings[kind].isna()]
    if len(wrong):
        example = "`-3: very negative ...`" if kind == "class" else "0.600"
        raise UserError(f"{path}, line {wrong.iloc[0]}: not a {kind} such as {example}")
    return kind, readings[kind].reindex(table.index)
