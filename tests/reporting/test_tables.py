import csv
import re
from html import escape

import pandas as pd
import pytest

from socialbias.reporting.artefact import Artefact
from socialbias.reporting.latex import BOLD, BRACKETS, Table, latex_table
from socialbias.reporting.tables import (
    html_table,
    reading_table,
    tables_of,
    write_tables,
)
from tests.records import value, values_table


@pytest.fixture
def artefact():
    return Artefact(
        paper="demo",
        artefact="table9",
        title="Table 9: R&D, 95 % of A_B",
        shows="Nothing.",
        unit="share",
        digits=3,
        rows={"nurse": "nurse", "law": "law & order_50%", "pilot": "<pilot>"},
        columns={"emb": "word_2vec", "text": "text"},
        variants={"code": "code lists"},
    )


@pytest.fixture
def tables(artefact):
    said = {"unit": "share", "sources": "demo", "n_unit": "", "note": "", "fidelity": "exact"}
    nothing = said | {"fidelity": "no input"}
    records = [
        value("nurse", "emb@code", -0.12345, q_value=0.05, ci_low=-0.5, ci_high=0.25, **said),
        value("law", "emb@code", 0.5, q_value=0.0501, **said),
        value("pilot", "emb@code", float("nan"), **nothing),
        value("nurse", "text", 2.0, **said),
        value("law", "text", -0.5, **said | {"n": 3, "n_unit": "contexts"}),
    ]
    printed = [("nurse", "emb", "-0.12"), ("law", "emb", "0.5"), ("pilot", "emb", "")]
    published = pd.DataFrame(printed, columns=["row", "column", "value"])
    values = values_table("table9", records, 1)
    return reading_table(values, published, artefact)


def test_text_has_the_printed_digits_ours_a_real_minus_and_no_input(tables):
    text, bold, _ = tables
    assert bold["word_2vec", "code lists"].to_list() == [True, False, False]  # p at most 5 %
    assert not bold.drop(columns=("word_2vec", "code lists")).to_numpy().any()
    assert text["word_2vec", "paper"].to_list() == ["−0.12", "0.5", "–"]
    assert text["word_2vec", "code lists"].to_list() == ["−0.123", "0.500", "no input"]
    assert text["text", "paper"].to_list() == ["–", "–", "–"]
    assert text["text", "ours"].to_list() == ["2.000", "(−0.500)", "–"]
    assert list(text.index) == ["nurse", "law & order_50%", "<pilot>"]


@pytest.mark.parametrize(
    ("printed", "ours", "shown"),
    [
        (["40"], [40.0], ["40"]),
        (["40"], [40.5], ["40.500"]),
        (["40.0"], [40.0], ["40.000"]),
        ([""], [40.0], ["40"]),
        ([""], [1.0], ["1.000"]),
        (["41", "0.4"], [40.0, 0.5], ["40", "0.500"]),  # one whole number in print
    ],
)
def test_whole_numbers_have_no_decimals_where_the_column_or_print_has_none(
    artefact, printed, ours, shown
):
    rows = ["nurse", "law"][: len(ours)]
    cells = [value(row, "text", x, fidelity="exact") for row, x in zip(rows, ours, strict=True)]
    published = pd.DataFrame({"row": rows, "column": "text", "value": printed})
    text = reading_table(values_table("table9", cells, 1), published, artefact).text
    assert text["text", "ours"].to_list()[: len(ours)] == shown


def test_html_marks_what_is_significant_and_what_has_no_input_and_escapes(tables):
    html = html_table(tables)
    ci = ' <span class="ci">[−0.500, 0.250]</span>'
    assert f'<td class="significant">−0.123{ci}</td>' in html
    assert html.count("ci") == 1
    assert '<td class="ours">0.500</td>' in html
    assert '<td class="no-input">no input</td>' in html
    assert '<td class="print">−0.12</td>' in html
    assert "law &amp; order_50%" in html
    assert "&lt;pilot&gt;" in html
    assert "<pilot>" not in html
    assert html.count('colspan="2"') == 2
    assert html.count("<tr>") == 2 + 3


def wide(labels, rows=("a", "b")):
    """Three columns of each label, all with intervals."""
    columns = pd.MultiIndex.from_product([list(labels), ["paper", "ours", "ours, null"]])
    cells = pd.DataFrame("1", index=list(rows), columns=columns)
    return Table(cells, cells == "never", cells.map(lambda _: "0, 2"))


def test_a_wide_table_stands_in_parts_without_rows_of_nothing(artefact):
    table = wide("klmnqr")  # 18 columns
    table.text.loc["b", ["q", "r"]] = "–"
    first, second = html_table(table).split("</table>\n")
    assert [first.count("colgroup"), second.count("colgroup")] == [4, 2]
    assert [part.count('scope="row"') for part in (first, second)] == [2, 1]
    assert second.count('<td class="print">1</td>') == 2
    floats = latex_table(table, artefact, [], "").split("\\end{table*}\n")[:-1]
    assert [text.count("multicolumn") for text in floats] == [2, 2, 2]
    assert ["\nb & 1" in text for text in floats] == [True, True, False]
    assert "part 3 of 3" in floats[-1]


def latex(tables, artefact, **others):
    said = {"notes": ["Run: demo."], "made_by": "snakemake demo_table9"} | others
    return latex_table(tables, artefact, **said)


def test_latex_is_bold_where_significant_with_a_real_minus(tables, artefact):
    made = latex(tables, artefact)
    assert r"\textbf{$-$0.123}" in made
    assert r"\textbf{0.500}" not in made
    assert r"\newline\tiny {[}$-$0.500, 0.250{]}" in made
    assert r"\toprule" in made
    assert r"\label{tab:demo-table9}" in made
    for escaped in (r"law \& order\_50\%", r"word\_2vec", r"R\&D, 95 \% of A\_B"):
        assert escaped in made


def test_latex_explains_its_signs_and_says_what_made_it(tables, artefact):
    made = latex(tables, artefact)
    assert made.startswith("% made by: snakemake demo_table9\n")
    for said in (BRACKETS, BOLD, "Run: demo.", "no input"):
        assert said in made
    plain = latex(tables._replace(bold=tables.bold & False), artefact, made_by="")
    assert BOLD not in plain
    assert "made by" not in plain


def test_the_csv_is_of_numbers_and_says_in_a_note_why_one_is_not_judged(tables, artefact, tmp_path):
    stem = tmp_path / "table9"
    write_tables(tables, artefact, stem)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["table9.csv", "table9.html", "table9.tex"]
    with stem.with_suffix(".csv").open(encoding="utf-8") as file:
        rows = list(csv.reader(file))
    names = ["word_2vec, paper", "word_2vec, code lists", "text, ours"]
    assert rows[0] == ["row", *names, "note"]
    assert rows[1] == ["nurse", "-0.12", "-0.123", "2.000", ""]
    assert rows[2][3:] == ["-0.500", "to be read with caution: text, ours"]
    assert rows[3] == ["<pilot>", "", "", "", "no input: word_2vec, code lists"]
    read = pd.read_csv(stem.with_suffix(".csv"))
    assert all(read[name].dtype == float for name in names)


def test_latex_that_would_take_many_floats_is_left_to_csv(artefact):
    made = latex(wide("klmnqr", [f"row {i}" for i in range(90)]), artefact)
    assert made.startswith("% made by: snakemake demo_table9\n% too large for a paper: table9.csv")


def test_the_page_of_a_table_can_be_read_by_itself(tables, artefact, tmp_path):
    write_tables(tables, artefact, tmp_path / "table9", ["Run: A & B."])
    page = (tmp_path / "table9.html").read_text("utf-8")
    assert page.startswith('<!doctype html>\n<html lang="en"><meta charset="utf-8">')
    assert f"<h1>{escape(artefact.title)}</h1>" in page
    assert "<p>Run: A &amp; B.</p>" in page
    assert BOLD in page
    classes = set(re.findall(r'class="([\w-]+)"', page)) - {"reading", "ours", "print"}
    assert classes
    [style] = re.findall("<style>(.*)</style>", page, re.DOTALL)
    for each in classes:
        assert f".{each}{{" in style
    assert len(page) - len(tables_of(page)) < 2000  # it is in the archive for each artefact
    shown = tables_of(page)
    assert shown == html_table(
        Table(*(frame.drop(columns=[("text", "paper")]) for frame in tables))
    )
    assert tables_of(f"<p>a</p>{shown}\n{shown}<p>b</p>") == f"{shown}\n{shown}"
