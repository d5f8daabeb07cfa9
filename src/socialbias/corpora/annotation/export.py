"""Contexts as spreadsheets for annotators.

They show neither the automated measure's label nor anything that gives it away, such as the order.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable
from pathlib import Path

from socialbias.corpora.annotation.items import NONE, Item, Sample, write_sample
from socialbias.files.atomic_write import write_text

COLUMNS = ["item", "target", "text", "label", "comment"]
FORMULA = ("=", "+", "-", "@")  # spreadsheets evaluate a cell that begins with one of these
PARTS = {"everyone": True, "one": False}
FILES = ("sample.json", "everyone.csv", "one.csv", "instructions.md")

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
next run may draw a new sample and overwrite them. All annotators label every passage of `everyone`,
from which their agreement is measured. The passages of `one` are labelled once each: divide them.

## Filling in
Open `everyone.csv` and `one.csv`, write one of {labels} into the column `label`, and save as CSV in
UTF-8. Delete the rows that you did not label. Return one folder for each annotator, with the
annotator's name, or one file each, or one file with an additional column `annotator`.

## Returning the files
Put everything into one folder outside `results/`, with the `sample.json` that was copied with the
files, and name it in the configuration (`trustworthy: {{annotations: {{folder: ...}}}}`).
"""


def marked(item: Item) -> str:
    """Return the text with the target's words between double asterisks."""
    text = item.text
    for start, end in sorted(item.spans, reverse=True):
        text = f"{text[:start]}**{text[start:end]}**{text[end:]}"
    return text


def csv_text(items: Iterable[Item]) -> str:
    """Items as CSV with empty columns for label and comment, one line each."""
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\r\n")  # as spreadsheets write it
    writer.writerow(COLUMNS)
    for item in items:
        text = marked(item)
        writer.writerow([item.item, item.target, " " * text.startswith(FORMULA) + text, "", ""])
    return file.getvalue()


def write_export(sample: Sample, folder: Path) -> None:
    """Write `FILES`, for the annotators and their coordinator.

    `everyone` is for all annotators, `one` for one annotator per item.
    """
    folder.mkdir(parents=True, exist_ok=True)
    for part, shared in PARTS.items():
        items = [item for item in sample.items.values() if item.everyone == shared]
        # The byte order mark tells spreadsheets that the file is UTF-8.
        write_text(folder / f"{part}.csv", "\ufeff" + csv_text(items))
    rows = "\n".join(f"| {x} | it associates it with this group alone |" for x in sample.groups)
    labels = ", ".join(f"`{label}`" for label in sample.labels)
    text = INSTRUCTIONS.format(rows=rows, none=NONE, labels=labels)
    write_text(folder / "instructions.md", text)
    write_sample(sample, folder / "sample.json")
