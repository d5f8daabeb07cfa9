"""The pages of a small run, made by hand: two artefacts of a paper, and one beside it."""

import json
import re
import zipfile
from dataclasses import replace

import pandas as pd
import pytest
from PIL import Image

from socialbias.reporting.artefact import Artefact
from socialbias.reporting.page import write_pages
from socialbias.reporting.page.items import Items
from socialbias.reporting.page.shown import Shown, anchor
from socialbias.reporting.write_artefact import finish
from tests.records import cell, value
from tests.worlds.runs import RUN_RECORD

ROWS = {row: f"row {row}" for row in "abcde"}
HOW = "census is not here: get it"
CLAIMS = """
demo:
- {id: table1, place: section 1, text: It rises., kind: general, headline: true,
   predicate: "value('demo_table1', 'd', 'x') > 0"}
- {id: table2, place: section 1, text: It rises too., kind: particular,
   predicate: "value('demo_table2', 'd', 'x') > 0"}
"""
FINDING = """
demo:
- {id: late, place: table 1, text: It was one less.,
   predicate: "value('demo_table1', 'b', 'x') < printed('demo_table1', 'b', 'x')"}
"""
ANSWERS = """
- {paper: demo, question: "Does it rise?", artefact: demo_table1, numbers: ["*|x"], nothing: 1,
   text: "{above} of {known} rise, to {largest}."}
- {paper: demo, question: "Does the other?", artefact: demo_table2, numbers: ["*|x"], nothing: 1,
   text: "{above} do."}
- {paper: demo, question: "By how much?", artefact: demo_table1, numbers: ["*|x"], nothing: 1,
   first_page: false, text: "By {d|x}."}
"""
KINDS = [{"kind": "measured", "repeats": "", "rows": ["*"], "columns": ["*"]}]
UNITS = "share: {nothing: '0', direction: above 0 is more}"


def artefact(paper, name, title):
    shows = "What it shows. And more of Garg et al. 2018 that stands below."
    return Artefact(paper, name, title, shows, "share", 1, ROWS, {"x": "X"}, kinds=KINDS)


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

    def write(
        folder, filled=("table1", "extra"), fidelity="substitute", behind="", items=None, off=0
    ):
        resources, results = folder / "resources", folder / "results"
        (resources / "published").mkdir(parents=True, exist_ok=True)
        facts = "{title: On Rows, authors: [Ada Lovelace], year: 1843, venue: Notes, doi: 10.1/x}"
        (resources / "papers.yaml").write_text(f"demo: {facts}\nother: {facts}")
        (resources / "claims.yaml").write_text(CLAIMS)
        (resources / "findings.yaml").write_text(FINDING)
        (resources / "answers.yaml").write_text(ANSWERS)
        (resources / "units.yaml").write_text(UNITS)
        for name in ("table1", "table2"):
            printed = "".join(f"{row},x,{i + off}.0,\n" for i, row in enumerate(ROWS))
            path = resources / "published" / f"demo_{name}.csv"
            path.write_text(f"row,column,value,note\n{printed}")
        pictures = {}
        for table in TABLES:
            full = table.artefact in filled
            said = {"unit": "share", "n": 3.0, "n_unit": "items"}
            records = [value(r, "x", float(i), draws=float(i), **said) for i, r in enumerate(ROWS)]
            cells = [cell(row, "x", "" if full else HOW, fidelity) for row in table.rows]
            output = results / table.paper / f"{table.artefact}.values.csv"
            published = resources / "published" / f"{table.name}.csv"
            finish(records if full else [], table, cells, published, 1, output)
            pictures[table.name] = results / table.paper / f"{table.artefact}.png"
            Image.new("RGB", (4, 2)).save(pictures[table.name])
            pictures[table.name].with_suffix(".caption.txt").write_text(
                f"{table.title}. A caption."
            )
        manifest = {"source": "news", "title": "News", "licence": "none", "files": []}
        (folder / "manifest.json").write_text(json.dumps(manifest))
        bound = {"manifest": str(folder / "manifest.json"), "fidelity": fidelity}
        bound["original"] = "older news"
        missing = [{"name": "census", "what": "Shares of jobs.", "how": HOW}]
        record = replace(RUN_RECORD, inputs={"text": bound}, missing=missing)
        audit = "paper,place,printed,implied,arithmetic,verdict\ndemo,Table 1,1,1,1 = 1,agrees\n"
        (results / "print_audit.csv").write_text(audit)
        named = {"text": "a loom of news"} if fidelity == "substitute" else {}
        tables = [replace(table, behind=behind, stand_ins=named) for table in TABLES]
        drawn = {name: pictures[name] for name in pictures if name.endswith(filled)}
        write_pages(results / "index.html", tables, resources, record, items=items, pictures=drawn)
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


def test_a_paper_begins_with_its_own_answers(paper):
    said = text_of(paper().partition('<main id="main">')[2].partition("<section>")[0])
    assert "Does it rise? 0 of 5 rise" in said
    assert "By how much? By 3.0" in said
    assert "Does" not in text_of(paper("beside").partition('<main id="main">')[2])


def test_numbers_outside_the_papers_are_listed_by_cause(first):
    said = result(first(fidelity="exact", off=1))
    assert "For 5 of the numbers on the papers' own inputs, the printed number differs" in said
    assert "1 number in Lovelace 1843, Table 1: one. It was one less. Evidence" in said
    assert "4 numbers in Lovelace 1843, Table 1: one. No finding explains them:" in said
    assert "Table 1, row a, X, 0.0 (paper: 1.0); Table 1, row c, X, 2.0 (paper: 3.0);" in said
    assert "Table 1, row b" not in said


def test_a_claim_says_its_parts_what_it_was_tested_on_and_what_it_needs(first):
    html = first()
    rows = [text_of(re.search(rf'<tr id="table{i}">.*?</tr>', html, re.S)[0]) for i in (1, 2)]
    assert "unclear 0 yes, 0 no, 1 open of 1 a loom of news" in rows[0]
    assert f"To decide it: {HOW}" in rows[1]
    assert "no input 0 yes, 0 no, 1 open of 1" in rows[1]


def test_the_result_comes_before_claims_findings_papers_audit_and_inputs(first):
    html = first()
    places = ["counts", "answers-found", "headlines", "outside", "missing", "key", "claims"]
    places += ["findings", "artefacts", "audit", "inputs"]
    positions = [html.index(f'id="{place}"') for place in places]
    assert positions == sorted(positions)


def test_a_number_leads_to_some_of_what_it_rests_on(written):
    shown = pd.DataFrame({"sentence": ["It <b> rests."], "score": ["2"]})
    items = [Items(("x of a", "all"), "Row a", "1 of 9 sentences.", shown)]
    items += [Items(("other", "all"), "Others", "None.", shown.iloc[:0])]
    results = written(behind="x of {row}", items={"demo": items})
    numbers = (results / "demo.html").read_text("utf-8")
    assert numbers.count('href="demo.items.html#x_of_a"') == 1  # of the five rows one
    behind = (results / "demo.items.html").read_text("utf-8")
    assert '<h2 id="x_of_a">Row a' in behind
    assert "<td>It &lt;b&gt; rests.</td><td>2</td>" in behind
    archive = zipfile.ZipFile(results / "mine.zip")
    assert "mine/demo.items.html" in archive.namelist()
    assert "items.html" not in (results / "all.csv").read_text("utf-8")


def test_each_artefact_has_a_line_with_what_came_of_it(first):
    html = first().partition('id="artefacts"')[2]
    rows = [text_of(row) for row in re.findall(r"<tr><th scope=\"row\">.*?</tr>", html, re.S)]
    numbers, columns = "5 printed numbers: 5 on other inputs", "1 ranked column: 1 agrees"
    assert rows[0] == f"Table 1: one {numbers}; {columns}."
    assert rows[1] == "Table 2: two 5 printed numbers: 5 no input."
    assert rows[2].startswith("Beside Table 1: more What it shows. 5 numbers that are not in the")
    rows = [text_of(row) for row in re.findall(r"<tr><th.*?</tr>", first(fidelity="exact"), re.S)]
    assert "Table 1: one 5 printed numbers: 5 equal." in rows


def test_every_page_names_all_artefacts_and_marks_its_own(first, paper):
    for html in (first(), paper()):
        contents = text_of(re.search(r"<nav.*?</nav>", html, re.S)[0])
        assert contents.endswith(
            "Lovelace 1843 Table 1: one Table 2: two Beside Beside Table 1: more"
        )
    assert 'href="#demo_table1"' in paper()
    assert 'href="beside.html#beside_extra"' in paper()


def test_a_picture_is_shown_with_its_caption_only_where_this_run_draws_it(paper):
    html = paper()  # all have a picture, as an earlier run would have left it behind
    sections = re.findall(r"<section>.*?</section>", html, re.S)
    assert ["<img" in section for section in sections] == [True, False]
    assert "<figcaption>Table 1: one. A caption.</figcaption>" in sections[0]
    assert ["demo/table2.png" in section for section in sections] == [False, False]
    assert "demo/table1.png" in sections[0]


def test_a_run_without_inputs_is_a_page_that_answers_nothing(first, written):
    said = result(first(filled=()))
    assert "2 questions could not be answered because inputs are missing: Does it rise?" in said
    assert "It rises. (Lovelace 1843, section 1) This run: no input: it could not" in said
    results = written(filled=())
    assert "<img" not in (results / "demo.html").read_text("utf-8")
    html = (results / "index.html").read_text("utf-8")
    said = "No number that the papers measured was recomputed on their own inputs. Of 10 printed"
    assert said in text_of(html)
    assert "could be ranked" not in html


def test_the_first_screen_says_what_was_run_answered_compared_and_missing(first):
    said, text = result(first()), text_of(first())
    assert "Papers: Lovelace 1843. Run mine, seed 7." in said
    assert "Page written on 2030-01-02 03:04 UTC by socialbias 9, commit abc on a loom." in said
    assert "Does it rise? 0 of 5 rise, to 4.0 (paper: 4.0) for row e." in said
    assert "order of rows agrees with the paper&#39;s (rank correlation 1.00," in said
    assert "1 question could not be answered because inputs are missing: Does the other?" in said
    assert "By how much?" not in said
    assert "It rises. (Lovelace 1843, section 1) This run: unclear: the data named here" in said
    assert "It rises too." not in said
    first_sentence = "No number that the papers measured was recomputed on their own inputs."
    assert said.index(first_sentence) < said.index("Printed numbers by kind") < said.index("Does")
    assert "measured 10 0 0.0 0 0 0.0 0 0 0 5 5" in said  # beside print, and without input
    assert "5 of 10 printed numbers could not be computed." in said
    assert "5 numbers: Shares of jobs." in said
    assert "On other inputs, 1 measured column could be ranked: 1 orders its rows" in said
    assert "1 general claim was tested on other data: 0 agree, 0 disagree and 1 is" in said
    assert text.count("Ada Lovelace: On Rows, Notes, 1843. doi:10.1/x") == 1
    assert f"census Shares of jobs. no input: {HOW}" in text
    assert "News substitute for older news" in text_of(first())


def test_every_cell_has_an_address_and_its_column_says_how_to_read_it(paper):
    assert anchor("demo", "a b", "x|y;z@w") == "demo.a_b.x_y;z@w"
    html = paper()
    assert ">reliability</th>" not in html  # no cell has one
    section = re.search(r"<section>.*?</section>", html, re.S)[0]
    for row in ROWS:
        assert section.count(f'<tr id="demo_table1.{row}.x">') == 1
    columns = re.search(r'<details class="columns">.*?</details>', section, re.S)[0]
    assert '<th scope="col" class="n">outside</th>' not in columns  # it has none
    assert "<td>share</td><td>0</td><td>above 0 is more</td>" in columns
    assert '<pre tabindex="0" id="make-demo_table1">snakemake demo_table1</pre>' in section


def test_all_numbers_in_one_table_with_labels_print_and_unit(written):
    results = written()
    table = pd.read_csv(results / "all.csv")
    assert len(table) == 15
    one = table[(table["artefact"] == "table1") & (table["row"] == "c")].iloc[0]
    said = one[["paper", "title", "row_label", "column_label", "printed", "value", "unit"]]
    assert said.tolist() == ["demo", "Table 1: one", "row c", "X", 2.0, 2.0, "share"]
    assert len(json.loads((results / "all.json").read_text("utf-8"))) == 15
    assert len(pd.read_parquet(results / "all.parquet")) == 15


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
    assert links - names - missing == {"demo/table1.pdf", "beside/extra.pdf"}  # not drawn here


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
