"""CrowS-Pairs: pairs of sentences, one more stereotyping than the other."""

from __future__ import annotations

import ast
from pathlib import Path

import pandas as pd

from socialbias.measures.datasets.parsing import read_table


def read_pairs(path: Path) -> pd.DataFrame:
    """Read `crows_pairs_anonymized.csv` (Nangia et al. 2020).

    A quoted sentence may contain a line break, so a row may span several lines.

    Returns:
        One row per pair, indexed by the file's own number (`id`). Columns: `sent_more`,
        `sent_less`, `direction` (`stereo`, `antistereo`), `bias_type`, `annotations` (a tuple of
        bias types for each annotator, empty if the annotator found no bias), `writer`,
        `annotators` (tuple of ids).
    """
    table = read_table(path)
    annotations, annotators = (
        table[name].map(ast.literal_eval) for name in ("annotations", "anon_annotators")
    )
    return pd.DataFrame(
        {
            "sent_more": table["sent_more"],
            "sent_less": table["sent_less"],
            "direction": table["stereo_antistereo"],
            "bias_type": table["bias_type"],
            "annotations": [tuple(map(tuple, value)) for value in annotations],
            "writer": table["anon_writer"],
            "annotators": [tuple(value) for value in annotators],
        }
    ).set_axis(pd.Index(table.iloc[:, 0].astype(int), name="id"))
