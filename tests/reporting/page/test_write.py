"""The pages of a small run, made by hand: two artefacts of a paper, and one beside it."""

import json
import re
import zipfile
from dataclasses import replace

import pandas as pd
import pytest

from socialbias.reporting.artefact import Artefact
from socialbias.reporting.exports.record import RunRecord
from socialbias.reporting.finish import finish
from socialbias.reporting.page import write_pages
from socialbias.reporting.page.items import Items
from socialbias.reporting.page.shown import Shown, anchor
from tests.records import cell, value

ROWS = {row: f"row {row}" for row in "abcd"}
HOW = "census is not here: get it"
RECORD = RunRecord(
    run="mine",
    seed=7,
    command="snakemake",
    machine="a loom",
    version="socialbias 9, commit abc",
    written="2030-01-02T03:04:00+00:00",
    config={},
    inputs={},
    missing=[{"name": "census", "what": "Shares of jobs.", "how": HOW}],
    models={},
)
CLAIM = """
- {{id: {0}, paper: demo, place: section 1, text: It rises.,
   predicate: "value('demo_{0}', 'd', 'x') > 0"}}
"""
UNITS = "share: {nothing: '0', direction: above 0 is more}"
PICTURE = "<svg xmlns='http://www.w3.org/2000/svg'/>"


def artefact(paper, name, title):
    shows = "What it shows. And more of Garg et al. 2018 that stands below."
    return Artefact(paper, name, title, shows, "share", 1, ROWS, {"x": "X"})


TABLES = [
    artefact("demo", "table1", "Table 1: one"),
    artefact("demo", "table2", "Table 2: two"),
    artefact("beside", "extra", "Beside Table 1: more"),
]


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    """Writes the pages: `filled` are the artefacts that have numbers; all have a picture.

    The same pages are written once, as tests only read them.
    """
    made = {}

    def once(**how):
        key = repr(how)
        made[key] = made.get(key) or write(tmp_path_factory.mktemp("run"), **how)
        return made[key]

    def write(folder, filled=("table1", "extra"), fidelity="substitute", behind="", items=None):
        resources, results = folder / "resources", folder / "results"
        (resources / "published").mkdir(parents=True, exist_ok=True)
        facts = "{title: On Rows, authors: [Ada Lovelace], year: 1843, venue: Notes, doi: 10.1/x}"
        (resources / "papers.yaml").write_text(f"demo: {facts}\nother: {facts}")
        (resources / "claims.yaml").write_text(CLAIM.format("table1") + CLAIM.format("table2"))
        (resources / "findings.yaml").write_text("")
        (resources / "units.yaml").write_text(UNITS)
        for name in ("table1", "table2"):
            printed = "".join(f"{row},x,{i}.0,\n" for i, row in enumerate(ROWS))
            path = resources / "published" / f"demo_{name}.csv"
            path.write_text(f"row,column,value,note\n{printed}")
        for table in TABLES:
            full = table.artefact in filled
            said = {"unit": "share", "n": 3.0, "n_unit": "items"}
            records = [value(r, "x", float(i), draws=float(i), **said) for i, r in enumerate(ROWS)]
            cells = [cell(row, "x", "" if full else HOW, fidelity) for row in table.rows]
            output = results / table.paper / f"{table.artefact}.values.csv"
            published = resources / "published" / f"{table.name}.csv"
            finish(records if full else [], table, cells, published, 1, output)
            (results / table.paper / f"{table.artefact}.svg").write_text(PICTURE)
        manifest = {"source": "news", "title": "News", "licence": "none", "files": []}
        manifest["stands_in_for"] = "older news"
        (folder / "manifest.json").write_text(json.dumps(manifest))
        bound = {"manifest": str(folder / "manifest.json"), "fidelity": fidelity}
        record = replace(RECORD, inputs={"text": bound})
        audit = "paper,place,printed,implied,arithmetic,verdict\ndemo,Table 1,1,1,1 = 1,agrees\n"
        (results / "print_audit.csv").write_text(audit)
        named = {"text": "a loom of news"} if fidelity == "substitute" else {}
        tables = [replace(table, behind=behind, stand_ins=named) for table in TABLES]
        write_pages(results / "index.html", tables, resources, record, items=items)
        return results

    return once


def text_of(html):
    """The text that a reader sees; every tag but those inside a sentence parts words."""
    inline = r"</?(a|b|cite|code|em|span|strong)\b[^>]*>"
    return " ".join(re.sub(r"<[^>]+>", " ", re.sub(inline, "", html)).split())


@pytest.fixture
def first(written):
    """Writes the pages and reads the first one."""
    return lambda **options: (written(**options) / "index.html").read_text("utf-8")


@pytest.fixture
def paper(written):
    """Writes the pages and reads that of the paper, or of what belongs to none."""
    return lambda name="demo", **options: (written(**options) / f"{name}.html").read_text("utf-8")


def result(html):
    """The text of the first screen."""
    return text_of(html.partition('<div class="page"')[2].partition('id="claims"')[0])


def test_the_first_screen_names_papers_run_commit_and_machine(first):
    said = result(first())
    assert "Ada Lovelace: On Rows, Notes, 1843. doi:10.1/x" in said
    assert said.count("On Rows") == 1  # no artefact of the other paper is shown
    assert "Run mine, seed 7." in said
    assert "Page written on 2030-01-02 03:04 UTC by socialbias 9, commit abc on a loom." in said


def test_the_first_screen_says_the_result_and_draws_it(first):
    html = first()
    said = result(html)
    assert "1 printed column could be compared on other inputs than the paper&#39;s." in said
    assert "Of 2 claims of the papers, 1 holds, 0 fail, 0 are open and 1 has no input." in said
    assert "other inputs than the paper&#39;s: 1 of the 1 that hold or fail." in said
    assert "4 of 12 numbers could not be computed." in said
    assert "the numbers that need them: shares of jobs (4)." in said
    bars = re.findall(r'class="bar" role="img" aria-label="(.*?)"', html)
    assert bars[:3] == [
        "1 open",
        "1 holds, 1 no input",
        "4 open, 4 not compared, 4 no input",
    ]


def test_a_claim_says_its_parts_what_it_was_tested_on_and_what_it_needs(first):
    html = first()
    rows = [text_of(re.search(rf'<tr id="table{i}">.*?</tr>', html, re.S)[0]) for i in (1, 2)]
    assert "holds 1 yes, 0 no, 0 open of 1 a loom of news" in rows[0]
    assert f"To decide it: {HOW}" in rows[1]
    assert "no input 0 yes, 0 no, 1 open of 1" in rows[1]


def test_the_result_comes_before_claims_findings_papers_audit_and_inputs(first):
    html = first()
    places = ["key", "claims", "findings", "artefacts", "audit", "inputs"]
    positions = [html.index(f'id="{place}"') for place in places]
    assert positions == sorted(positions)


def test_a_number_leads_to_some_of_what_it_rests_on(written):
    shown = pd.DataFrame({"sentence": ["It <b> rests."], "score": ["2"]})
    items = [Items(("x of a", "all"), "Row a", "1 of 9 sentences.", shown)]
    items += [Items(("other", "all"), "Others", "None.", shown.iloc[:0])]
    results = written(behind="x of {row}", items={"demo": items})
    numbers = (results / "demo.html").read_text("utf-8")
    assert numbers.count('href="demo.items.html#x_of_a"') == 1  # of the four rows one
    behind = (results / "demo.items.html").read_text("utf-8")
    assert '<h2 id="x_of_a">Row a' in behind
    assert "<td>It &lt;b&gt; rests.</td><td>2</td>" in behind
    archive = zipfile.ZipFile(results / "mine.zip")
    assert "mine/demo.items.html" in archive.namelist()
    assert "items.html" not in (results / "all.csv").read_text("utf-8")


def test_each_artefact_has_a_line_with_what_came_of_it(first):
    rows = [text_of(row) for row in re.findall(r"<tr><th scope=\"row\">.*?</tr>", first(), re.S)]
    assert rows[0] == "Table 1: one 1 column compared: 1 open."
    assert rows[1] == (
        "Table 2: two Nothing could be compared with the paper; 4 numbers in all, 4 without input."
    )
    assert rows[2].startswith("Beside Table 1: more What it shows. 4 numbers that the paper has")


def test_numbers_judged_one_by_one_are_said_so(first):
    rows = [text_of(row) for row in re.findall(r"<tr><th.*?</tr>", first(fidelity="exact"), re.S)]
    assert "Table 1: one 4 numbers compared: 4 equal." in rows


def test_every_page_names_all_artefacts_and_marks_its_own(first, paper):
    for html in (first(), paper()):
        contents = text_of(re.search(r"<nav.*?</nav>", html, re.S)[0])
        assert contents.endswith(
            "Lovelace 1843 Table 1: one Table 2: two Beside Beside Table 1: more"
        )
    assert 'href="#demo_table1"' in paper()
    assert 'href="beside.html#beside_extra"' in paper()


def test_a_picture_is_shown_only_where_it_holds_a_number_of_ours(paper):
    html = paper()  # all have a picture, as an earlier run would have left it behind
    sections = re.findall(r"<section>.*?</section>", html, re.S)
    assert ["<img" in section for section in sections] == [True, False]
    assert ["No picture: " in section for section in sections] == [False, True]
    assert ["demo/table2.png" in section for section in sections] == [False, False]
    assert "demo/table1.png" in sections[0]


def test_a_run_without_any_number_is_a_page_too(written):
    results = written(filled=())
    assert "<img" not in (results / "demo.html").read_text("utf-8")
    html = (results / "index.html").read_text("utf-8")
    assert "No column of numbers could be compared" in html


def test_missing_inputs_say_what_they_are_and_how_to_get_them(first):
    inputs = text_of(first().partition('id="inputs"')[2])
    assert f"census Shares of jobs. no input: {HOW}" in inputs


def test_every_cell_has_an_address_and_its_column_says_how_to_read_it(paper):
    html = paper()
    section = re.search(r"<section>.*?</section>", html, re.S)[0]
    for row in ROWS:
        assert section.count(f'<tr id="demo_table1.{row}.x">') == 1
        assert f'<a href="#demo_table1.{row}.x">row {row}</a>' in section
    columns = section.partition("<h3>Its columns</h3>")[2]
    assert "<td>share</td><td>0</td><td>above 0 is more</td>" in columns
    assert '<pre id="make-demo_table1">snakemake demo_table1</pre>' in section


def test_addresses_need_no_escape_and_differ_where_cells_differ():
    assert anchor("demo", "a b", "x|y;z@w") == "demo.a_b.x_y;z@w"


def test_all_numbers_in_one_table_with_labels_print_and_unit(written):
    results = written()
    table = pd.read_csv(results / "all.csv")
    assert len(table) == 12
    one = table[(table["artefact"] == "table1") & (table["row"] == "c")].iloc[0]
    said = one[["paper", "title", "row_label", "column_label", "printed", "value", "unit"]]
    assert said.tolist() == ["demo", "Table 1: one", "row c", "X", 2.0, 2.0, "share"]
    assert len(json.loads((results / "all.json").read_text("utf-8"))) == 12
    assert len(pd.read_parquet(results / "all.parquet")) == 12


def test_the_archive_has_the_pages_and_the_data_and_no_dead_link(written):
    results = written()
    with zipfile.ZipFile(results / "mine.zip") as archive:
        names = {name.removeprefix("mine/") for name in archive.namelist()}
        pages = [name for name in names if name.endswith(".html")]
        links = {
            link.partition("#")[0]
            for page in pages
            for link in re.findall(r'href="([^"]*)"', archive.read(f"mine/{page}").decode())
            if not link.startswith(("https://doi.org", "data:", "#"))
        }
    missing = {"mine.zip", "all.json", "all.parquet"}  # itself, and what all.csv has too
    assert links - names - missing == {"demo/table1.pdf", "demo/table1.png"} | {
        "beside/extra.pdf",
        "beside/extra.png",
    }  # no figure job ran here


def test_a_cell_has_the_qualities_that_any_of_its_artefact_has():
    nothing = dict.fromkeys(("reliability", "ceiling", "detectable"), float("nan"))
    cells = [nothing | {"reliability": 0.25, "ceiling": 0.5, "detectable": 1.2}, nothing]
    shown = Shown(TABLES[0], "", "", cells, [], {})
    assert shown.qualities == ["reliability", "ceiling", "detectable"]
    said = [[shown.quality(cell, name) for name in shown.qualities] for cell in cells]
    assert said == [["0.25", "0.50", "none"], ["", "", ""]]  # no correlation is 1.2
    bias = nothing | {"detectable": 1.2}
    assert Shown(TABLES[0], "", "", [bias], [], {}).qualities == ["detectable"]
    assert shown.quality(bias, "detectable") == "1.2"


def test_the_page_has_no_column_of_qualities_that_no_cell_has(paper):
    assert ">reliability</th>" not in paper()
