"""What language models prefer in items with a stereotype and its opposite, as decisions."""

from __future__ import annotations

import csv
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
        terms: (n,) what each is about.
        items: (n,) sentences with a gap and two words for it, the stereotype first.
    """

    names: list[str]
    terms: list[str]
    items: list[Intrasentence]


def read_items(path: Path) -> Items:
    """Items of a file.

    Args:
        path: CSV with `COLUMNS`, of which the context has `BLANK`; or StereoSet's JSON, of which
            the items within a sentence are taken.

    Raises:
        UserError: the file cannot be read as items.
    """
    check_file(path)  # its checksum is told, for which it is read again
    if path.suffix == ".json":
        return _stereoset(path)
    try:
        rows = csv.DictReader(path.read_text("utf-8-sig").splitlines())
    except (OSError, UnicodeDecodeError) as error:
        raise UserError(f"{path}: cannot be read ({getattr(error, 'strerror', error)})") from None
    if not set(COLUMNS) <= set(rows.fieldnames or ()):
        raise UserError(f"{path}: should have the columns {', '.join(COLUMNS)}")
    found = Items([], [], [])
    for row in rows:
        if BLANK not in (row["context"] or "") or not all(row[name] for name in COLUMNS):
            problem = f"an empty field, or no {BLANK} in the context"
            raise UserError(f"{path}, line {rows.line_num}: {problem}")
        found.names.append(row["item"])
        found.terms.append(row["term"])
        words = (row["stereotype"], row["anti-stereotype"])
        found.items.append(Intrasentence(row["context"], words))
    if not found.names or len(set(found.names)) < len(found.names):
        raise UserError(f"{path}: no items, or an item that appears twice")
    return found


def _stereoset(path: Path) -> Items:
    from socialbias.datasets import stereoset

    table = stereoset.read_items(path)
    table = table[table["task"] == stereoset.TASKS[0]]
    found = Items([], [], [])
    for name, rows in table.groupby("item", sort=False):
        by_gold = rows.set_index("gold_label")["sentence"]
        context = rows["context"].iloc[0]
        sentences = tuple(by_gold[gold] for gold in stereoset.GOLD[:2])
        words = tuple(stereoset.attribute(context, sentence) for sentence in sentences)
        found.names.append(name)
        found.terms.append(rows["target"].iloc[0])
        found.items.append(Intrasentence(context, words, sentences))
    return found


def decisions(subject: Subject, items: Sequence[Intrasentence]) -> Array:
    """Which items' stereotype a model prefers: 1, 0, or 1/2 where both score the same, (n,).

    Raises:
        UserError: the subject is no model, cannot be loaded, or scores no words.
    """
    if subject.kind != "model":
        raise UserError(f"items: take models, and {subject.name} is {subject.kind}")
    scoring = SCORINGS[scoring_kind(subject.path)]
    try:
        scores = score_items(subject.path, items, [scoring])[Intrasentence, scoring].values
    except NoHead:
        why = "it gives vectors alone and cannot say which of two words fits a sentence better"
        hint = "name a masked or causal language model, or leave out --items to compare vectors"
        raise UserError(f"{subject.name}: {why}: {hint}") from None
    return (1 + np.sign(scores[:, 0] - scores[:, 1])) / 2
