"""GAP: passages of Wikipedia with a pronoun and two names, and to which of them it refers."""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from socialbias.measures.datasets.parsing import read_table

COLUMNS = {"Text": "text", "Pronoun": "pronoun"}
NAMES = ("A", "B")
FEMALE = {"she", "her", "hers"}


def read_gap(folder: Path, manifest: dict) -> pd.DataFrame:
    """Read all parts of GAP (Webster, Recasens, Axelrod and Baldridge 2018) from a fetched source.

    Returns:
        One row a name: `passage` (its number), `text`, `gender` of the pronoun, `name`, `offset`
        (of the name in the text, in characters) and `refers` (whether the pronoun refers to it).
    """
    parts = [read_table(folder / f["path"], sep="\t", quoting=3) for f in manifest["files"]]
    passages = pd.concat(parts, ignore_index=True).rename(columns=COLUMNS)
    pronouns = passages["pronoun"].str.lower()
    passages["gender"] = pronouns.map(lambda word: "female" if word in FEMALE else "male")
    names = [
        passages[["text", "gender"]].assign(
            passage=passages.index,
            name=passages[n],
            offset=passages[f"{n}-offset"].astype(int),
            refers=passages[f"{n}-coref"].str.upper() == "TRUE",
        )
        for n in NAMES
    ]
    table = pd.concat(names).sort_values(["passage", "offset"], ignore_index=True)
    return table[["passage", "text", "gender", "name", "offset", "refers"]]
