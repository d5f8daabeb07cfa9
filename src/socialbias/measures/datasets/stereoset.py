"""StereoSet: its items with the annotators' labels, and published predictions."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pandas as pd

from socialbias.errors import UserError
from socialbias.files.json_files import parse_json, read_json, read_json_lines
from socialbias.files.text import read_text

TASKS = ("intrasentence", "intersentence")
BLANK = "BLANK"  # where an attribute goes
WORD = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")
GOLD = ("stereotype", "anti-stereotype", "unrelated")
LABELS = (*GOLD, "related")
# On the Hub, labels are numbers.
CODES = dict(enumerate(("anti-stereotype", "stereotype", "unrelated", "related")))
CODES |= {name: name for name in LABELS}


def read_items(path: Path) -> pd.DataFrame:
    """Read `dev.json` or `test.json` (Nadeem, Bethke and Reddy 2021), or StereoSet from the Hub.

    Args:
        path: The file; `{"version", "data": {"intrasentence": [...], "intersentence": [...]}}`, or
            JSON lines or Parquet with an item a row, as it is on the Hugging Face Hub.

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
    rows: list[dict] = []
    try:
        for task, item in _items(path):
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
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        reason = f"no key {error}" if isinstance(error, KeyError) else str(error)[:80]
        raise UserError(f"{path}: not a StereoSet file: {reason}") from None
    table = pd.DataFrame(rows)
    _check(table, path)
    return table


def _items(path: Path) -> Iterator[tuple[str, dict]]:
    """Yield the task and the content of each item."""
    if path.suffix == ".parquet":
        items = json.loads(pd.read_parquet(path).to_json(orient="records"))
    elif not _has_lines(read_text(path)):
        data = read_json(path)
        yield from ((task, item) for task in TASKS for item in data["data"][task])
        return
    else:
        items = read_json_lines(path)
    for item in items:
        if "answer_info" in item:
            raise ValueError("questions with answers, as in BBQ: compare the logs of a harness")
        sentences = _rows(item["sentences"])
        for sentence in sentences:
            sentence["gold_label"] = CODES[sentence["gold_label"]]
            sentence["labels"] = _rows(sentence["labels"])
            for label in sentence["labels"]:
                label["label"] = CODES[label["label"]]
        yield TASKS[BLANK not in item["context"]], item | {"sentences": sentences}


def _has_lines(text: str) -> bool:
    """Return whether a text has an item in its first line, as JSON."""
    try:
        return "sentences" in parse_json(text.partition("\n")[0])
    except ValueError:
        return False


def _rows(columns: dict[str, list]) -> list[dict]:
    """Return the rows of a table that is kept by column."""
    return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]


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
