"""The facts of measures: complete, and naming nothing that is not there."""

from dataclasses import replace
from importlib import import_module
from pathlib import Path

import pytest

from socialbias.api.instruments import INSTRUMENTS
from socialbias.api.result import Result
from socialbias.errors import UserError
from socialbias.measure_facts import COMPUTED, FIELDS, Place, read_measures
from socialbias.measure_pages import explained_in, measure_pages
from socialbias.measures.fairness.registry import METRICS
from socialbias.papers.validation import passport
from socialbias.pipeline.declarations import load_declarations
from socialbias.reporting.papers import read_papers
from tests.paths import REPOSITORY

FACTS = REPOSITORY / "resources/measures.yaml"
MEASURES = read_measures(FACTS)
DECLARED = load_declarations(REPOSITORY / "src/socialbias/papers").artefacts


def test_there_is_every_measure_that_can_be_asked_for():
    assert INSTRUMENTS.keys() <= MEASURES.keys()
    assert {measure.called for measure in MEASURES.values()} >= METRICS.keys()
    scores = {m.called for m in MEASURES.values() if m.paper == "stereoset"}
    assert scores == {"lms", "ss", "icat"}


@pytest.mark.parametrize("measure", MEASURES.values(), ids=MEASURES)
def test_every_field_is_a_number_of_a_declared_artefact_or_a_reason(measure):
    declared = DECLARED["validation_passport"].values.inputs
    for place in measure.passport.values():
        if isinstance(place, str):
            assert place.strip()
            continue
        if place.artefact == COMPUTED:
            assert place.row in passport.COMPUTED
            continue
        for each in place.places():
            assert f"values/{each.artefact}" in declared
            cells = DECLARED[each.artefact.replace("/", "_")].cells()
            keys = {("*" if each.row == "*" else cell.row, cell.column) for cell in cells}
            assert (each.row, each.column) in keys


@pytest.mark.parametrize("measure", MEASURES.values(), ids=MEASURES)
def test_a_measure_names_code_and_error_rates_that_there_are(measure):
    module, _, name = measure.code.partition(":")
    assert callable(getattr(import_module(module), name))
    text = (REPOSITORY / "docs/error-rates.md").read_text("utf-8")
    assert all(f"\n## {section}\n" in text for section in measure.error_rates)
    for fact in ("title", "formula", "range", "no_effect", "direction", "limits", "citation"):
        assert getattr(measure, fact)


def test_the_passport_has_a_row_for_every_measure_and_a_column_for_every_field():
    declared = DECLARED["validation_passport"]
    assert list(declared.rows) == list(MEASURES)
    assert list(declared.columns) == list(FIELDS)
    assert {key: row.label for key, row in declared.rows.items()} == {
        key: measure.title for key, measure in MEASURES.items()
    }


def test_a_reason_that_there_is_not_is_one_line_that_names_the_measure(tmp_path: Path):
    wrong = FACTS.read_text("utf-8").replace("    alpha: no-items", "    alpha: no-itmes", 1)
    path = tmp_path / "measures.yaml"
    path.write_text(wrong, "utf-8")
    with pytest.raises(UserError, match=r"measures\.yaml: measures\.divdist: 'no-itmes'"):
        read_measures(path)


def test_a_place_says_where_its_number_is_from():
    assert str(Place("validation/recovery", "text", "slope@direct")) == (
        "validation_recovery: text, slope@direct"
    )
    median = Place("trustworthy/table3", "*", "emb-glove", "detectable")
    assert str(median) == "trustworthy_table3: median over rows, emb-glove, detectable"


def test_a_page_says_what_a_measure_is_and_where_a_run_has_its_numbers():
    measure = replace(MEASURES["text"], limits="Everything | else.", range="0 | 1")
    papers = read_papers(REPOSITORY / "resources/papers.yaml")
    rates = "# Error rates\n\n## share by documents\n\nA table.\n\n## other\n\nAnother.\n"
    measure = replace(measure, error_rates=("share by documents",))
    pages = measure_pages({"text": measure}, papers, rates)
    assert "Everything | else." in pages["text.md"]
    assert "| range | 0 \\| 1 |" in pages["text.md"]
    assert "`validation_recovery: text, slope@direct`" in pages["text.md"]
    assert "A table." in pages["text.md"]
    assert "Another." not in pages["text.md"]
    assert "[DivDist in text](text.md)" in pages["index.md"]


@pytest.mark.parametrize(
    ("measure", "role", "page"),
    [
        ("directed", "vectors", "directed"),
        ("directed", "corpus", "text"),
        ("divdist", "model", "reduction"),
        ("caliskan", "model", "caliskan"),
        ("decisions", "model", "stereotype-score"),
    ],
)
def test_a_result_names_the_page_of_its_measure(measure, role, page):
    fields = dict.fromkeys(Result.__dataclass_fields__, "")
    result = Result(**fields | {"measure": measure, "provenance": [{"role": role}]})
    assert result.passport == page
    assert page in MEASURES


def test_the_pages_of_measures_and_the_passports_link_each_other():
    measures = read_measures(FACTS)
    there = {path.stem for path in (REPOSITORY / "docs/measures").glob("*.md")}
    pages = {name: explained_in(measure) for name, measure in measures.items()}
    assert set(pages.values()) - {""} == there - {"index"}
    for name, page in pages.items():
        if page:
            passport_ = (REPOSITORY / f"docs/passports/{name}.md").read_text()
            assert f"](../measures/{page}.md)" in passport_
            back = "index" if page == "fairness" else name
            explained = (REPOSITORY / f"docs/measures/{page}.md").read_text()
            assert f"](../passports/{back}.md)" in explained, name
