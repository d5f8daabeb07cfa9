"""Decisions of language models on items with a stereotype and an anti-stereotype."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from socialbias.commands.subjects import Subject
from socialbias.errors import UserError
from socialbias.files.paths import check_file
from socialbias.files.tables import read_table
from socialbias.files.text import read_text
from socialbias.measurement.preferences import Decider
from socialbias.models.items import BLANK, Intrasentence, Item, Pair
from socialbias.models.pieces import Kind
from socialbias.models.scoring_methods import CORRECTED, scoring_of

if TYPE_CHECKING:
    from socialbias.models.served.scorer import ServedScorer
    from socialbias.models.token_scores import TokenScorer

DOMAIN = "domain"  # a column that a file may have
COLUMNS = ("item", "term", "context", "stereotype", "anti-stereotype")


@dataclass(frozen=True)
class Items:
    """Items with their terms."""

    labels: dict[str, list[str]]  # distinct ids as `item`, the `term` of each, perhaps its `domain`
    items: Sequence[Item]  # of one kind; the stereotype is the first candidate


def read_items(path: Path) -> Items:
    """Read items: `COLUMNS` and perhaps `DOMAIN` as CSV, or a file as it was published.

    Published are CrowS-Pairs (CSV), StereoSet (JSON, or from the Hub), WinoBias (the two files of a
    type) and Winogender (`all_sentences.tsv` beside `occupations-stats.tsv`). A context in the CSV
    file has `BLANK`. In StereoSet, the items within a sentence are taken.
    """
    check_file(path)  # it is read again for its checksum
    if path.suffix == ".parquet":
        return _stereoset(path)
    header = read_text(path).lstrip().partition("\n")[0].lower()
    if '"answer_info"' in header or '"doc_id"' in header:
        hint = "run BBQ with a harness, and name its logs without --items"
        raise UserError(f"{path}: questions with answers, or a log: {hint}")
    if path.suffix in (".json", ".jsonl"):
        return _stereoset(path)
    if "[" in header or "sent" in header:  # of no column of the CSV file
        return _pairs(path, header)
    items, rows = [], []
    for place, row in read_table(path, COLUMNS, filled=set(COLUMNS) - {"context"}):
        if BLANK not in row["context"]:
            raise UserError(f"{place}: no {BLANK} in the context")
        words = (row["stereotype"], row["anti-stereotype"])
        if words[0] == words[1]:
            raise UserError(f"{place}: the stereotype is also the anti-stereotype")
        items.append(Intrasentence(row["context"], words))
        rows.append(row)
    if not rows or len({row["item"] for row in rows}) < len(rows):
        raise UserError(f"{path}: no items, or an item that appears twice")
    names = [name for name in ("item", "term", DOMAIN) if name in rows[0]]
    return Items({name: [row[name] for row in rows] for name in names}, items)


def _pairs(path: Path, header: str) -> Items:
    """Return CrowS-Pairs, whose terms are the pairs themselves, WinoBias or Winogender."""
    from socialbias.measures.datasets import coreference, crows_pairs

    if "sent_more" in header:
        rows = [
            {"item": str(number), "term": str(number), DOMAIN: row["bias_type"]}
            | {"sentences": (row["sent_more"], row["sent_less"])}
            for number, row in crows_pairs.read_pairs(path).iterrows()
        ]
    else:
        rows = (coreference.winobias if "[" in header else coreference.winogender)(path)
    names = [name for name in ("item", "term", DOMAIN) if all(row.get(name) for row in rows)]
    labels = {name: [row[name] for row in rows] for name in names}
    return Items(labels, [Pair(row["sentences"]) for row in rows])


def _stereoset(path: Path) -> Items:
    from socialbias.measures.datasets import stereoset

    table = stereoset.read_items(path)
    by_item: dict[str, dict[str, dict]] = {}
    for row in table[table["task"] == stereoset.TASKS[0]].to_dict("records"):
        by_item.setdefault(row["item"], {})[row["gold_label"]] = row
    if not by_item:
        raise UserError(f"{path}: has no items within a sentence (their contexts have {BLANK})")
    labels: dict[str, list[str]] = {"item": [*by_item], "term": [], DOMAIN: []}
    items = []
    for item, by_gold in by_item.items():
        row = by_gold[stereoset.GOLD[0]]
        sentences = tuple(by_gold[gold]["sentence"] for gold in stereoset.GOLD[:2])
        try:
            words = tuple(stereoset.attribute(row["context"], each) for each in sentences)
        except UserError as error:
            raise UserError(f"{path}: item {item}: {error}") from None
        items.append(Intrasentence(row["context"], words, sentences))
        labels["term"].append(row["target"])
        labels[DOMAIN].append(row["bias_type"])
    return Items(labels, items)


def scorer_of(subject: Subject) -> TokenScorer | ServedScorer:
    """Return what scores tokens by a model: loaded, or behind its address."""
    if subject.server is not None:
        return subject.server
    # Torch takes seconds to import, and a server does not need it.
    from socialbias.models.loading import NoHead, load_model, scoring_kind
    from socialbias.models.token_scores import TokenScorer

    try:
        return TokenScorer(load_model(subject.path, scoring_kind(subject.path)))
    except NoHead:
        why = "it only gives vectors and cannot say which of two words fits a sentence better"
        hint = "name a masked or causal language model, or leave out --items to compare vectors"
        raise UserError(f"{subject.name}: {why}: {hint}") from None


def kind_of(subject: Subject) -> Kind:
    """Return how a model scores words; raise UserError for a subject that is no model."""
    if subject.kind != "model":
        raise UserError(f"items: need language models, but {subject.name} is {subject.kind}")
    if subject.server is not None:
        return "causal"
    from socialbias.models.loading import scoring_kind

    return scoring_kind(subject.path)


def decider(
    subject: Subject, convention: str = CORRECTED, kind: type[Item] = Intrasentence
) -> Decider:
    """Load a model for a kind of items; the convention is as in `scoring_methods.scoring_of`."""
    scoring = scoring_of(convention, kind_of(subject), kind)
    return Decider(subject.name, scorer_of(subject), scoring)
