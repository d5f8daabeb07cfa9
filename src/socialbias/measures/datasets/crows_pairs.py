"""CrowS-Pairs: pairs of sentences, one more stereotyping than the other."""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from socialbias.errors import UserError
from socialbias.measures.datasets.parsing import literal_list, read_table

COLUMNS = (
    "sent_more", "sent_less", "stereo_antistereo", "bias_type",
    "annotations", "anon_writer", "anon_annotators",
)  # fmt: skip


def read_pairs(path: Path) -> pd.DataFrame:
    """Read `crows_pairs_anonymized.csv` (Nangia et al. 2020).

    A quoted sentence may contain a line break, so a row may span several lines.

    Returns:
        One row per pair, indexed by the file's own number (`id`). Columns: `sent_more`,
        `sent_less`, `direction` (`stereo`, `antistereo`), `bias_type`, `annotations` (a tuple of
        bias types for each annotator, empty if the annotator found no bias), `writer`,
        `annotators` (tuple of ids).

    Raises:
        UserError: the file is not such a table.
    """
    table = read_table(path, COLUMNS)
    unknown = set(table["stereo_antistereo"]) - {"stereo", "antistereo"}
    if unknown:
        raise UserError(f"{path}: stereo_antistereo is {min(unknown)!r} in a row")
    places = [f"{path}, row {i}" for i in range(1, len(table) + 1)]
    lists = {
        name: [literal_list(t, w) for t, w in zip(table[name], places, strict=True)]
        for name in ("annotations", "anon_annotators")
    }
    return pd.DataFrame(
        {
            "sent_more": table["sent_more"],
            "sent_less": table["sent_less"],
            "direction": table["stereo_antistereo"],
            "bias_type": table["bias_type"],
            "annotations": [tuple(map(tuple, value)) for value in lists["annotations"]],
            "writer": table["anon_writer"],
            "annotators": [tuple(value) for value in lists["anon_annotators"]],
        }
    ).set_axis(pd.Index(table.iloc[:, 0].astype(int), name="id"))
