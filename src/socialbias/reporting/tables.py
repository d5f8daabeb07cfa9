"""Tables for readers: ours beside print, as CSV, LaTeX and HTML."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
from jinja2 import Environment

from socialbias.reporting.artefact import Artefact, base_column
from socialbias.reporting.compare import SIGNIFICANT, too_few
from socialbias.reporting.values import KEY, NO_INPUT, write_csv

PRINTED = "print"
NOTHING = "–"
MOST_ACROSS = 20  # columns of a table in HTML
LATEX = {ord(c): f"\\{c}" for c in "&%$#_{}"}
LATEX |= {ord("~"): r"\textasciitilde{}", ord("^"): r"\textasciicircum{}"}
LATEX[ord("\\")] = r"\textbackslash{}"
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
{%- for text, kind in cells %}<td class="{{ kind }}">{{ text }}</td>{% endfor %}
</tr>
{% endfor %}
</tbody>
</table>
""")


def reading_table(
    values: pd.DataFrame, published: pd.DataFrame, artefact: Artefact
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """What print says and what we get, laid out as in print.

    Args:
        values: A table of values.
        published: Columns `row, column, value`, text.
        artefact: Order, labels and digits.

    Returns:
        Two frames of one shape, rows by label and columns by (printed column, `print` or the
        variant of ours): the text of each cell, and whether it is significant, all tests of its
        column considered.
    """
    cells = {(c["row"], c["column"]): c for c in values.to_dict("records")}
    printed = published.set_index(KEY)["value"].to_dict()
    text, bold = {}, {}
    for base, label in artefact.columns.items():
        text[label, PRINTED] = [
            printed.get((row, base), "").replace("-", "−") or NOTHING for row in artefact.rows
        ]
        bold[label, PRINTED] = [False] * len(artefact.rows)
        for column in artefact.in_print_order([c for _, c in cells if base_column(c) == base]):
            ours = [cells.get((row, column)) for row in artefact.rows]
            key = (label, artefact.label_of_ours(column))
            counts = _counts(ours, text[label, PRINTED])
            text[key] = [
                _number(cell, 0 if counts or _is_whole(cell, given) else artefact.digits, given)
                for cell, given in zip(ours, text[label, PRINTED], strict=True)
            ]
            bold[key] = [cell is not None and cell["q_value"] <= SIGNIFICANT for cell in ours]
    index = list(artefact.rows.values())
    return pd.DataFrame(text, index=index), pd.DataFrame(bold, index=index)


def _counts(ours: list[dict | None], printed: list[str]) -> bool:
    """Whether a column is of counts: whole numbers in print and in ours, not 0 and 1 alone."""
    in_print = [text for text in printed if text != NOTHING]
    numbers = [cell["value"] for cell in ours if cell and cell["fidelity"] != NO_INPUT]
    whole = all(float(number).is_integer() for number in numbers)
    beyond = bool(in_print) or any(abs(number) > 1 for number in numbers)
    return whole and beyond and not any("." in text for text in in_print)


def _is_whole(cell: dict | None, printed: str) -> bool:
    """Whether a number and its printed one are whole."""
    in_print = printed != NOTHING and "." not in printed
    return in_print and cell is not None and float(cell["value"]).is_integer()


def _number(cell: dict | None, digits: int, printed: str) -> str:
    """A cell as text, with an exponent where print has one; in brackets if it cannot be judged."""
    if cell is None:
        return NOTHING
    if cell["fidelity"] == NO_INPUT:
        return NO_INPUT
    number = reader_number(cell["value"], digits)
    if "e" in printed:
        number = f"{cell['value']:.2e}".replace("-", "−")
    return f"({number})" if too_few(cell) or cell["weak"] else number


def reader_number(number: float, digits: int) -> str:
    """A number for a reader: a real minus sign, none before a zero, "" where there is none."""
    text = "" if pd.isna(number) else f"{number:.{digits}f}"
    return text.removeprefix("-") if text and float(text) == 0 else text.replace("-", "−")


def write_tables(text: pd.DataFrame, bold: pd.DataFrame, artefact: Artefact, stem: Path) -> None:
    """Write `<stem>.csv`, `<stem>.tex` (booktabs) and `<stem>.html`, each atomically."""
    flat = text.copy()
    flat.columns = [f"{label}, {variant}" for label, variant in text.columns]
    flat = flat.map(lambda cell: "" if cell == NOTHING else cell.replace("−", "-"))
    write_csv(flat.rename_axis("row").reset_index(), stem.with_suffix(".csv"))
    _write(latex_table(text, bold, artefact), stem.with_suffix(".tex"))
    _write(html_table(text, bold), stem.with_suffix(".html"))


def latex_table(text: pd.DataFrame, bold: pd.DataFrame, artefact: Artefact) -> str:
    """A LaTeX table for the package booktabs."""
    text, bold = (frame.rename(index=_escaped, columns=_escaped) for frame in (text, bold))
    cells = text.map(lambda cell: cell.replace("−", "$-$").replace("–", "--"))
    marks = bold.map(lambda significant: "textbf:--rwrap;" if significant else "")
    return cells.style.apply(lambda _: marks, axis=None).to_latex(
        hrules=True,
        caption=_escaped(". ".join(filter(None, (artefact.title, artefact.caption)))),
        label=f"tab:{artefact.name.replace('_', '-')}",
        column_format="l" + "r" * text.shape[1],
        multicol_align="c",
        position_float="centering",
    )


def _escaped(text: str) -> str:
    """Text with LaTeX's special characters escaped."""
    return text.translate(LATEX)


def html_table(text: pd.DataFrame, bold: pd.DataFrame) -> str:
    """HTML without style of its own: classes say what a cell is.

    What print nowhere has a number of has no columns of print, and a wide table stands in parts,
    one below the other, without the rows of which a part has nothing.
    """
    printed = [column for column in text.columns if column[1].startswith(PRINTED)]
    if (text[printed] == NOTHING).all(axis=None):
        text = text.drop(columns=printed)
    parts = []
    for columns in _across(text):
        some = (text[columns] != NOTHING).any(axis=1).to_numpy()
        if some.any() or not parts:
            parts.append(_html_part(text.loc[some, columns], bold.loc[some, columns]))
    return "\n".join(parts)


def _across(text: pd.DataFrame) -> list[list[tuple[str, str]]]:
    """The columns of each part, those of a label in one."""
    parts: list[list[tuple[str, str]]] = []
    for label in dict.fromkeys(label for label, _ in text.columns):
        own = [column for column in text.columns if column[0] == label]
        if not parts or len(parts[-1]) + len(own) > MOST_ACROSS:
            parts.append([])
        parts[-1] += own
    return parts or [[]]


def _html_part(text: pd.DataFrame, bold: pd.DataFrame) -> str:
    spans: dict[str, int] = {}
    for label, _ in text.columns:
        spans[label] = spans.get(label, 0) + 1
    rows = [
        (name, [_td(*cell) for cell in zip(cells, marks, text.columns, strict=True)])
        for name, cells, marks in zip(text.index, text.to_numpy(), bold.to_numpy(), strict=True)
    ]
    return TEMPLATE.render(spans=spans, columns=[side for _, side in text.columns], rows=rows)


def _td(cell: str, significant: bool, column: tuple[str, str]) -> tuple[str, str]:
    """A cell's text and its class."""
    if cell == NO_INPUT:
        return cell, "no-input"
    if column[1].startswith(PRINTED):  # a second team's print is called `print: <team>`
        return cell, "print"
    return cell, "significant" if significant else "ours"


def _write(text: str, path: Path) -> None:
    temporary = path.with_name(f".{path.name}.tmp")
    temporary.write_text(text, "utf-8")
    temporary.replace(path)
