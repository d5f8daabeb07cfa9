"""What the results of all commands share: how they are written, as a table, JSON, CSV and HTML."""

from __future__ import annotations

import csv
import io
import json
import math
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from html import escape
from pathlib import Path

from socialbias.errors import UserError
from socialbias.files.atomic_write import write_output
from socialbias.files.escaping import for_csv
from socialbias.files.paths import exists
from socialbias.sources.checksums import sha256_of

STYLE = """body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem}
.scroll{overflow-x:auto}caption{text-align:left}
table{border-collapse:collapse}td,th{padding:.2rem .8rem;text-align:right}
td:first-child,th:first-child{text-align:left}tr+tr{border-top:1px solid #ccc}
@media(prefers-color-scheme:dark){body{background:#16181c;color:#e6e6e6}}"""


class Output(ABC):
    """A result that is a title and rows."""

    title: str
    provenance: list[dict]

    @abstractmethod
    def records(self) -> list[dict]:
        """Return the rows as plain dicts, without columns that are empty in every row."""

    @abstractmethod
    def as_dict(self) -> dict:
        """Everything but the draws, as plain JSON values: a number that there is not is None."""

    @abstractmethod
    def text(self, most: int | None = None) -> str:
        """Return the result as text for a terminal, with at most so many rows."""

    @abstractmethod
    def _repr_html_(self) -> str: ...

    @property
    def table(self):
        """The rows, as a pandas data frame, or as a list of dicts where pandas is not installed."""
        return frame(self.records())

    def to_json(self, path: str | Path | None = None) -> str:
        """Return `as_dict` as JSON, and write it to a file if one is named."""
        return written(json_of(self.as_dict()), path, self.provenance)

    def to_csv(self, path: str | Path | None = None) -> str:
        """Return the rows as CSV with 6-digit numbers, and write it to a file if one is named."""
        return written(csv_of(self.records()), path, self.provenance)

    def to_html(self, path: str | Path | None = None) -> str:
        """Return an HTML page, and write it to a file if one is named."""
        return written(page_of(self.title, self._repr_html_()), path, self.provenance)

    def __str__(self) -> str:
        return self.text()

    def __repr__(self) -> str:
        return first_lines(self.text())


def first_lines(text: str) -> str:
    """Return the first five lines of a text, without empty ones."""
    return "\n".join([line for line in text.split("\n") if line][:5])


def frame(records: list[dict]):
    """Return records as a pandas data frame, or as they are where pandas is not installed."""
    try:
        import pandas as pd
    except ImportError:
        return records
    return pd.DataFrame(records)


def written(text: str, path: str | Path | None, read: Iterable[Mapping] = ()) -> str:
    """Write a text to a file, whole or not at all, if one is named, and return it.

    Args:
        text: What is written.
        path: The file.
        read: Provenance of the result: what it was made from is not replaced.
    """
    if path is not None:
        check_not_measured(path, read)
        write_output(path, text.encode("utf-8", "replace"))  # names may not be UTF-8
    return text


def check_not_measured(path: str | Path, read: Iterable[Mapping]) -> None:
    """Raise UserError if a file to write is one that a result was made from.

    Args:
        path: The file.
        read: Provenance of the result.
    """
    path = Path(path)
    if not (exists(path) and path.is_file()):
        return
    size, known = path.stat().st_size, [file for entry in read for file in entry.get("files", ())]
    sums = {file["sha256"] for file in known if file.get("bytes") == size}
    lists = [entry["name"] for entry in read if "words" in entry and exists(entry["name"])]
    if (sums and sha256_of(path) in sums) or any(map(path.samefile, lists)):
        raise UserError(f"{path}: the result was made from it; name another file")


def json_of(content: dict) -> str:
    """Return plain values as JSON."""
    return json.dumps(content, indent=2, ensure_ascii=False) + "\n"


def csv_of(records: Sequence[dict]) -> str:
    """Return records as CSV with 6-digit numbers."""
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    for i, record in enumerate(records):
        if i == 0:
            writer.writerow(record)
        writer.writerow([_cell(cell) for cell in record.values()])
    return file.getvalue()


def _cell(cell: object) -> object:
    if isinstance(cell, float):
        return f"{cell:.6g}" if math.isfinite(cell) else ""
    return for_csv(cell) if isinstance(cell, str) else cell


def aligned(rows: Sequence[Sequence[str]]) -> list[str]:
    """Return rows of texts as lines with aligned columns."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    padded = [[f"{text:<{width}}" for text, width in zip(row, widths, strict=True)] for row in rows]
    return ["  ".join(row).rstrip() for row in padded]


def table_html(label: str, rows: str) -> str:
    """Return rows of HTML as a table that scrolls by itself, with a label for screen readers."""
    start = f'<div class="scroll" tabindex="0" role="region" aria-label="{label}">'
    return f"{start}<table>{rows}</table></div>"


def details_of(facts: Iterable[tuple[str, str]]) -> str:
    """Return headings and texts as HTML."""
    parts = "".join(f"<dt>{escape(name)}<dd>{escape(text)}" for name, text in facts)
    return f"<dl>{parts}</dl>"


def page_of(title: str, content: str) -> str:
    """Return a complete page."""
    return (
        f'<!doctype html><html lang="en"><meta charset="utf-8"><title>{escape(title)}</title>'
        f'<meta name="viewport" content="width=device-width"><style>{STYLE}</style>'
        f"<main>{content}</main></html>\n"
    )
