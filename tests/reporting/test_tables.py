import csv
import re
from html import escape

import pandas as pd
import pytest

from socialbias.reporting.artefact import Artefact
from socialbias.reporting.latex import BOLD, BRACKETS, MISSING, NOTHING, Table, latex_table
from socialbias.reporting.tables import (
    html_table,
    numeric_table,
    reading_table,
    tables_of,
    write_tables,
)
from socialbias.reporting.values import NO_INPUT
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


def wide(labels, printed):
    """Three columns of each label, the first of print."""
    sides = ["paper", "ours", "ours, null"]
    columns = pd.MultiIndex.from_product([list(labels), sides])
    cells = pd.DataFrame("1", index=["a", "b"], columns=columns)
    cells.loc[:, (slice(None), "paper")] = printed
    return Table(cells, cells == "never", cells.map(lambda _: ""))


def test_a_wide_table_stands_in_parts_in_html_without_rows_of_nothing():
    table = wide("klmnqr", "2")  # 18 columns: four labels and two
    table.text.loc["b", ["q", "r"]] = "–"
    first, second = html_table(table).split("</table>\n")
    assert [first.count("colgroup"), second.count("colgroup")] == [4, 2]
    assert [part.count('scope="row"') for part in (first, second)] == [2, 1]
    assert second.count('<td class="print">2</td>') == 2
    assert second.count('<td class="ours">1</td>') == 4
    html = html_table(wide("klm", "–"))  # nothing is printed
    assert (html.count("<table"), html.count('colspan="2"')) == (1, 3)
    assert 'class="print"' not in html


def latex(tables, artefact, **others):
    said = {"notes": ["Run: demo."], "made_by": "snakemake demo_table9"} | others
    return latex_table(tables, artefact, **said)


def test_latex_is_bold_where_significant_with_a_real_minus(tables, artefact):
    made = latex(tables, artefact)
    assert r"\textbf{$-$0.123}" in made
    assert r"\textbf{0.500}" not in made
    assert r"\tiny{}{[}$-$0.500, 0.250{]}" in made
    assert r"\toprule" in made
    assert r"\label{tab:demo-table9}" in made
    for escaped in (r"law \& order\_50\%", r"word\_2vec", r"R\&D, 95 \% of A\_B"):
        assert escaped in made


def test_latex_explains_its_signs_and_says_what_made_it(tables, artefact):
    made = latex(tables, artefact)
    assert made.startswith("% made by: snakemake demo_table9\n")
    for said in (MISSING, BRACKETS, BOLD, "Run: demo."):
        assert said in made
    known = tables._replace(text=tables.text.replace("no input", "1"))
    plain = latex(known, artefact, made_by="")
    assert MISSING not in plain
    assert "made by" not in plain


def test_the_csv_is_of_numbers_and_says_in_a_note_why_one_is_not_judged(tables, artefact, tmp_path):
    stem = tmp_path / "table9"
    write_tables(tables, artefact, stem)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["table9.csv", "table9.html", "table9.tex"]
    with stem.with_suffix(".csv").open(encoding="utf-8") as file:
        rows = list(csv.reader(file))
    names = ["word_2vec, paper", "word_2vec, code lists", "text, paper", "text, ours"]
    assert rows[0] == ["row", *names, "note"]
    assert rows[1] == ["nurse", "-0.12", "-0.123", "", "2.000", ""]
    assert rows[2][4:] == ["-0.500", "to be read with caution: text, ours"]
    assert rows[3] == ["<pilot>", "", "", "", "", "no input: word_2vec, code lists"]
    read = pd.read_csv(stem.with_suffix(".csv"))
    assert all(read[name].dtype == float for name in names)


def test_a_second_teams_number_of_another_setting_is_a_number_in_the_csv():
    text = pd.DataFrame({("a", "paper: They 2020"): ["0.5*", "–"]}, index=["x", "y"])
    table = numeric_table(text)
    assert table.iloc[:, 1].tolist() == ["0.5", ""]
    assert table["note"].tolist() == ["of another setting: a, paper: They 2020", ""]


def long_latex(artefact, rows, columns):
    """The LaTeX of a table with intervals, its rows and columns numbered."""
    keys = [(f"column {i}", "ours") for i in range(columns)]
    text = pd.DataFrame("−0.123", index=[f"row number {i}" for i in range(rows)], columns=keys)
    table = Table(text, text != text, text.map(lambda _: "−0.2, 0.3"))
    return latex_table(table, artefact, ["Run: demo."], "snakemake")


def test_latex_that_would_take_many_floats_is_left_to_csv(artefact):
    assert r"\begin{table}" in long_latex(artefact, 30, 4)
    many = f"% made by: snakemake\n% too large for a paper: {artefact.artefact}.csv has it\n"
    assert long_latex(artefact, 60, 14) == many


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
    assert shown == html_table(tables)
    assert tables_of(f"<p>a</p>{shown}\n{shown}<p>b</p>") == f"{shown}\n{shown}"


def test_a_panel_has_the_rows_that_have_a_cell_in_it():
    columns = [(f"column {i}", "ours") for i in range(12)]
    cells = {column: dict.fromkeys(["nurse", "pilot", "judge"], NOTHING) for column in columns}
    cells[columns[0]] |= {"nurse": "0.11", "judge": NO_INPUT}
    cells[columns[-1]] |= {"pilot": "0.22"}
    text = pd.DataFrame(cells)
    table = Table(text, text == "", text.map(lambda cell: ""))
    made = latex_table(table, Artefact("p", "a", "A table", "", "", 2, {}, {}), [], "")
    first, *_, last = made.split(r"\begin{tabular}")[1:]
    assert [name in first for name in text.index] == [True, False, True]
    assert [name in last for name in text.index] == [False, True, False]
