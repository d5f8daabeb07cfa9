"""Contexts as files for annotators: spreadsheets and Label Studio.

Neither shows the automated measure's label, nor anything that gives it away, such as the order.
"""

from __future__ import annotations

import csv
import html
import io
import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from xml.etree import ElementTree

from socialbias.annotation.items import NONE, Item, Sample, write_sample
from socialbias.files.atomic_write import write_text

COLUMNS = ["item", "target", "text", "label", "comment"]
FORMULA = ("=", "+", "-", "@")  # spreadsheets evaluate a cell that begins with one of these
PARTS = {"everyone": True, "one": False}
FILES = ("sample.json", "everyone.csv", "one.csv", "everyone.tasks.json", "one.tasks.json")
FILES += ("labelling.xml", "instructions.md")

INSTRUCTIONS = """\
# Labelling passages

Each passage has five sentences from one text, with one word marked. `[...]` shows where sentences
were left out. The question is always the same:

> With which group does this passage associate what the marked word names?

| label | choose it if |
|---|---|
{rows}
| {none} | it associates it with none of the groups, with several alike, or you cannot tell |

1. Read the whole passage: the relevant part may be before or after the marked word.
2. Judge by the passage alone. That most people in a profession belong to one group is no reason for
   a label, nor is anything you know about a person from elsewhere. Names and pronouns in the
   passage count for what they tell you.
3. If the word is marked more than once, judge what most of the passage is about. If it is a
   person's name or means something else, choose {none}.
4. Work alone, and do not discuss passages before everybody has finished. No label has to reach a
   certain number.
5. Put doubts into the comment. Do not change the other columns or the texts.

## Before you begin
Copy the whole folder to another place, and work on the copy. Never fill in files in `results/`: the
next run may draw a new sample and overwrite them.

## Who labels what
All annotators label every passage of `everyone`, from which their agreement is measured. The
passages of `one` are labelled once each: divide them among you as you like.

## In a spreadsheet
Open `everyone.csv` and `one.csv`, write one of {labels} into the column `label`, and save as CSV in
UTF-8. Delete the rows that you did not label. Return one folder for each annotator, with the
annotator's name, or one file each, or one file with an additional column `annotator`.

## In Label Studio
Create one project for `everyone.tasks.json` with as many annotations per task as there are
annotators, and one for `one.tasks.json` with one; use `labelling.xml` as the labelling
configuration of both. Export as JSON or JSON-MIN.

## Returning the files
Put everything into one folder outside `results/`, together with the `sample.json` that was copied
with the files, and set that folder in the configuration
(`trustworthy: {{annotations: {{folder: ...}}}}`).
"""


def marked(item: Item) -> str:
    """The text with the target's words between double asterisks."""
    return _with_marks(item, "**", "**", lambda text: text)


def as_html(item: Item) -> str:
    """The text as HTML, with the target's words highlighted."""
    return _with_marks(item, "<mark>", "</mark>", html.escape)


def _with_marks(item: Item, before: str, after: str, escape) -> str:
    parts, last = [], 0
    for start, end in sorted(item.spans):
        parts += [escape(item.text[last:start]), before, escape(item.text[start:end]), after]
        last = end
    return "".join([*parts, escape(item.text[last:])])


def csv_text(items: Iterable[Item]) -> str:
    """Items as CSV with empty columns for label and comment, one line each."""
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\r\n")  # as spreadsheets write it
    writer.writerow(COLUMNS)
    for item in items:
        text = marked(item)
        writer.writerow([item.item, item.target, " " * text.startswith(FORMULA) + text, "", ""])
    return file.getvalue()


def tasks(items: Iterable[Item]) -> list[dict]:
    """Items as Label Studio tasks."""
    return [
        {
            "data": {
                "item": item.item,
                "target": item.target,
                "text": marked(item),
                "html": f"<p>{as_html(item)}</p>",
                "question": f"With which group does this passage associate the {item.target}?",
            }
        }
        for item in items
    ]


def labelling_config(labels: Sequence[str]) -> str:
    """Label Studio's labelling configuration: a passage, a choice of labels, a comment."""
    view = ElementTree.Element("View")
    ElementTree.SubElement(view, "Header", value="$question")
    ElementTree.SubElement(
        view, "HyperText", name="passage", value="$html", selectionEnabled="false"
    )
    options = {"name": "label", "toName": "passage", "choice": "single-radio"}
    options |= {"showInline": "true", "required": "true", "requiredMessage": "Choose a label"}
    choices = ElementTree.SubElement(view, "Choices", options)
    for i, label in enumerate(labels, 1):
        ElementTree.SubElement(choices, "Choice", value=label, hotkey=str(i))
    options = {"name": "comment", "toName": "passage", "rows": "2", "placeholder": "Comment"}
    ElementTree.SubElement(view, "TextArea", options)
    ElementTree.indent(view)
    return ElementTree.tostring(view, encoding="unicode") + "\n"


def instructions(groups: Sequence[str]) -> str:
    """The instructions for annotators."""
    rows = "\n".join(f"| {group} | it associates it with this group alone |" for group in groups)
    labels = ", ".join(f"`{label}`" for label in [*groups, NONE])
    return INSTRUCTIONS.format(rows=rows, none=NONE, labels=labels)


def write_export(sample: Sample, folder: Path) -> None:
    """Write all files for the annotators and their coordinator: `FILES`.

    Args:
        sample: The items.
        folder: Where to write. `everyone` is for all annotators, `one` for one annotator per item.
    """
    folder.mkdir(parents=True, exist_ok=True)
    for part, shared in PARTS.items():
        items = [item for item in sample.items.values() if item.everyone == shared]
        # The byte order mark tells spreadsheets that the file is UTF-8.
        write_text(folder / f"{part}.csv", "\ufeff" + csv_text(items))
        content = json.dumps(tasks(items), ensure_ascii=False, indent=1)
        write_text(folder / f"{part}.tasks.json", content + "\n")
    write_text(folder / "labelling.xml", labelling_config(sample.labels))
    write_text(folder / "instructions.md", instructions(sample.groups))
    write_sample(sample, folder / "sample.json")
