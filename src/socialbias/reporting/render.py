"""How the results of all commands are written: as text, HTML, LaTeX, CSV, JSON, and for a paper.

A result says what it is (`Output`): a title, sentences, tables and facts. How these look is here.
"""

from __future__ import annotations

import csv
import io
import json
import math
import re
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from html import escape
from itertools import accumulate, groupby, islice
from pathlib import Path

from socialbias.errors import UserError
from socialbias.files.atomic_write import write_output
from socialbias.files.escaping import for_csv, for_latex
from socialbias.files.paths import exists
from socialbias.reporting.methods_paragraph import with_references
from socialbias.sources.checksums import sha256_of

CSS = Path(__file__).parents[1] / "reporting" / "page" / "page.css"
# Where these pages differ from a run's pages.
OWN_CSS = """
td:nth-child(n+7):not(.n) { min-width: 17rem; } /* sentences of an audit */
h1, h2, p, dd { overflow-wrap: anywhere; }
caption { text-align: left; }
dt { color: var(--muted); font-weight: 400; }
"""
# A complete page that needs no other file, with the look of a run's pages.
PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>{title}</title>\
<meta name="viewport" content="width=device-width, initial-scale=1">
<style>{style}</style></head><body><main>{content}</main></body></html>
"""
BRIEF, NOTES = 15, 3  # lines of a short text, and notes in it
ALL_IS = "--explain shows the rest; -o FILE keeps everything."
MAX_ROWS = 20  # rows of a text in a terminal
NUMBERS = re.compile(r"(p )?[-+.,*\de\[\] ]*")  # a cell of numbers, or an empty one
# A row as text, by column; a pair is a column below a name over several columns.
Shown = Mapping[str | tuple[str, str], str]


class Output(ABC):
    """A result as it is written: title, sentences, tables and facts."""

    title: str
    provenance: list[dict]
    symbols: str = ""  # what marks in the tables mean, below a LaTeX table

    @abstractmethod
    def records(self) -> list[dict]:
        """Return the rows as plain dicts, without columns that are empty in every row."""

    @abstractmethod
    def as_dict(self) -> dict:
        """Everything but the draws, as plain JSON values: a number that there is not is None."""

    def sentences(self) -> list[str]:
        """Return what is said before the tables, a line each."""
        return []

    @abstractmethod
    def tables(self) -> dict[str, list[Shown]]:
        """Return the tables by caption; each has rows."""

    def all_facts(self) -> list[tuple[str, str]]:
        """Return what one must know of the numbers, as pairs of a heading and a text."""
        return []

    @property
    def paragraph(self) -> str:
        """The paragraph for a methods section; "" if it is not known how the numbers were made."""
        return ""

    @property
    def table(self):
        """The rows, as a pandas data frame, or as a list of dicts where pandas is not installed."""
        return frame(self.records())

    def text(self, most: int | None = None) -> str:
        """Return the result as text for a terminal, with at most so many rows of each table."""
        lines = [self.title, *self.sentences(), ""]
        for caption, rows in self.tables().items():
            shown = rows[:most]
            lines += [caption, *(f"  {line}" for line in table_text(shown))]
            if len(shown) < len(rows):
                lines.append(f"  ... and {len(rows) - len(shown)} more (-o FILE.txt has them)")
            lines.append("")
        return "\n".join([*lines, *aligned(self.all_facts())])

    def brief(self) -> str:
        """Return the first lines and notes, `BRIEF` lines in all."""
        facts, tables = self.all_facts(), self.tables()
        notes = (text for name, text in facts if name == "note")
        last = [*(f"Note: {note}." for note in islice(notes, NOTES)), ALL_IS]
        lines, rest = [self.title, *self.sentences()], [line for line in aligned(facts) if line]
        left = sum(map(len, tables.values()))
        heads = [len(table_text(rows[:1])) for rows in tables.values()]  # with the caption
        room = BRIEF - len(last) - len(lines) - 1
        while len(heads) > 1 and sum(heads) + len(heads) > room:
            heads.pop()
        free = max(room - sum(heads) - len(heads), 0)  # for further rows than the first of each
        for caption, rows in islice(tables.items(), len(heads)):
            shown = rows[: 1 + free]
            free -= len(shown) - 1
            left -= len(shown)
            lines += [caption, *(f"  {line}" for line in table_text(shown))]
        if left:
            rest = [f"  ... and {left} more"]
        return "\n".join([*[*lines, *rest][: BRIEF - len(last)], *last])

    def to_json(self, path: str | Path | None = None) -> str:
        """Return `as_dict` as JSON, and write it to a file if one is named."""
        return written(json_of(self.as_dict()), path, self.provenance)

    def to_csv(self, path: str | Path | None = None) -> str:
        """Return the rows as CSV with 6-digit numbers, and write it to a file if one is named."""
        file = io.StringIO()
        writer, records = csv.writer(file, lineterminator="\n"), self.records()
        writer.writerows([*records[:1], *(map(_cell, record.values()) for record in records)])
        return written(file.getvalue(), path, self.provenance)

    def to_html(self, path: str | Path | None = None) -> str:
        """Return an HTML page, and write it to a file if one is named."""
        try:
            style = CSS.read_text("utf-8") + OWN_CSS
        except OSError as error:
            raise UserError(f"{CSS}: cannot be read ({error.strerror}): install again") from None
        text = PAGE.format(title=escape(self.title), style=style, content=self._repr_html_())
        return written(text, path, self.provenance)

    def to_latex(self, path: str | Path | None = None) -> str:
        """Return LaTeX tables (booktabs), and write them to a file if one is named."""
        texts, first = ["% needs \\usepackage{booktabs}"], ""
        for caption, rows in self.tables().items():
            label = "".join(filter(str.isalnum, caption.partition(":")[0]))
            how = [*self.sentences(), self.paragraph, self.symbols]
            how = for_latex(" ".join(f"{capital(part).rstrip('.')}." for part in how if part))
            see = rf"Measured as in Table~\ref{{tab:{first}}}." if first else how
            title = for_latex(f"{capital(self.title)}. {capital(caption)}.")
            rows = [{k: v for k, v in row.items() if k != "note"} for row in rows]
            texts.append(table_latex(rows, rf"\caption{{{title} {see}}}\label{{tab:{label}}}"))
            first = first or label
        return written("\n".join([*texts, ""]), path, self.provenance)

    def methods(self, path: str | Path | None = None) -> str:
        """Return a paragraph for a methods section and BibTeX of what it cites; write it to a file.

        The paragraph says what was read, the words, the measure, the intervals, the version and the
        random seed.
        """
        return written(with_references(self.paragraph, self.provenance), path, self.provenance)

    def _repr_html_(self) -> str:
        said = "".join(f"<p>{escape(line)}" for line in self.sentences())
        tables = "".join(table_html(rows, caption) for caption, rows in self.tables().items())
        return f"<h2>{escape(self.title)}</h2>{said}{tables}{facts_html(self.all_facts())}"

    def __str__(self) -> str:
        return self.text()

    def __repr__(self) -> str:
        return first_lines(self.text())


def first_lines(text: str) -> str:
    """Return the first five lines of a text, without empty ones."""
    return "\n".join([line for line in text.split("\n") if line][:5])


def number(value: float, digits: int = 3, missing: str = "-") -> str:
    """Format a number, never as -0; a dash, or what is given, for NaN."""
    return f"{value:z.{digits}f}" if math.isfinite(value) else missing


def with_interval(value: float, low: float, high: float) -> str:
    """Format a number and its interval."""
    return f"{number(value)} {ends(low, high)}".rstrip()


def ends(low: float, high: float) -> str:
    """Format an interval; "" without one."""
    return f"[{number(low)}, {number(high)}]" if math.isfinite(low) else ""


def estimate(name: str, row: object, level: float) -> dict[str, str]:
    """Return the number of a row, and its interval of this level, as two cells."""
    return {name: number(row.value), f"{100 * level:g} % interval": ends(row.low, row.high)}


def p_text(p: float) -> str:
    """Format a p-value; "" for NaN."""
    if not math.isfinite(p):
        return ""
    return f"p {p:.3f}" if p >= 0.0005 else f"p {p:.0e}"


def capital(text: str) -> str:
    """Return a text with a capital."""
    return f"{text[:1].upper()}{text[1:]}"


def frame(records: list[dict]):
    """Return records as a pandas data frame, or as they are where pandas is not installed."""
    try:
        import pandas as pd
    except ImportError:
        return records
    return pd.DataFrame(records)


def written(text: str, path: str | Path | None, read: Iterable[Mapping] = ()) -> str:
    """Write a text to a file, whole or not at all, if one is named, and return it.

    What the result was made from, by its provenance in `read`, is not replaced.
    """
    if path is None:
        return text
    path = Path(path)
    if exists(path) and path.is_file():
        size, files = path.stat().st_size, [f for entry in read for f in entry.get("files", ())]
        sums = {file["sha256"] for file in files if file.get("bytes") == size}
        lists = [entry["name"] for entry in read if "words" in entry and exists(entry["name"])]
        if (sums and sha256_of(path) in sums) or any(map(path.samefile, lists)):
            raise UserError(f"{path}: the result was made from it; name another file")
    write_output(path, text.encode("utf-8", "replace"))  # names may not be UTF-8
    return text


def json_of(content: dict) -> str:
    """Return plain values as JSON."""
    return json.dumps(content, indent=2, ensure_ascii=False) + "\n"


def _cell(cell: object) -> object:
    if isinstance(cell, float):
        return f"{cell:.6g}" if math.isfinite(cell) else ""
    return for_csv(cell) if isinstance(cell, str) else cell


def aligned(rows: Sequence[Sequence[str]]) -> list[str]:
    """Return rows of texts as lines with aligned columns."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    padded = [[f"{text:<{width}}" for text, width in zip(row, widths, strict=True)] for row in rows]
    return ["  ".join(row).rstrip() for row in padded]


def _heads(rows: Sequence[Shown]) -> tuple[list[tuple[str, int]], list[str], list[bool]]:
    """Return names over columns with how many these are, the columns, and which have numbers."""
    pairs = [head if isinstance(head, tuple) else ("", head) for head in rows[0]]
    over = [(name, len(list(each))) for name, each in groupby(pairs, key=lambda pair: pair[0])]
    cells = zip(*(row.values() for row in rows), strict=True)
    of_numbers = [all(map(NUMBERS.fullmatch, column)) for column in cells]
    return over, [head for _, head in pairs], [False, *of_numbers[1:]]


def table_text(rows: Sequence[Shown]) -> list[str]:
    """Return a table as lines: texts to the left, numbers to the right; [] without rows."""
    if not rows:
        return []
    over, heads, of_numbers = _heads(rows)
    cells = [heads, *(list(row.values()) for row in rows)]
    widths, places = [max(map(len, column)) for column in zip(*cells, strict=True)], []
    for (name, many), end in zip(over, accumulate(many for _, many in over), strict=True):
        if end < len(widths):  # behind the last column a name may be longer
            widths[end - 1] += max(0, len(name) - sum(widths[end - many : end]) - 2 * (many - 1))
        places.append(f"{name:<{sum(widths[end - many : end]) + 2 * (many - 1)}}")
    sides = [">" if is_number else "<" for is_number in of_numbers]
    lines = ["  ".join(places)] * any(name for name, _ in over)
    for row in cells:
        padded = zip(row, sides, widths, strict=True)
        lines.append("  ".join(f"{text:{side}{width}}" for text, side, width in padded))
    return [line.rstrip() for line in lines]


def table_latex(rows: Sequence[Shown], caption: str) -> str:
    """Return a table with its caption; it is centred on the line, since it may be wider."""
    over, heads, of_numbers = _heads(rows)
    lines = [
        r"\begin{table}\footnotesize\setlength{\tabcolsep}{3pt}",
        caption + r"\par\medskip",
        r"\makebox[\linewidth][c]{\begin{tabular}{@{}"
        + "".join("r" if is_number else "l" for is_number in of_numbers)
        + "@{}}",
        r"\toprule",
    ]
    if any(name for name, _ in over):
        names = [rf"\multicolumn{{{many}}}{{c}}{{{for_latex(name)}}}" for name, many in over]
        ends = list(accumulate(many for _, many in over))
        rules = [
            rf"\cmidrule(lr){{{end - many + 1}-{end}}}"
            for (name, many), end in zip(over, ends, strict=True)
            if name
        ]
        lines += [" & ".join(names) + r" \\", " ".join(rules)]
    lines += [" & ".join(map(for_latex, heads)) + r" \\", r"\midrule"]
    for row in rows:
        cells = [
            for_latex(cell).replace("-", "$-$").replace("*", "$^{*}$") if is_number
            else for_latex(cell)
            for cell, is_number in zip(row.values(), of_numbers, strict=True)
        ]  # fmt: skip
        lines.append(" & ".join(cells) + r" \\")
    return "\n".join([*lines, r"\bottomrule", r"\end{tabular}}", r"\end{table}"])


def table_html(rows: Sequence[Shown], caption: str, of: str = "") -> str:
    """Return a table that scrolls by itself, with a label for screen readers; "" without rows.

    The label is the caption and `of`, so that it is the only one of its name in a page.
    """
    if not rows:
        return ""
    over, heads, of_numbers = _heads(rows)
    classes = [' class="n"' if is_number else "" for is_number in of_numbers]
    head = ""
    if any(name for name, _ in over):
        names = (f'<th scope="colgroup" colspan="{n}">{escape(name)}' for name, n in over)
        head = f"<tr>{''.join(names)}"
    named = zip(heads, classes, strict=True)
    head += "<tr>" + "".join(f'<th scope="col"{kind}>{escape(name)}' for name, kind in named)
    body = ""
    for row in rows:
        first, *others = map(escape, row.values())
        cells = (f"<td{kind}>{c}" for c, kind in zip(others, classes[1:], strict=True))
        body += f'<tr><th scope="row">{first}{"".join(cells)}'
    label = escape(f"{caption}, {of}" if of else caption)
    return (
        f'<div class="scroll" tabindex="0" role="region" aria-label="{label}"><table>'
        f"<caption>{escape(caption)}</caption><thead>{head}</thead><tbody>{body}</tbody>"
        "</table></div>"
    )


def facts_html(facts: Iterable[tuple[str, str]]) -> str:
    """Return headings and texts as HTML."""
    parts = "".join(f"<dt>{escape(name)}<dd>{escape(text)}" for name, text in facts)
    return f"<dl>{parts}</dl>" if parts else ""


def folded_html(name: str, content: str) -> str:
    """Return HTML that is shown when its name is clicked."""
    return f"<details><summary>{escape(name)}</summary>{content}</details>"
