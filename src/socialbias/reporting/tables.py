"""Tables for readers: ours beside print, as CSV, LaTeX and HTML."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import compress
from pathlib import Path

import pandas as pd
from jinja2 import Environment

from socialbias.files.atomic_write import write_text
from socialbias.reporting.artefact import Artefact, base_column
from socialbias.reporting.compare import SIGNIFICANT, caution
from socialbias.reporting.latex import NOTHING, Table, explained, latex_table, parts_of
from socialbias.reporting.values import KEY, NO_INPUT, write_csv

PRINTED = "paper"
CAUTION = "to be read with caution"
MOST_ACROSS = 12  # columns of a table in HTML, that fit a window
TEMPLATE = Environment(autoescape=True, trim_blocks=True, lstrip_blocks=True).from_string("""\
<table class="reading">
<thead>
<tr><td></td>
{% for label, n in spans.items() %}
<th scope="colgroup" colspan="{{ n }}">{{ label }}</th>
{% endfor %}
</tr>
<tr><td></td>
{% for side in columns %}
<th scope="col">{{ side }}</th>
{% endfor %}
</tr>
</thead>
<tbody>
{% for name, cells in rows %}
<tr><th scope="row">{{ name }}</th>
{%- for text, kind, ends in cells %}<td class="{{ kind }}">{{ text }}
{%- if ends %} <span class="ci">[{{ ends }}]</span>{% endif %}</td>{% endfor %}
</tr>
{% endfor %}
</tbody>
</table>
""")

# A table that is opened by itself: the signs of the run's page, without its sheet of 7 kB.
ALONE = Environment(autoescape=True, trim_blocks=True, lstrip_blocks=True).from_string("""\
<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>{{ title }}</title>
<style>
:root{color-scheme:light dark}
body{font:15px/1.5 system-ui,"DejaVu Sans",sans-serif}
body{max-width:68rem;margin:1.5rem auto;padding:0 1rem}
h1{font-size:1.3rem}p{max-width:46rem}
div{overflow-x:auto}table{border-collapse:collapse;font-variant-numeric:tabular-nums;margin:1rem 0}
th,td{padding:.2rem .6rem;text-align:right;white-space:nowrap;border-bottom:1px solid #8885}
td,th[scope=row]{vertical-align:top}th[scope=row]{text-align:left;font-weight:500;white-space:normal}
th[scope=col]{font-weight:400}th[scope=colgroup]{text-align:center}
.significant{font-weight:700}.no-input{font-style:italic}
.ci{display:block;font-size:.75em;font-weight:400}
</style>
<main><h1>{{ title }}</h1>
<div tabindex="0" role="region" aria-label="every number">
{{ tables | safe }}
</div>
{% for note in notes %}
<p>{{ note }}</p>
{% endfor %}
</main></html>
""")


def reading_table(values: pd.DataFrame, published: pd.DataFrame, artefact: Artefact) -> Table:
    """Return the paper's numbers beside ours, laid out as in the paper.

    Each frame has rows by label, and columns by printed column and side: `paper`, or ours.
    """
    cells = {(c["row"], c["column"]): c for c in values.to_dict("records")}
    printed = published.set_index(KEY)["value"].to_dict()
    text, bold, ends = {}, {}, {}
    for base, label in artefact.columns.items():
        in_print = [printed.get((row, base), "").replace("-", "−") for row in artefact.rows]
        in_print = text[label, PRINTED] = [number or NOTHING for number in in_print]
        bold[label, PRINTED], ends[label, PRINTED] = False, ""
        for column in artefact.in_print_order([c for _, c in cells if base_column(c) == base]):
            ours = [cells.get((row, column)) for row in artefact.rows]
            key = (label, artefact.label_of_ours(column))
            digits = 0 if _counts(ours, in_print) else artefact.digits
            both = zip(ours, in_print, strict=True)
            text[key] = [_number(cell, digits, given) for cell, given in both]
            bold[key] = [cell is not None and cell["q_value"] <= SIGNIFICANT for cell in ours]
            ends[key] = [interval_of(cell, artefact.digits) for cell in ours]
    index = list(artefact.rows.values())
    return Table(*(pd.DataFrame(each, index=index) for each in (text, bold, ends)))


def _counts(ours: list[dict | None], printed: list[str]) -> bool:
    """Return whether a column is of counts: whole in print and in ours, not 0 and 1 alone."""
    in_print = [text for text in printed if text != NOTHING]
    numbers = [cell["value"] for cell in ours if cell and cell["fidelity"] != NO_INPUT]
    whole = all(float(number).is_integer() for number in numbers)
    beyond = bool(in_print) or any(abs(number) > 1 for number in numbers)
    return whole and beyond and not any("." in text for text in in_print)


def _number(cell: dict | None, digits: int, printed: str) -> str:
    """Return a cell as text: with an exponent where print has one, in brackets with a caution."""
    if cell is None:
        return NOTHING
    if cell["fidelity"] == NO_INPUT:
        return NO_INPUT
    in_print = printed != NOTHING and "." not in printed
    whole = in_print and float(cell["value"]).is_integer()
    number = reader_number(cell["value"], 0 if whole else digits)
    if "e" in printed:
        number = f"{cell['value']:.2e}".replace("-", "−")
    return f"({number})" if caution(cell) else number


def reader_number(number: float, digits: int) -> str:
    """Return a number with a real minus sign, none before a zero; "" where there is none."""
    text = "" if pd.isna(number) else f"{number:.{digits}f}"
    return text.removeprefix("-") if text and float(text) == 0 else text.replace("-", "−")


def interval_of(cell: Mapping | None, digits: int) -> str:
    """Return the ends of a cell's interval, such as `−0.1, 0.3`; "" for none."""
    if cell is None or pd.isna(cell["ci_low"]) or cell["ci_low"] == cell["ci_high"]:
        return ""
    return ", ".join(reader_number(cell[end], digits) for end in ("ci_low", "ci_high"))


def write_tables(
    table: Table, artefact: Artefact, stem: Path, notes: Sequence[str] = (), made_by: str = ""
) -> None:
    """Write `<stem>.csv` (numbers), `<stem>.tex` and `<stem>.html`, each atomically.

    Columns in which print has no number are left out.
    """
    text = table.text
    empty = [c for c in text.columns if c[1] == PRINTED and (text[c] == NOTHING).all()]
    table = Table(*(frame.drop(columns=empty) for frame in table))
    write_csv(numeric_table(table.text), stem.with_suffix(".csv"))
    write_text(stem.with_suffix(".tex"), latex_table(table, artefact, notes, made_by))
    page = ALONE.render(
        title=artefact.title,
        tables=html_table(table),
        notes=[*filter(None, notes), " ".join(explained(table))],
    )
    write_text(stem.with_suffix(".html"), page)


def tables_of(page: str) -> str:
    """Return the tables of a page that `write_tables` wrote, without what surrounds them."""
    end = "</table>"
    return page[page.find("<table") : page.rfind(end) + len(end)]


def numeric_table(text: pd.DataFrame) -> pd.DataFrame:
    """Return a table of which all columns but `row` and `note` are numbers, or empty."""
    names = [f"{label}, {side}" for label, side in text.columns]
    rows = []
    for label, cells in zip(text.index, text.to_numpy(), strict=True):
        signs = {
            NO_INPUT: [cell == NO_INPUT for cell in cells],
            CAUTION: [cell.startswith("(") for cell in cells],
        }
        notes = [
            f"{sign}: {', '.join(compress(names, of))}" for sign, of in signs.items() if any(of)
        ]
        numbers = [
            "" if cell in (NO_INPUT, NOTHING) else cell.strip("()").replace("−", "-")
            for cell in cells
        ]
        rows.append([label, *numbers, "; ".join(notes)])
    return pd.DataFrame(rows, columns=["row", *names, "note"])


def html_table(table: Table) -> str:
    """HTML without style of its own: classes say what a cell is.

    A wide table stands in parts, one below the other.
    """
    parts = []
    for columns, rows in parts_of(table, MOST_ACROSS):
        shown = [frame.iloc[rows][columns].to_numpy() for frame in table]
        cells = [
            (name, [_td(*cell) for cell in zip(*cells, columns, strict=True)])
            for name, *cells in zip(table.text.index[rows], *shown, strict=True)
        ]
        spans, sides = Counter(label for label, _ in columns), [side for _, side in columns]
        parts.append(TEMPLATE.render(spans=spans, columns=sides, rows=cells))
    return "\n".join(parts)


def _td(cell: str, significant: bool, ends: str, column: tuple[str, str]) -> tuple[str, str, str]:
    """Return a cell's text, its class and its interval."""
    if cell == NO_INPUT:
        return cell, "no-input", ""
    if column[1] == PRINTED:
        return cell, "print", ""
    return cell, "significant" if significant else "ours", ends
