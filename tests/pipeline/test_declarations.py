from pathlib import Path

import pytest

import socialbias
from socialbias.config import Config
from socialbias.errors import UserError
from socialbias.pipeline.declarations import Declaration, for_models, load_declarations
from socialbias.pipeline.digest import code_digest
from socialbias.pipeline.plan import Plan
from socialbias.reporting.artefact import base_column
from socialbias.reporting.values import read_published
from socialbias.sources.binding import Binding
from tests.paths import REPOSITORY

LIBRARY = Path(socialbias.__file__).parents[1]
ROOT = REPOSITORY
MINE = "mine"  # a model of a user's own
DECLARED = for_models(load_declarations(LIBRARY / "socialbias/papers"), [MINE])
TABLE = """\
target: fairness_table9
title: "Table 9: a demonstration"
shows: Nothing.
unit: share
digits: 2
variants: {soft: soft counts}
rows:
  a: Row a
  b: {label: Row b, needs: [glove]}
columns:
  x: {label: Ex, variants: ["", soft], needs: [word2vec]}
  "y z":
    label: Why
    variants: ["", soft]
    rows: {soft: ["b*"]}
    needs: ["seeds/{row}"]
    uses: [census_gender]
sparse: {"y*": [a]}
evidence:
  table9: {inputs: [vectors/lists/word2vec]}
"""


@pytest.fixture
def papers(tmp_path):
    """A folder of papers with one declaration, which a test may change."""
    (tmp_path / "fairness").mkdir()
    write(tmp_path, TABLE)
    return tmp_path


def write(papers, text, name="table9"):
    (papers / f"fairness/{name}.yaml").write_text(text)


def refused(papers):
    with pytest.raises(UserError) as caught:
        load_declarations(papers)
    return str(caught.value)


def test_a_declaration_says_all_of_an_artefact(papers):
    artefacts, evidence = load_declarations(papers)
    table = artefacts["fairness_table9"]
    assert (table.paper, table.artefact) == ("fairness", "table9")
    assert table.shown()["rows"] == {"a": "Row a", "b": "Row b"}
    assert table.shown()["columns"] == {"x": "Ex", "y z": "Why"}
    assert evidence["fairness", "table9"].function == "socialbias.papers.fairness.table9:measure"
    assert table.values.function == "socialbias.papers.fairness.table9:summarise"
    assert table.figure.function == "socialbias.reporting.figures:draw_dot_plot"


def test_cells_are_the_rows_of_each_column_and_variant_with_what_they_need(papers):
    cells = list(load_declarations(papers).artefacts["fairness_table9"].cells())
    assert [(cell.row, cell.column) for cell in cells] == [
        ("a", "x"),
        ("b", "x"),
        ("a", "x@soft"),
        ("b", "x@soft"),
        ("a", "y z"),
        ("b", "y z"),
        ("b", "y z@soft"),
    ]
    needs = {(cell.row, cell.column): cell.needs for cell in cells}
    assert needs["a", "x"] == ("word2vec",)
    assert needs["b", "x@soft"] == ("word2vec", "glove")
    assert needs["b", "y z"] == ("seeds/b", "glove")
    assert {cell.uses for cell in cells if cell.column == "x"} == {()}
    assert {cell.uses for cell in cells if cell.column == "y z"} == {("census_gender",)}


def test_sparse_cells_are_those_that_the_patterns_match(papers):
    table = load_declarations(papers).artefacts["fairness_table9"]
    assert table.may_be_empty("a", "y z@soft")
    assert not table.may_be_empty("b", "y z")
    assert not table.may_be_empty("a", "x")


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("unit: share", "unit: share\ndigit: 2", "digit: unknown key; did you mean 'digits'?"),
        ("needs: [glove]", "need: [glove]", "rows.b.need: unknown key; did you mean 'needs'?"),
        ("fairness_table9", "fairness_table8", "target: should be fairness_table9"),
        ("digits: 2", "digits: two", "digits: should be a valid integer"),
        ("unit: share\n", "", "unit: Field required"),
        ('["", soft], needs', '["", sft], needs', "columns.x.variants: there is no variant 'sft'"),
        ('soft: ["b*"]', 'soft: ["c*"]', "columns.y z.rows: there is no row 'c*'"),
        ("unit: share", "unit: share\ndrawn: [xx]", "drawn: there is no column 'xx'; did you mean"),
        ('"y*": [a]', '"z*": [a]', "sparse: there is no column 'z*'"),
        ("unit: share", "unit: [", "not YAML"),
    ],
)
def test_what_is_wrong_is_one_line_that_names_the_file_and_the_key(papers, old, new, message):
    assert old in TABLE
    write(papers, TABLE.replace(old, new))
    line = refused(papers)
    assert "\n" not in line
    assert line.startswith(str(papers / "fairness/table9.yaml"))
    assert message in line


def test_every_file_with_a_problem_has_its_line(papers):
    write(papers, TABLE.replace("unit: share\n", ""))
    write(papers, TABLE, "table8")
    assert len(refused(papers).splitlines()) == 2


def test_two_artefacts_of_a_paper_cannot_have_evidence_of_one_name(papers):
    write(papers, TABLE.replace("fairness_table9", "fairness_table8"), "table8")
    assert "fairness has evidence of this name" in refused(papers)


def test_a_folder_that_is_no_paper_is_one_line(papers):
    (papers / "mine").mkdir()
    (papers / "mine/table1.yaml").write_text(TABLE)
    assert "no paper is called 'mine': add it to PAPERS" in refused(papers)


def test_shared_evidence_belongs_to_no_artefact(papers):
    write(papers, "evidence:\n  scores: {function: 'scoring:score'}\n", "shared")
    artefacts, evidence = load_declarations(papers)
    assert list(artefacts) == ["fairness_table9"]
    assert evidence["fairness", "scores"].function == "socialbias.papers.fairness.scoring:score"


# What the papers really declare.


def own_plan():
    """A plan in which nothing can be had, to ask for names."""
    config = Config()
    absent = {
        role: Binding(role, None, "", "no input", f"get {role}")
        for role in (*config.inputs.model_dump(), f"subject/{MINE}")
    }
    return Plan(config, absent, DECLARED, ROOT)


def steps():
    for declared in DECLARED.artefacts.values():
        yield f"{declared.target}: values", declared.values
        yield f"{declared.target}: figure", declared.figure
    for (paper, name), step in DECLARED.evidence.items():
        yield f"{paper}: evidence {name}", step


@pytest.mark.parametrize("declared", DECLARED.artefacts.values(), ids=lambda d: d.target)
def test_rows_and_columns_of_print_are_declared_and_every_cell_stands_once(declared: Declaration):
    cells = [(cell.row, cell.column) for cell in declared.cells()]
    assert len(set(cells)) == len(cells)
    published = read_published(ROOT / f"resources/published/{declared.target}.csv")
    assert set(published["row"]) <= set(declared.rows)
    assert set(published["column"]) <= set(declared.columns)
    assert {base_column(column) for _, column in cells} == set(declared.columns)
    assert {row for row, _ in cells} == set(declared.rows)


def test_every_input_setting_and_function_that_is_declared_is_there():
    plan = own_plan()
    for where, step in steps():
        for name in step.reads:
            assert isinstance(plan.missing(name), list), where
        for key in step.settings:
            plan.setting(key)
        assert code_digest(LIBRARY, step.function), where


def test_the_plan_finds_all_that_is_declared():
    own_plan().check(LIBRARY)


def test_every_need_of_a_cell_is_known_and_every_reason_says_what_to_get():
    plan = own_plan()
    for target, declared in DECLARED.artefacts.items():
        for cell in declared.cells():
            reason = plan.reason(declared, cell)
            fetched = [n for n in (*cell.needs, *cell.uses) if not n.startswith("seeds")]
            assert reason or not fetched, (target, cell)
            plan.fidelity(cell)


def test_evidence_is_read_by_something():
    read = {name for _, step in steps() for name in step.reads}
    assert {f"evidence/{paper}/{name}" for paper, name in DECLARED.evidence} <= read


def test_a_key_that_stands_twice_is_one_line(papers):
    write(papers, TABLE + "rows: {a: Another}\n")
    line = len(TABLE.splitlines()) + 1
    told = (
        f"{papers}/fairness/table9.yaml: not YAML: line {line}: the key 'rows' stands there twice"
    )
    assert refused(papers) == told
