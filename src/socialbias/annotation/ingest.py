"""Completed annotations, from spreadsheets or Label Studio, checked against the sample."""

from __future__ import annotations

import csv
import io
import json
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from hashlib import sha256
from itertools import chain
from pathlib import Path

import pandas as pd

from socialbias.annotation.export import marked
from socialbias.annotation.folder import READABLE, UNREADABLE, completed_files
from socialbias.annotation.items import NONE, SAMPLE, Sample
from socialbias.errors import UserError
from socialbias.files.json_files import parse_json

COLUMNS = ["item", "target", "annotator", "label"]
MAX_SHOWN = 20
ALIKE = 30  # items on which two people would hardly give every label alike
NONE_SPELLINGS = ("n/a", "#n/a", "na", "none")  # how people and spreadsheets write N/A
DELIMITERS = ",;\t"
EXPORT_AGAIN = "export the project again, as JSON or JSON-MIN"


@dataclass(frozen=True)
class Answer:
    """One label as written in a file, unchecked.

    Attributes:
        where: File and row, for messages.
        annotator: Who gave it.
        named: Whether the file names who gave it; otherwise the annotator is called after the file.
        label, item, target, text: As written; None if the file leaves them out.
        problem: Why it cannot be read; "" if it can.
    """

    where: str
    annotator: str
    named: bool = False
    label: str | None = None
    item: str | None = None
    target: str | None = None
    text: str | None = None
    problem: str = ""


def read_annotations(folder: Path, sample: Sample) -> pd.DataFrame:
    """Read every completed file of a folder.

    CSV files with the columns `item` and `label`, and JSON files exported from Label Studio (JSON
    or JSON-MIN). The annotator is named in the file (`annotator`, `completed_by`), else by its
    subfolder, else by the file's own name. A name is the same in capitals. Two files of the same
    content are a problem, and so are two that name no annotator and have every label alike.

    Args:
        folder: Completed files, possibly in subfolders. `sample.json` is skipped, and so are files
            whose suffix shows that they hold no labels; one that may hold labels but is neither
            CSV nor JSON is a problem.
        sample: The items that were handed out.

    Returns:
        Columns `item`, `target`, `annotator`, `label`, one row per label, sorted.

    Raises:
        UserError: there is no file, or a file has problems: file, row and problem, one per line, up
            to 20 of them.
    """
    problems: list[str] = []
    paths = _files(folder, problems)
    problems += _copies(paths, folder)
    answers = list(chain.from_iterable(_read(path, folder, problems) for path in paths))
    records = list(_checked(answers, sample, problems))
    problems += _alike(records, {answer.annotator for answer in answers if answer.named})
    if problems:
        raise UserError(_message(folder, problems))
    table = pd.DataFrame(records, columns=COLUMNS)
    return table.sort_values(["item", "annotator"], ignore_index=True)


def _message(folder: Path, problems: list[str]) -> str:
    shown = problems[:MAX_SHOWN]
    more = len(problems) - len(shown)
    head = f"{folder}: {len(problems)} problem{'s' * (len(problems) > 1)} in the annotations"
    return "\n".join([head, *shown] + [f"and {more} more"] * (more > 0))


def _files(folder: Path, problems: list[str]) -> list[Path]:
    """The completed files; a problem for each that may contain labels but cannot be read."""
    paths = completed_files(folder)
    if not paths:
        raise UserError(f"{folder}: no completed annotations: put CSV or JSON files there")
    for path in paths:
        if advice := UNREADABLE.get(path.suffix.lower()):
            problems.append(f"{path.relative_to(folder)}: not a CSV or JSON file: {advice}")
    return [path for path in paths if path.suffix.lower() in READABLE]


def _copies(paths: list[Path], folder: Path) -> Iterator[str]:
    """A problem for each file of the content of another: one download more is no annotator more."""
    first: dict[bytes, Path] = {}
    for path in paths:
        content = sha256(path.read_bytes()).digest()
        same = first.setdefault(content, path)
        if same != path:
            names = " and ".join(str(p.relative_to(folder)) for p in (same, path))
            yield f"{names}: the same content: delete one, or name who labelled it in `annotator`"


def _alike(records: list[tuple[str, str, str, str]], named: set[str]) -> Iterator[str]:
    """A problem for each two annotators, called after their files, of whom one is a copy."""
    labels: dict[str, list[tuple[str, str]]] = {}
    for item, _, annotator, label in records:
        labels.setdefault(annotator, []).append((item, label))
    first: dict[tuple, str] = {}
    for annotator, given in labels.items():
        if len(given) < ALIKE or annotator in named:
            continue
        same = first.setdefault(tuple(sorted(given)), annotator)
        if same != annotator:
            yield (
                f"{same} and {annotator} give the same label to each of {len(given)} items: delete "
                "one of these files, or name who labelled each in a column `annotator`"
            )


def _read(path: Path, folder: Path, problems: list[str]) -> list[Answer]:
    """The answers in a file; what cannot be read is added to the problems."""
    name = str(path.relative_to(folder))
    default = path.stem if path.parent == folder else path.parent.name
    reader = _csv_answers if path.suffix.lower() == ".csv" else _json_answers
    data = path.read_bytes()
    try:
        text = data.decode("utf-8-sig")
        answers = list(reader(text, name, default)) if text.strip() else []
        if not any(answer.label or answer.problem for answer in answers):
            raise ValueError("it has no labels: complete it, or delete it")
    except UnicodeDecodeError as error:
        row = data[: error.start].count(b"\n") + 1
        problems.append(f"{name}: row {row}: not UTF-8: save it again, in UTF-8")
        return []
    except ValueError as error:
        problems.append(f"{name}: {error}")
        return []
    return answers


def _csv_answers(text: str, name: str, default: str) -> Iterator[Answer]:
    """The answers in a CSV file; rows are numbered as in spreadsheets, the header being 1."""
    header = text.lstrip().splitlines()[0]
    delimiter = max(DELIMITERS, key=header.count)  # in spreadsheets it depends on the locale
    rows = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    columns: list[str] = []
    number = 0
    try:
        for number, cells in enumerate(rows, 1):
            if not any(cell.strip() for cell in cells):
                continue
            if not columns:
                columns = _columns(cells, number)
                continue
            if any(cells[len(columns) :]):
                raise ValueError(f"row {number}: {len(cells)} cells, the header has {len(columns)}")
            row = dict(zip(columns, cells, strict=False))
            where = f"{name}: row {number}"
            yield _answer(where, row, row.get("label"), row.get("annotator"), default)
    except csv.Error as error:
        raise ValueError(f"row {number + 1}: not CSV ({error})") from None


def _columns(cells: list[str], number: int) -> list[str]:
    columns = [cell.strip().lower() for cell in cells]
    for needed in ("item", "label"):
        if columns.count(needed) != 1:
            raise ValueError(f"row {number}: the header must have one column {needed!r}")
    return columns


def _json_answers(text: str, name: str, default: str) -> Iterator[Answer]:
    """The answers in an export of Label Studio, full or minimal."""
    try:
        tasks = parse_json(text)
    except json.JSONDecodeError as error:
        raise ValueError(f"row {error.lineno}: not JSON ({error.msg})") from None
    if not isinstance(tasks, list) or len(_dicts(tasks)) < len(tasks):
        raise ValueError("not an export of Label Studio, which is a list of tasks")
    for number, task in enumerate(tasks, 1):
        where = f"{name}: task {number}"
        if "data" in task:
            yield from _task_answers(task, where, default)
        else:
            yield _answer(where, task, _choice(task.get("label")), task.get("annotator"), default)


def _task_answers(task: dict, where: str, default: str) -> Iterator[Answer]:
    """The answers to a task of a full export; malformed ones have a problem."""
    [data] = _dicts([task["data"]]) or [{}]
    annotations = task.get("annotations", [])
    if "completions" in task:
        yield Answer(where, default, problem=f"`completions` of an older version: {EXPORT_AGAIN}")
    if not isinstance(annotations, list):
        yield Answer(where, default, problem=f"`annotations` is not a list: {EXPORT_AGAIN}")
        return
    for annotation in annotations:
        if not isinstance(annotation, dict):
            problem = f"annotation {annotation!r} is only a reference: {EXPORT_AGAIN}"
            yield Answer(where, default, problem=problem)
        elif not annotation.get("was_cancelled"):  # skipped by the annotator
            yield _annotation_answer(annotation, data, where, default)


def _annotation_answer(annotation: dict, data: dict, where: str, default: str) -> Answer:
    """One annotator's answer to a task."""
    results = annotation.get("result")
    if not isinstance(results, list) or len(_dicts(results)) < len(results):
        return Answer(where, default, problem=f"`result` is not a list of results: {EXPORT_AGAIN}")
    labels = [_choice(r.get("value")) for r in results if r.get("from_name") == "label"]
    if len(labels) > 1:
        listed = " and ".join(map(repr, labels))
        return Answer(where, default, problem=f"an annotation has {len(labels)} labels, {listed}")
    label = labels[0] if labels else None
    return _answer(where, data, label, annotation.get("completed_by"), default)


def _dicts(entries: list) -> list[dict]:
    """The dictionaries in a list."""
    return [entry for entry in entries if isinstance(entry, dict)]


def _choice(value: object) -> object:
    """The single choice in a value of Label Studio, however it is wrapped."""
    if isinstance(value, dict):
        value = value.get("choices")
    if isinstance(value, list):
        value = ", ".join(map(str, value))  # two choices are not a label, and reported as such
    return value


def _answer(where: str, row: dict, label: object, who: object, default: str) -> Answer:
    if isinstance(who, dict):  # Label Studio gives an id, or all fields of the user
        who = who.get("email") or who.get("id")
    annotator = (_text(who) or "").strip() or default
    texts = [_text(row.get(name)) for name in ("item", "target", "text")]
    return Answer(where, annotator, bool((_text(who) or "").strip()), _text(label), *texts)


def _text(value: object) -> str | None:
    return None if value is None else str(value)


def _checked(
    answers: Iterable[Answer], sample: Sample, problems: list[str]
) -> Iterator[tuple[str, str, str, str]]:
    """The valid answers as records; what is wrong with the others is added to the problems."""
    labels = {label.lower(): label for label in sample.labels} | dict.fromkeys(NONE_SPELLINGS, NONE)
    seen: dict[tuple[str, str], str] = {}
    spelt: dict[str, str] = {}  # as a name is written first
    for answer in answers:
        name = (answer.item or "").strip()
        annotator = spelt.setdefault(_normalised(answer.annotator).casefold(), answer.annotator)
        label = labels.get((answer.label or "").strip().lower())
        problem = _problem(answer, name, label, sample)
        if not problem and (name, annotator) in seen:
            first = seen[name, annotator]
            problem = f"item {name} is labelled twice by {annotator}: also in {first}"
        if problem:
            problems.append(f"{answer.where}: {problem}")
            continue
        seen[name, annotator] = answer.where
        yield name, sample.items[name].target, annotator, label


def _problem(answer: Answer, name: str, label: str | None, sample: Sample) -> str:
    """What is wrong with a single answer; "" if nothing is."""
    if answer.problem:
        return answer.problem
    if name not in sample.items:
        return f"unknown item {name!r}: it is not in {SAMPLE}" if name else "no item name"
    item = sample.items[name]
    if answer.target is not None and answer.target.strip() != item.target:
        return f"item {name} has the target {answer.target!r} instead of {item.target!r}"
    if answer.text is not None and _normalised(answer.text) != _normalised(marked(item)):
        return f"the text of item {name} has changed: labels are for the original text"
    if not (answer.label or "").strip():
        return f"item {name} has no label: add one, or delete the row"
    if label is None:
        return f"unknown label {answer.label!r}: one of {', '.join(sample.labels)}"
    return ""


def _normalised(text: str) -> str:
    """Text without the changes that spreadsheets make to spaces and composed letters."""
    return " ".join(unicodedata.normalize("NFC", text).split())
