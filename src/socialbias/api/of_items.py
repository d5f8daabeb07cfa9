"""Decisions of language models on items with a stereotype and an anti-stereotype."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from socialbias.api.subjects import Subject
from socialbias.contextual.masked_scoring import BLANK
from socialbias.contextual.models import NoHead, scoring_kind
from socialbias.contextual.scoring import score_items
from socialbias.contextual.scoring_methods import Intrasentence
from socialbias.errors import UserError
from socialbias.files.tables import read_table
from socialbias.measures.similarity import Array
from socialbias.sources.sniffing import check_file

COLUMNS = ("item", "term", "context", "stereotype", "anti-stereotype")
# As StereoSet's tables score sentences with a gap (Nadeem, Bethke and Reddy 2021, section 6).
SCORINGS = {"masked": "likelihood_released", "causal": "sentence_released"}


@dataclass(frozen=True)
class Items:
    """Items with their terms.

    Attributes:
        names: n distinct ids.
        terms: (n,) the term of each.
        items: (n,) sentences with a gap and two words for it, the stereotype first.
    """

    names: list[str]
    terms: list[str]
    items: list[Intrasentence]


def read_items(path: Path) -> Items:
    """Read items from a file.

    Args:
        path: CSV with `COLUMNS`, of which the context has `BLANK`; or StereoSet's JSON, of which
            the items within a sentence are taken.

    Raises:
        UserError: the file cannot be read as items.
    """
    check_file(path)  # it is read again for its checksum
    if path.suffix == ".json":
        return _stereoset(path)
    items = Items([], [], [])
    for place, row in read_table(path, COLUMNS):
        if BLANK not in row["context"] or not all(row[name] for name in COLUMNS):
            raise UserError(f"{place}: an empty field, or no {BLANK} in the context")
        items.names.append(row["item"])
        items.terms.append(row["term"])
        words = (row["stereotype"], row["anti-stereotype"])
        items.items.append(Intrasentence(row["context"], words))
    if not items.names or len(set(items.names)) < len(items.names):
        raise UserError(f"{path}: no items, or an item that appears twice")
    return items


def _stereoset(path: Path) -> Items:
    from socialbias.datasets import stereoset

    table = stereoset.read_items(path)
    table = table[table["task"] == stereoset.TASKS[0]]
    items = Items([], [], [])
    for name, rows in table.groupby("item", sort=False):
        by_gold = rows.set_index("gold_label")["sentence"]
        context = rows["context"].iloc[0]
        sentences = tuple(by_gold[gold] for gold in stereoset.GOLD[:2])
        words = tuple(stereoset.attribute(context, sentence) for sentence in sentences)
        items.names.append(name)
        items.terms.append(rows["target"].iloc[0])
        items.items.append(Intrasentence(context, words, sentences))
    return items


def decisions(subject: Subject, items: Sequence[Intrasentence]) -> Array:
    """Return whether a model prefers each item's stereotype: 1, 0, or 1/2 for a tie, (n,).

    Raises:
        UserError: the subject is no model, cannot be loaded, or scores no words.
    """
    if subject.kind != "model":
        raise UserError(f"items: need language models, but {subject.name} is {subject.kind}")
    scoring = SCORINGS[scoring_kind(subject.path)]
    try:
        scores = score_items(subject.path, items, [scoring])[Intrasentence, scoring].values
    except NoHead:
        why = "it only gives vectors and cannot say which of two words fits a sentence better"
        hint = "name a masked or causal language model, or leave out --items to compare vectors"
        raise UserError(f"{subject.name}: {why}: {hint}") from None
    return (1 + np.sign(scores[:, 0] - scores[:, 1])) / 2
