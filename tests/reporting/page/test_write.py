"""The pages of a small run, made by hand: two artefacts of a paper, and one beside it."""

import json
import re
import zipfile
from dataclasses import replace
from html import unescape
from xml.etree import ElementTree

import pandas as pd
import pytest
from PIL import Image

from socialbias.reporting.artefact import Artefact
from socialbias.reporting.page import write_pages
from socialbias.reporting.page.items import Items
from socialbias.reporting.page.shown import anchor
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
KINDS = [{"kind": "measured", "repeats": "", "rows": ["*"], "columns": ["*"]}]
FULL_RUN = "{whole: It is 20 GB., inputs: {census: {gigabytes: 1.25, core_hours: 3.0}}}"
UNITS = "share: {nothing: '0', direction: above 0 is more}"


def artefact(paper, name, title):
    shows = "What it shows. And more of Garg et al. 2018 that stands below."
    return Artefact(paper, name, title, shows, "share", 1, ROWS, {"x": "X"}, kinds=KINDS)


TABLES = [
    artefact("demo", "table1", "Table 1: one"),
    artefact("demo", "table2", "Table 2: two"),
    artefact("beside", "extra", "Supplement to Table 1: more"),
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
        (resources / "units.yaml").write_text(UNITS)
        (resources / "full_run.yaml").write_text(FULL_RUN)
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
        drawn = [name for name in pictures if name.endswith(filled)]
        write_pages(results / "index.html", tables, resources, record, items=items, drawn=drawn)
        return results

    return once


def text_of(html):
    """The text that a reader sees; every tag but those inside a sentence parts words."""
    html = re.sub(r"<(script|style)\b.*?</\1>", "", html, flags=re.S)
    inline = r"</?(a|b|cite|code|em|span|strong)\b[^>]*>"
    return unescape(" ".join(re.sub(r"<[^>]+>", " ", re.sub(inline, "", html)).split()))


@pytest.fixture
def page(written):
    """Writes the pages and reads one of them."""
    return lambda name="index", **options: (written(**options) / f"{name}.html").read_text("utf-8")


def looks_of(html):
    """The squares of a page by address."""
    return dict(re.findall(r'<a href="#([^"]+)"><rect class="([^"]+)"', html))


def test_the_first_screen_says_what_was_recomputed_claimed_and_is_missing(page):
    html = page()
    said = text_of(html)
    assert "Of 10 printed numbers, 0 could be computed from the papers' own inputs. 5 were" in said
    assert "computed from other data, and 5 have no input." in said
    assert "No number that the papers measured was recomputed on their own inputs." in said
    assert "It rises. section 1 This run: unclear, in a loom of news." in said
    assert "It rises too." not in said  # no headline
    assert "Shares of jobs 5 1.2 GB 3.0" in said
    assert "It is 20 GB." in said
    assert "Lovelace 1843 0 of 1 checks" in said
    assert "Run mine, seed 7, 2030-01-02, socialbias 9, commit abc." in said
    dots = re.findall(r'<a href="claims.html#(\w+)".*?<circle class="([^"]+)"', html)
    assert dots == [("table1", "open hollow")]


def test_a_square_is_a_printed_number_and_its_look_what_came_of_it(page, written):
    cells = {table: [f"demo_{table}.{row}.x" for row in ROWS] for table in ("table1", "table2")}
    other = dict.fromkeys(cells["table1"], "same hollow")  # their column has the paper's order
    missing = dict.fromkeys(cells["table2"], "missing")
    assert looks_of(page()) == looks_of(page("demo")) == other | missing
    own = dict.fromkeys(cells["table1"], "same")
    assert looks_of(page(fidelity="exact")) == own | missing
    assert {*looks_of(page(fidelity="exact", off=1)).values()} == {"differs", "missing"}
    assert page().count("<circle") == 5 + 1  # points, and a claim
    picture = (written() / "overview.svg").read_text("utf-8")
    squares = ElementTree.fromstring(picture).findall(".//{*}g/{*}g/{*}rect")
    assert [square.get("class") for square in squares] == [*(other | missing).values()]


def test_the_script_knows_every_printed_number(page, written):
    data = json.loads(re.search(r'id="data">(.*?)</script>', page(fidelity="exact", off=1))[1])
    assert {*data["artefacts"]} == {"demo_table1", "demo_table2"}
    numbers = data["artefacts"]["demo_table1"]["numbers"]
    assert numbers["b.x"][1:4] == ["2.0", "1.0", ""]
    shared = [data["texts"][i] for i in numbers["b.x"][4:]]
    assert shared[:4] == ["row b", "3 items", "exact: news", "outside"]
    assert "explained by the finding late" in shared[4]
    assert data["artefacts"]["demo_table1"]["make"] == "snakemake demo_table1"
    loaded = (written() / "demo.js").read_text("utf-8")
    assert len(json.loads(loaded[len("loaded(") : -len(");\n")])["artefacts"]) == 2


def test_a_paper_has_a_section_for_what_was_computed_and_a_line_for_the_rest(page):
    html = page("demo")
    sections = re.findall(r"<section>.*?</section>", html, re.S)
    assert len(sections) == 2
    said = text_of(sections[0])
    assert said.startswith("Table 1: one Of 5 printed numbers, 5 are computed from other inputs.")
    assert "Table 1: one. A caption." in said
    assert "Make it again: snakemake demo_table1" in said
    assert 'src="demo/table1.png"' in sections[0]
    assert f"Table 2: two Of 5 printed numbers, 5 are without input. {HOW}" in text_of(sections[1])
    assert "demo/table2.png" not in html  # an earlier run would have left it behind


def test_every_page_leads_to_all_others(page):
    for name in ("index", "demo", "beside", "claims", "inputs", "measures"):
        links = re.findall(r'href="(\w+)\.html"', re.search(r"<nav.*?</nav>", page(name), re.S)[0])
        assert links == ["index", "demo", "beside", "claims", "inputs", "measures"]


def test_a_claim_says_its_parts_what_it_was_tested_on_and_what_it_needs(page):
    html = page("claims")
    rows = [text_of(re.search(rf'<tr id="table{i}">.*?</tr>', html, re.S)[0]) for i in (1, 2)]
    assert "unclear 0 yes, 0 no, 1 open of 1 a loom of news" in rows[0]
    assert f"To decide it: {HOW}" in rows[1]
    assert "no input 0 yes, 0 no, 1 open of 1" in rows[1]


def test_inputs_are_named_with_what_they_replace_and_what_is_missing(page):
    said = text_of(page("inputs"))
    assert f"census 1.2 GB, 3.0 core hours Shares of jobs. no input: {HOW}" in said
    assert "News news substitute for older news" in said


def test_a_number_leads_to_some_of_what_it_rests_on(written):
    shown = pd.DataFrame({"sentence": ["It <b> rests."], "score": ["2"]})
    items = [Items(("x of a", "all"), "Row a", "1 of 9 sentences.", shown)]
    items += [Items(("other", "all"), "Others", "None.", shown.iloc[:0])]
    results = written(behind="x of {row}", items={"demo": items})
    text = (results / "demo.js").read_text("utf-8")
    data = json.loads(text[len("loaded(") : -len(");\n")])
    numbers = data["artefacts"]["demo_table1"]["numbers"]
    file, what = (data["texts"][i] for i in numbers["a.x"][-2:])
    assert (file, what) == ("items/demo_1.csv", "Row a: 1 of 9 sentences.")
    assert len(numbers["a.x"]) == len(numbers["b.x"]) + 2  # of the five rows one
    assert pd.read_csv(results / file)["sentence"].tolist() == ["It <b> rests."]
    assert f"mine/{file}" in zipfile.ZipFile(results / "mine.zip").namelist()


def test_a_run_without_inputs_is_a_page_that_claims_nothing(page):
    html = page(filled=())
    assert {*looks_of(html).values()} == {"missing"}
    assert (
        "It rises. section 1 This run: no input: not tested, since inputs are missing."
        in text_of(html)
    )
    assert "could be ranked" not in html
    assert "<img" not in page("demo", filled=())


def test_an_address_of_a_number_needs_no_escape():
    assert anchor("demo", "a b", "x|y;z@w") == "demo.a_b.x_y;z@w"


def test_all_numbers_in_one_table_with_labels_print_and_unit(written):
    results = written()
    table = pd.read_csv(results / "all.csv")
    assert len(table) == 15
    one = table[(table["artefact"] == "table1") & (table["row"] == "c")].iloc[0]
    said = one[["paper", "title", "row_label", "column_label", "printed", "value", "unit"]]
    assert said.tolist() == ["demo", "Table 1: one", "row c", "X", 2.0, 2.0, "share"]
    assert len(pd.read_parquet(results / "all.parquet")) == 15


def test_the_archive_has_the_pages_and_the_data_and_no_dead_link(written):
    results = written()
    with zipfile.ZipFile(results / "mine.zip") as archive:
        names = {name.removeprefix("mine/") for name in archive.namelist()}
        pages = [name for name in names if name.endswith(".html")]
        links = {
            link.partition("#")[0]
            for page in pages
            for link in re.findall(r'(?:href|src)="([^"]*)"', archive.read(f"mine/{page}").decode())
            if not link.startswith(("https://doi.org", "data:", "#"))
        }
    missing = {"mine.zip", "all.parquet", "run.json"}  # what all.csv has too
    assert links - names - missing == {"demo/table1.pdf", "beside/extra.pdf"}  # not drawn here
