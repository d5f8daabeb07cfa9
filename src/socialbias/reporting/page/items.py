"""What stands behind numbers: sentences, items and contexts, on a page of their own."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import pandas as pd


@dataclass(frozen=True)
class Items:
    """Some of the items behind a number."""

    keys: tuple[
        str, ...
    ]  # keys of the numbers that these items are behind (`behind` of the artefact)
    title: str  # a heading
    note: str  # which of how many items they are
    table: pd.DataFrame  # an item a row: text, and numbers as text

    @property
    def anchor(self) -> str:
        """Its address on its page."""
        return self.keys[0].replace(" ", "_")


def file_of(paper: str) -> str:
    """Return the page of a paper's items, beside the first page."""
    return f"{paper}.items.html"


def addresses(paper: str, groups: Iterable[Items]) -> dict[str, str]:
    """Return by key, where the items are; of several groups with one key the first."""
    found: dict[str, str] = {}
    for items in groups:
        for key in items.keys:
            found.setdefault(key, f"{file_of(paper)}#{items.anchor}")
    return found
