"""What stands behind numbers: sentences, items and contexts, in files that the pages link to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from socialbias.reporting.values import write_csv

FOLDER = "items"  # beside the pages


@dataclass(frozen=True)
class Items:
    """Some of the items behind a number."""

    # Keys of the numbers that these items are behind (`behind` of the artefact).
    keys: tuple[str, ...]
    title: str  # a heading
    note: str  # which of how many items they are
    table: pd.DataFrame  # an item a row: text, and numbers as text


def write_items(
    items: Mapping[str, Sequence[Items]], folder: Path
) -> dict[str, dict[str, tuple[str, str]]]:
    """Write a file for each group of items of each paper.

    Returns:
        By paper and key, the file and what it has; of several groups with one key the first.
    """
    places: dict[str, dict[str, tuple[str, str]]] = {}
    (folder / FOLDER).mkdir(exist_ok=True)
    for paper, groups in items.items():
        found = places.setdefault(paper, {})
        for number, group in enumerate(groups, 1):
            file = f"{FOLDER}/{paper}_{number}.csv"
            write_csv(group.table, folder / file)
            for key in group.keys:
                found.setdefault(key, (file, f"{group.title}: {group.note}"))
    return places
