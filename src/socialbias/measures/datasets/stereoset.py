"""StereoSet: its items with the annotators' labels, and published predictions."""

from __future__ import annotations

import re
from pathlib import Path

import pandas as pd

from socialbias.errors import UserError
from socialbias.measures.datasets.parsing import read_json

TASKS = ("intrasentence", "intersentence")
BLANK = "BLANK"  # where an attribute goes
WORD = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")
GOLD = ("stereotype", "anti-stereotype", "unrelated")
LABELS = (*GOLD, "related")


def read_items(path: Path) -> pd.DataFrame:
    """Read `dev.json` or `test.json` (Nadeem, Bethke and Reddy 2021).

    Args:
        path: The file; `{"version", "data": {"intrasentence": [...], "intersentence": [...]}}`.

    Returns:
        One row per sentence, three per item, in the order of the file. Columns, all strings but the
        last two: `task` (`intrasentence`, `intersentence`), `item` (id), `target`, `bias_type`,
        `context` (intrasentence: with `BLANK`, in a few items twice), `id` (of the sentence),
        `sentence`, `gold_label` (`stereotype`, `anti-stereotype`, `unrelated`), `labels` (tuple,
        one for each annotator, possibly `related`), `annotators` (tuple of ids).

    Raises:
        UserError: the file is not of that form, an item does not have one sentence for each gold
            label, or an id is duplicated.
    """
    data, rows = read_json(path), []
    try:
        for task in TASKS:
            for item in data["data"][task]:
                for sentence in item["sentences"]:
                    row = {
                        "task": task,
                        "item": item["id"],
                        "target": item["target"],
                        "bias_type": item["bias_type"],
                        "context": item["context"],
                        "id": sentence["id"],
                        "sentence": sentence["sentence"],
                        "gold_label": sentence["gold_label"],
                        "labels": tuple(label["label"] for label in sentence["labels"]),
                        "annotators": tuple(label["human_id"] for label in sentence["labels"]),
                    }
                    rows.append(row)
    except (KeyError, TypeError) as error:
        reason = f"no key {error}" if isinstance(error, KeyError) else str(error)[:80]
        raise UserError(f"{path}: not a StereoSet file: {reason}") from None
    table = pd.DataFrame(rows)
    _check(table, path)
    return table


def _check(table: pd.DataFrame, path: Path) -> None:
    """Check three sentences per item, one of each kind, distinct ids and known labels."""
    if table.empty:
        raise UserError(f"{path}: contains no items")
    kinds = table.groupby("item", sort=False)["gold_label"].agg(
        lambda labels: tuple(sorted(labels))
    )
    wrong = kinds[kinds != tuple(sorted(GOLD))]
    if len(wrong):
        raise UserError(f"{path}: item {wrong.index[0]}: its gold labels are {wrong.iloc[0]}")
    twice = table["id"][table["id"].duplicated()]
    if len(twice):
        raise UserError(f"{path}: duplicate sentence {twice.iloc[0]!r}")
    unknown = set().union(*table["labels"]) - set(LABELS)
    if unknown:
        raise UserError(f"{path}: unknown annotator label {min(map(str, unknown))!r}")


def attribute(context: str, sentence: str) -> str:
    """Return what fills the blank of an intrasentence context.

    Args:
        context: With `BLANK`, in a few items twice, then also as `Blank`.
        sentence: The context with its blank filled; its letters may be of another case.

    Raises:
        UserError: the sentence is not the context with something in its blank.
    """
    parts = [re.escape(part) for part in re.split(BLANK, context.strip(), flags=re.IGNORECASE)]
    pattern = parts[0] + "(.+?)" + r"\1".join(parts[1:])
    match = re.fullmatch(pattern, sentence.strip(), flags=re.IGNORECASE)
    if match is None:
        raise UserError(f"StereoSet: the sentence {sentence!r} does not fill {context!r}")
    return match[1]


def words(text: str) -> list[str]:
    """Return the words of a text, in lower case."""
    return [word.lower() for word in WORD.findall(text)]


def read_predictions(path: Path) -> pd.DataFrame:
    """Read a published `predictions_*.json`.

    Args:
        path: The file; `{"intrasentence": [{"id", "score"}, ...], "intersentence": [...]}`.

    Returns:
        One row per sentence, intrasentence first. Columns: `task`, `id` (of the sentence), `score`
        (float; a probability for most models, about 90 to 200 for the ensemble).
    """
    data = read_json(path)
    rows = [(task, x["id"], float(x["score"])) for task in TASKS for x in data.get(task, [])]
    return pd.DataFrame(rows, columns=["task", "id", "score"])
