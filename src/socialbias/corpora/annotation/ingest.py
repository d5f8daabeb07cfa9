"""Completed annotations, checked against the sample."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

import pandas as pd

from socialbias.corpora.annotation.export import marked
from socialbias.corpora.annotation.items import NONE, READABLE, SAMPLE, Sample, completed_files
from socialbias.errors import UserError
from socialbias.files.tables import table_rows
from socialbias.files.text import plain, read_text

COLUMNS = ["item", "target", "annotator", "label"]
MAX_SHOWN = 20
NONE_SPELLINGS = ("n/a", "#n/a", "na", "none")  # how people and spreadsheets write N/A


@dataclass(frozen=True)
class Answer:
    """One label as written in a file, unchecked."""

    where: str  # file and row, for messages
    annotator: str
    cells: dict[str, str]  # `item`, `label`, `target` and `text`, as far as the file has them


def read_annotations(folder: Path, sample: Sample) -> pd.DataFrame:
    """Return every label in a folder of completed files, in `COLUMNS`, sorted.

    The annotator is named in the file (`annotator`), else by its subfolder, else by
    the file's own name. Problems are a UserError with file, row and problem, up to 20 lines.
    """
    paths, problems = completed_files(folder), []
    if not paths:
        raise UserError(f"{folder}: no completed annotations: put CSV files there")
    answers = [answer for path in paths for answer in _read(path, folder, problems)]
    problems += _copies(paths, folder)
    records = list(_checked(answers, sample, problems))
    if problems:
        more = [f"and {len(problems) - MAX_SHOWN} more"] * (len(problems) > MAX_SHOWN)
        head = f"{folder}: {len(problems)} problem{'s' * (len(problems) > 1)} in the annotations"
        raise UserError("\n".join([head, *problems[:MAX_SHOWN], *more]))
    table = pd.DataFrame(records, columns=COLUMNS)
    return table.sort_values(["item", "annotator"], ignore_index=True)


def _copies(paths: list[Path], folder: Path) -> Iterator[str]:
    """Yield a problem for each file of the content of another.

    One download more is no annotator more.
    """
    first: dict[bytes, Path] = {}
    for path in paths:
        same = first.setdefault(sha256(path.read_bytes()).digest(), path)
        if same != path:
            names = " and ".join(str(p.relative_to(folder)) for p in (same, path))
            yield f"{names}: the same content: delete one, or name who labelled it in `annotator`"


def _read(path: Path, folder: Path, problems: list[str]) -> list[Answer]:
    """Return the answers in a file; what cannot be read is added to the problems."""
    name = path.relative_to(folder)
    default = path.stem if path.parent == folder else path.parent.name
    try:
        if path.suffix.lower() != READABLE:
            raise UserError(f"{name}: not a CSV file: save it as one, and delete it")
        text = read_text(path)
        answers = []
        for where, row in table_rows(text, name, ("item", "label")):
            cells = {key: row[key] for key in ("label", "item", "target", "text") if key in row}
            answers.append(Answer(where, row.get("annotator") or default, cells))
        if not any(answer.cells.get("label") for answer in answers):
            raise UserError(f"{name}: it has no labels: complete it, or delete it")
    except UserError as error:
        problems.append(str(error))
        return []
    return answers


def _checked(
    answers: Iterable[Answer], sample: Sample, problems: list[str]
) -> Iterator[tuple[str, str, str, str]]:
    """Yield the valid answers as records.

    What is wrong with the others is added to the problems.
    """
    labels = {label.lower(): label for label in sample.labels} | dict.fromkeys(NONE_SPELLINGS, NONE)
    seen: dict[tuple[str, str], Answer] = {}
    spelt: dict[str, str] = {}  # as a name is written first
    for answer in answers:
        name, label = answer.cells.get("item", ""), answer.cells.get("label", "")
        annotator = spelt.setdefault(answer.annotator.casefold(), answer.annotator)
        first = seen.setdefault((name, annotator), answer)
        problem = _problem(answer.cells, name, sample)
        if not problem and label.lower() not in labels:
            problem = f"unknown label {label!r}: one of {', '.join(sample.labels)}"
        if not problem and first is not answer:
            problem = f"item {name} is labelled twice by {annotator}: also in {first.where}"
        if problem:
            problems.append(f"{answer.where}: {problem}")
        else:
            yield name, sample.items[name].target, annotator, labels[label.lower()]


def _problem(cells: dict[str, str], name: str, sample: Sample) -> str:
    """Return what is wrong with a single answer, apart from an unknown label; "" if nothing is."""
    if name not in sample.items:
        return f"unknown item {name!r}: it is not in {SAMPLE}" if name else "no item name"
    item = sample.items[name]
    if cells.get("target", item.target) != item.target:
        return f"item {name} has the target {cells['target']!r} instead of {item.target!r}"
    text = marked(item)
    if cells.get("text", text).split() != plain(text).split():  # spreadsheets change spaces
        return f"the text of item {name} has changed: labels are for the original text"
    return "" if cells.get("label") else f"item {name} has no label: add one, or delete the row"
