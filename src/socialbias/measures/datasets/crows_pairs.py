"""CrowS-Pairs: pairs of sentences, one more stereotyping than the other."""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from socialbias.errors import UserError
from socialbias.files.tables import DELIMITERS
from socialbias.files.text import read_text
from socialbias.measures.datasets.parsing import read_table

SENTENCES = ("sent_more", "sent_less")


def read_pairs(path: Path) -> pd.DataFrame:
    """Read `crows_pairs_anonymized.csv` (Nangia et al. 2020), or an edition in another language.

    A quoted sentence may contain a line break, so a row may span several lines. Commas, semicolons
    or tabs separate the cells.

    Returns:
        One row per pair, indexed by the file's own number (`id`), or its place if there is none.
        Columns: `sent_more`, `sent_less`, `direction` (`stereo`, `antistereo`) and `bias_type`;
        what an edition lacks is empty.

    Raises:
        UserError: there are no pairs, or one lacks a sentence or has the same one twice.
    """
    header = read_text(path).partition("\n")[0]
    table = read_table(path, sep=max(DELIMITERS, key=header.count))
    if missing := [name for name in SENTENCES if name not in table]:
        raise UserError(f"{path}: no column {', '.join(missing)}")
    numbered = not table.columns[0].strip() or table.columns[0].startswith("Unnamed")
    numbers = table.iloc[:, 0] if numbered else map(str, range(len(table)))
    index = pd.Index([int(each) if each.isdigit() else each for each in numbers], name="id")
    for number, more, less in zip(index, *(table[name] for name in SENTENCES), strict=True):
        if not more.strip() or not less.strip() or more == less:
            raise UserError(f"{path}: pair {number} needs two different sentences")
    if table.empty:
        raise UserError(f"{path}: contains no pairs")
    text = table.reindex(columns=["stereo_antistereo", "bias_type"], fill_value="")
    columns = {name: table[name] for name in SENTENCES}
    columns |= {"direction": text["stereo_antistereo"], "bias_type": text["bias_type"]}
    return pd.DataFrame(columns).set_axis(index)
