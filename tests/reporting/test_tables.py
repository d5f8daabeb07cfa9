import csv

import pandas as pd
import pytest

from socialbias.reporting.artefact import Artefact
from socialbias.reporting.tables import html_table, latex_table, reading_table, write_tables
from socialbias.reporting.values import value, values_table


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
        value("nurse", "emb@code", -0.12345, q_value=0.05, **said),
        value("law", "emb@code", 0.5, q_value=0.0501, **said),
        value("pilot", "emb@code", float("nan"), **nothing),
        value("nurse", "text", 2.0, **said),
        value("law", "text", -0.5, **said | {"n": 3, "n_unit": "contexts"}),
    ]
    printed = [("nurse", "emb", "-0.12"), ("law", "emb", "0.5"), ("pilot", "emb", "")]
    published = pd.DataFrame(printed, columns=["row", "column", "value"])
    return reading_table(values_table("table9", records, 1), published, artefact)


def test_text_has_the_printed_digits_ours_a_real_minus_and_no_input(tables):
    text, _ = tables
    assert text["word_2vec", "print"].to_list() == ["−0.12", "0.5", "–"]
    assert text["word_2vec", "code lists"].to_list() == ["−0.123", "0.500", "no input"]
    assert text["text", "print"].to_list() == ["–", "–", "–"]
    assert text["text", "ours"].to_list() == ["2.000", "(−0.500)", "–"]
    assert list(text.index) == ["nurse", "law & order_50%", "<pilot>"]


@pytest.mark.parametrize(
    ("printed", "ours", "shown"),
    [
        ("40", 40.0, "40"),
        ("40", 40.5, "40.500"),
        ("40.0", 40.0, "40.000"),
        ("", 40.0, "40"),
        ("", 1.0, "1.000"),
    ],
)
def test_a_column_of_counts_has_no_decimals(artefact, printed, ours, shown):
    table = values_table("table9", [value("nurse", "text", ours, fidelity="exact")], 1)
    published = pd.DataFrame([("nurse", "text", printed)], columns=["row", "column", "value"])
    text, _ = reading_table(table, published, artefact)
    assert text["text", "ours"].iloc[0] == shown


def test_a_whole_number_beside_one_in_print_has_no_decimals(artefact):
    said = {"fidelity": "exact"}
    records = [value("nurse", "text", 40.0, **said), value("law", "text", 0.5, **said)]
    printed = [("nurse", "text", "41"), ("law", "text", "0.4")]
    published = pd.DataFrame(printed, columns=["row", "column", "value"])
    text, _ = reading_table(values_table("table9", records, 1), published, artefact)
    assert text["text", "ours"].tolist() == ["40", "0.500", "–"]


def test_bold_is_ours_where_p_is_at_most_5_per_cent(tables):
    _, bold = tables
    assert bold["word_2vec", "code lists"].to_list() == [True, False, False]
    assert not bold.drop(columns=("word_2vec", "code lists")).to_numpy().any()


def test_html_marks_what_is_significant_and_what_has_no_input_and_escapes(tables):
    html = html_table(*tables)
    assert '<td class="significant">−0.123</td>' in html
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
    sides = ["print", "ours", "ours, null"]
    columns = pd.MultiIndex.from_product([list(labels), sides])
    cells = pd.DataFrame("1", index=["a", "b"], columns=columns)
    cells.loc[:, (slice(None), "print")] = printed
    return cells, cells == "never"


def test_a_wide_table_stands_in_parts_in_html_without_rows_of_nothing():
    text, bold = wide("klmnopqr", "2")  # 24 columns: six labels and two
    text.loc["b", ["q", "r"]] = "–"
    first, second = html_table(text, bold).split("</table>\n")
    assert [first.count("colgroup"), second.count("colgroup")] == [6, 2]
    assert [part.count('scope="row"') for part in (first, second)] == [2, 1]
    assert second.count('<td class="print">2</td>') == 2
    assert second.count('<td class="ours">1</td>') == 4


def test_html_has_no_columns_of_print_where_nothing_is_printed():
    html = html_table(*wide("klm", "–"))
    assert html.count("<table") == 1
    assert 'class="print"' not in html
    assert html.count('colspan="2"') == 3


def test_latex_is_bold_where_significant_with_a_real_minus(tables, artefact):
    latex = latex_table(*tables, artefact)
    assert r"\textbf{$-$0.123}" in latex
    assert r"\textbf{0.500}" not in latex
    assert "no input" in latex
    assert r"\toprule" in latex
    assert r"\label{tab:demo-table9}" in latex


@pytest.mark.parametrize("text", [r"law \& order\_50\%", r"word\_2vec", r"R\&D, 95 \% of A\_B"])
def test_latex_escapes_what_it_would_take_for_commands(tables, artefact, text):
    assert text in latex_table(*tables, artefact)


def test_files_are_written_whole_with_ascii_minus_in_the_csv(tables, artefact, tmp_path):
    stem = tmp_path / "table9"
    write_tables(*tables, artefact, stem)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["table9.csv", "table9.html", "table9.tex"]
    with stem.with_suffix(".csv").open(encoding="utf-8") as file:
        rows = list(csv.reader(file))
    assert rows[0][:3] == ["row", "word_2vec, print", "word_2vec, code lists"]
    assert rows[1] == ["nurse", "-0.12", "-0.123", "", "2.000"]
    assert rows[3] == ["<pilot>", "", "no input", "", ""]
