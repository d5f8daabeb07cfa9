"""GAP: passages of Wikipedia with a pronoun and two names, and to which of them it refers."""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from socialbias.errors import UserError
from socialbias.measures.datasets.parsing import read_table

COLUMNS = {"Text": "text", "Pronoun": "pronoun"}
NAMES = ("A", "B")
FEMALE, MALE = {"she", "her", "hers"}, {"he", "him", "his"}


def read_gap(folder: Path, manifest: dict) -> pd.DataFrame:
    """Read all parts of GAP (Webster, Recasens, Axelrod and Baldridge 2018) from a fetched source.

    Returns:
        One row a name: `passage` (its number), `text`, `gender` of the pronoun, `name`, `offset`
        (of the name in the text, in characters) and `refers` (whether the pronoun refers to it).

    Raises:
        UserError: a file is not of this form.
    """
    wanted = [*COLUMNS, *(f"{n}{what}" for n in NAMES for what in ("", "-offset", "-coref"))]
    parts = []
    for file in manifest["files"]:
        path = folder / file["path"]
        parts.append(read_table(path, wanted, sep="\t", quoting=3))
    passages = pd.concat(parts, ignore_index=True).rename(columns=COLUMNS)
    pronouns = passages["pronoun"].str.lower()
    if unknown := sorted(set(pronouns) - FEMALE - MALE):
        raise UserError(f"{folder}: the pronoun {unknown[0]!r} is of neither gender")
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
