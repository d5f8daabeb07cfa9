"""The page of a small run, made by hand: two artefacts of a paper, and one beside it."""

import re
from datetime import UTC, datetime

import pytest

from socialbias.reporting.artefact import Artefact
from socialbias.reporting.finish import finish
from socialbias.reporting.page import Run, write_page
from socialbias.reporting.summary import MissingInput
from socialbias.reporting.values import NO_INPUT, value

ROWS = {row: f"row {row}" for row in "abcd"}
RUN = Run(
    "mine", 7, "snakemake", "socialbias 9, commit abc", datetime(2030, 1, 2, 3, 4, tzinfo=UTC)
)
HOW = "census is not here: get it"
CLAIM = """
- {{id: {0}, paper: demo, place: section 1, text: It rises.,
   predicate: "value('demo_{0}', 'd', 'x') > 0"}}
"""
PICTURE = "<svg xmlns='http://www.w3.org/2000/svg'/>"


def artefact(paper, name, title):
    shows = "What it shows. And more of Garg et al. 2018 that stands below."
    return Artefact(paper, name, title, shows, "share", 1, ROWS, {"x": "X"})


TABLES = [
    artefact("demo", "table1", "Table 1: one"),
    artefact("demo", "table2", "Table 2: two"),
    artefact("beside", "extra", "Beside Table 1: more"),
]


@pytest.fixture
def written(tmp_path):
    """Writes the page: `filled` are the artefacts that have numbers; all have a picture."""

    def write(filled=("table1", "extra"), fidelity="substitute"):
        resources, results = tmp_path / "resources", tmp_path / "results"
        (resources / "published").mkdir(parents=True)
        facts = "{title: On Rows, authors: [Ada Lovelace], year: 1843, venue: Notes, doi: 10.1/x}"
        (resources / "papers.yaml").write_text(f"demo: {facts}\nother: {facts}")
        (resources / "claims.yaml").write_text(CLAIM.format("table1") + CLAIM.format("table2"))
        (resources / "findings.yaml").write_text("")
        for name in ("table1", "table2"):
            printed = "".join(f"{row},x,{i}.0,\n" for i, row in enumerate(ROWS))
            path = resources / "published" / f"demo_{name}.csv"
            path.write_text(f"row,column,value,note\n{printed}")
        for table in TABLES:
            full = table.artefact in filled
            said = {"fidelity": fidelity, "sources": "news", "unit": "share"}
            records = [value(r, "x", float(i), draws=float(i), **said) for i, r in enumerate(ROWS)]
            cells = [
                {"row": row, "column": "x", "reason": "" if full else HOW} for row in table.rows
            ]
            output = results / table.paper / f"{table.artefact}.values.csv"
            published = resources / "published" / f"{table.name}.csv"
            finish(records if full else [], table, cells, published, 1, output)
            (results / table.paper / f"{table.artefact}.svg").write_text(PICTURE)
        audit = "paper,place,printed,implied,arithmetic,verdict\ndemo,Table 1,1,1,1 = 1,agrees\n"
        (results / "print_audit.csv").write_text(audit)
        missing = [MissingInput("census", "Shares of jobs.", HOW)]
        write_page(results / "index.html", TABLES, resources, {}, {}, missing, RUN)
        return (results / "index.html").read_text("utf-8")

    return write


def text_of(html):
    """The text that a reader sees; every tag but those inside a sentence parts words."""
    inline = r"</?(a|b|cite|code|em|span|strong)\b[^>]*>"
    return " ".join(re.sub(r"<[^>]+>", " ", re.sub(inline, "", html)).split())


def scoreboard(html, number):
    """One table of the scoreboard: its headings, and the text of its rows."""
    table = re.findall(r"<table>.*?</table>", html, re.S)[number]
    headings = re.findall(r"<th\b[^>]*>(.*?)</th>", table.partition("</thead>")[0])
    return headings, [text_of(row) for row in re.findall(r"<tr>.*?</tr>", table, re.S)[1:]]


def test_the_first_screen_names_papers_run_and_commit(written):
    first = text_of(written().partition("</header>")[0])
    assert "Ada Lovelace: On Rows, Notes, 1843. doi:10.1/x" in first
    assert first.count("On Rows") == 1  # no artefact of the other paper is shown
    assert "Run mine, seed 7." in first
    assert "Page written on 2030-01-02 03:04 UTC by socialbias 9, commit abc." in first


def test_the_first_screen_says_the_result(written):
    first = text_of(written().partition("</header>")[0])
    assert "Of the 1 column that could be compared with a paper&#39;s, 1 orders its rows" in first
    assert "0 hold, 0 fail and 1 is undetermined" in first
    assert "of what stands in for it, 1 hold and 0 fail." in first
    assert "Of 12 numbers, 4 could not be computed (no input)" in first
    assert "What would give those without input: shares of jobs (4)." in first


def test_the_result_comes_before_the_artefacts_and_the_links_by_paper(written):
    html = written()
    places = ["scoreboard", "key", "claims", "findings", "demo_table1", "audit", "inputs"]
    positions = [html.index(f'id="{place}"') for place in places]
    assert positions == sorted(positions)
    contents = text_of(re.search(r"<nav.*?</nav>", html, re.S)[0])
    assert contents.endswith("Lovelace 1843 Table 1 Table 2 Beside extra")


def test_the_scoreboard_has_no_column_of_zeros(written):
    html = written()
    headings, rows = scoreboard(html, 0)
    assert headings[:4] == ["artefact", "numbers", "judged by column", "columns agree"]
    assert headings[4:] == ["would agree by chance", "no input"]
    assert rows[0] == "Lovelace 1843"
    assert rows[1].startswith("Table 1: one 4 4 1 ")
    assert rows[2] == "Table 2: two 4 0 0 – 4"
    assert rows[3].startswith("together 8 4 1 ")


def test_what_has_no_number_in_the_paper_stands_apart_with_what_it_is(written):
    headings, rows = scoreboard(written(), 1)
    assert headings == ["artefact", "what it is", "numbers"]
    assert rows == ["Beside", "Beside Table 1: more What it shows. 4", "together 4"]


def test_numbers_judged_one_by_one_get_their_columns(written):
    headings, rows = scoreboard(written(fidelity="exact"), 0)
    assert headings == ["artefact", "numbers", "exact", "would pass by chance", "no input"]
    assert rows[1] == "Table 1: one 4 4 1.0 0"  # each of 4 numbers passes with 1 of 4 printed ones


def test_a_picture_is_shown_only_where_it_holds_a_number_of_ours(written):
    html = written()  # all three have a picture, as an earlier run would have left it behind
    sections = re.findall(r"<section>.*?</section>", html, re.S)
    assert ["<img" in section for section in sections] == [True, False, True]
    assert ["No picture: " in section for section in sections] == [False, True, False]
    assert ["demo/table2.svg" in section for section in sections] == [False, False, False]
    assert "demo/table1.svg" in sections[0]


def test_a_run_without_any_number_is_a_page_too(written):
    html = written(filled=())
    assert "<img" not in html
    assert "No column of numbers could be compared" in html
    assert scoreboard(html, 0)[0] == ["artefact", "numbers", NO_INPUT]


def test_missing_inputs_say_what_they_are_and_how_to_get_them(written):
    inputs = text_of(written().partition('id="inputs"')[2])
    assert f"census Shares of jobs. no input: {HOW}" in inputs


def test_a_cell_has_the_qualities_that_any_of_its_artefact_has():
    from socialbias.reporting.page import Shown

    nothing = dict.fromkeys(("reliability", "ceiling", "detectable"), float("nan"))
    cells = [nothing | {"reliability": 0.25, "ceiling": 0.5, "detectable": 1.2}, nothing]
    shown = Shown(TABLES[0], "", "", cells, [], {})
    assert shown.qualities == ["reliability", "ceiling", "detectable"]
    said = [[shown.quality(cell, name) for name in shown.qualities] for cell in cells]
    assert said == [["0.25", "0.50", "none"], ["", "", ""]]  # no correlation is 1.2
    bias = nothing | {"detectable": 1.2}
    assert Shown(TABLES[0], "", "", [bias], [], {}).qualities == ["detectable"]
    assert shown.quality(bias, "detectable") == "1.2"


def test_the_page_has_no_column_of_qualities_that_no_cell_has(written):
    assert '<th class="n">reliability</th>' not in written()
