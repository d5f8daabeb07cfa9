from itertools import product
from pathlib import Path

import pytest

import socialbias
from socialbias.config import Config
from socialbias.errors import UserError
from socialbias.pipeline.declarations import (
    EVIDENCE_RULES,
    Declaration,
    for_models,
    load_declarations,
)
from socialbias.pipeline.plan import Plan
from socialbias.reporting.artefact import base_column
from socialbias.reporting.values import read_published
from socialbias.sources.binding import Binding
from tests.declared import DECLARATIONS
from tests.paths import REPOSITORY

LIBRARY = Path(socialbias.__file__).parents[1]
ROOT = REPOSITORY
MINE = "mine"  # a model of a user's own
DECLARED = for_models(DECLARATIONS, [MINE])
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
KINDS = "kinds: [{{{}, kind: derived}}, {{kind: counted}}]\nvariants: "


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


def test_cells_are_the_rows_of_each_column_and_variant_with_what_they_need(papers):
    table = load_declarations(papers).artefacts["fairness_table9"]
    cells = list(table.cells())
    places = [*product(["x", "x@soft", "y z"], "ab"), ("y z@soft", "b")]
    assert [(cell.column, cell.row) for cell in cells] == places
    needs = {(cell.row, cell.column): cell.needs for cell in cells}
    assert needs["a", "x"] == ("word2vec",)
    assert needs["b", "x@soft"] == ("word2vec", "glove")
    assert needs["b", "y z"] == ("seeds/b", "glove")
    assert table.may_be_empty("a", "y z@soft")
    assert not table.may_be_empty("b", "y z")
    assert not table.may_be_empty("a", "x")
    assert {cell.uses for cell in cells if cell.column == "x"} == {()}
    assert {cell.uses for cell in cells if cell.column == "y z"} == {("census_gender",)}


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
        ("sparse:", "keep_names: [z]\nsparse:", "keep_names: there is no row or column 'z'"),
        ("unit: share", "unit: [", "while parsing"),
        ("variants: {", "kinds: [{kind: measurd}]\nvariants: {", "kinds.0.kind: should be 'by con"),
        ("variants: {", f"{KINDS.format('rows: [z]')}{{", "kinds.0.rows: there is no row 'z'"),
        ("variants: {", f"{KINDS.format('columns: [z]')}{{", "kinds.0.columns: there is no col"),
        (
            "variants: {",
            "kinds: [{rows: [a], kind: counted}]\nvariants: {",
            "kinds: the last should",
        ),
        ("variants: {", f"{KINDS.format('repeats: z')}{{", "kinds.0: should have either kind or"),
        (
            "variants: {",
            "kinds: [{repeats: fairness_table8}, {kind: counted}]\nvariants: {",
            "kinds.0.repeats: there is no artefact 'fairness_table8'; did you mean",
        ),
        ("evidence:\n", "rows: {a: B}\nevidence:\n", "line 19: the key 'rows' appears twice"),
        ("  a: Row a\n", '  "v {measure:grag-*}": x\n', "{measure:grag-*}: no measure is like"),
    ],
)
def test_what_is_wrong_is_one_line_that_names_the_file_and_the_key(papers, old, new, message):
    assert old in TABLE
    write(papers, TABLE.replace(old, new))
    line = refused(papers)
    assert "\n" not in line
    assert line.startswith(str(papers / "fairness/table9.yaml"))
    assert message in line


def test_what_print_has_is_declared_with_its_kinds(papers):
    write(papers, TABLE.replace("fairness_table9", "fairness_table3"), "table3")
    assert refused(papers).endswith(
        "kinds: missing; name the kind of the paper's numbers, such as `- kind: measured`"
    )


def test_what_several_files_have_wrong_is_one_line_each(papers):
    write(papers, TABLE.replace("unit: share\n", ""))
    write(papers, TABLE, "table8")
    assert len(refused(papers).splitlines()) == 2
    write(papers, TABLE)
    write(papers, TABLE.replace("fairness_table9", "fairness_table8"), "table8")
    assert "fairness has evidence of this name" in refused(papers)
    (papers / "fairness/table8.yaml").rename(papers / "fairness/table8.txt")
    (papers / "mine").mkdir()
    (papers / "mine/table1.yaml").write_text(TABLE)
    assert "no paper is called 'mine': add it to PAPERS" in refused(papers)


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
    yield from DECLARED.evidence.values()
    for declared in DECLARED.artefacts.values():
        yield from (declared.values, declared.figure)


@pytest.mark.parametrize("declared", DECLARED.artefacts.values(), ids=lambda d: d.target)
def test_rows_and_columns_of_print_are_declared_and_every_cell_stands_once(declared: Declaration):
    cells = [(cell.row, cell.column) for cell in declared.cells()]
    assert len(set(cells)) == len(cells)
    published = read_published(ROOT / f"resources/published/{declared.target}.csv")
    assert set(published["row"]) <= set(declared.rows)
    assert set(published["column"]) <= set(declared.columns)
    assert {base_column(column) for _, column in cells} == set(declared.columns)
    assert {row for row, _ in cells} == set(declared.rows)


def test_the_plan_finds_all_that_is_declared():
    own_plan().check(LIBRARY)


def test_every_need_of_a_cell_is_known_and_every_reason_says_what_to_get():
    plan = own_plan()
    for target, declared in DECLARED.artefacts.items():
        for cell in declared.cells():
            reason = plan.reason(declared, cell)
            # These are there in every run, if empty, or have no file.
            there = ("seeds", "printed_seeds", "planted/", "values/", "option/")
            fetched = [n for n in (*cell.needs, *cell.uses) if not n.startswith(there)]
            assert reason or not fetched, (target, cell)
            plan.fidelity(cell)


def test_evidence_is_read_by_something():
    read = {name for step in steps() for name in step.reads}
    assert {f"evidence/{paper}/{name}" for paper, name in DECLARED.evidence} <= read


# What is declared of each model of a user's own.

MODELS = TABLE.replace(
    "  b: {label: Row b, needs: [glove]}\n",
    "  b: Row b\n"
    '  "intra {model}": {label: "{model}, within", needs: ["evidence/fairness/of_{model}"]}\n',
)
MODELS = MODELS.replace("sparse:", 'row_needs: {"b*": {soft: [word2vec]}, "*": [bert]}\nsparse:')
MODELS += """\
  "of_{model}":
    function: scores:measure
    needs: ["subject/{model}", glove]
    settings: [seed]
values:
  inputs: [evidence/fairness/table9, "evidence/fairness/of_{model}"]
"""


def of_models(papers, *models):
    write(papers, MODELS)
    return for_models(load_declarations(papers), list(models))


def test_what_is_said_of_a_model_is_said_of_each(papers):
    artefacts, evidence, _ = of_models(papers, "one", "two.5")
    table = artefacts["fairness_table9"]
    # Keys, nested texts and items of lists; what names no model stays, and `{row}` too.
    assert {key: row.label for key, row in table.rows.items()} == {
        "a": "Row a",
        "b": "Row b",
        "intra one": "one, within",
        "intra two.5": "two.5, within",
    }
    assert table.values.inputs == [
        "evidence/fairness/table9",
        "evidence/fairness/of_one",
        "evidence/fairness/of_two.5",
    ]
    assert list(evidence) == [("fairness", name) for name in ("table9", "of_one", "of_two.5")]
    assert evidence["fairness", "of_two.5"].needs == ["subject/two.5", "glove"]
    assert evidence["fairness", "of_one"].function == "socialbias.papers.fairness.scores:measure"
    needs = {(cell.row, cell.column): cell.needs for cell in table.cells()}
    assert needs["intra two.5", "x"][:2] == ("word2vec", "evidence/fairness/of_two.5")
    assert needs["intra one", "y z"][0] == "seeds/intra one"


def test_without_a_model_nothing_is_said_of_any_nor_of_one_that_is_called_like_a_row(papers):
    artefacts, evidence, _ = of_models(papers)
    assert list(artefacts["fairness_table9"].rows) == ["a", "b"]
    assert artefacts["fairness_table9"].values.inputs == ["evidence/fairness/table9"]
    assert list(evidence) == [("fairness", "table9")]
    for name in ("bert-base", "ensemble", "longer", "random", "sentiment"):
        with pytest.raises(UserError, match=rf"config: subjects\.{name}: there is a row "):
            for_models(DECLARATIONS, [name])


MEASURES = TABLE.replace(
    "  a: Row a\n",
    '  a: Row a\n  "v {measure:prior,manzini}": "V, {measure.brief}"\n'
    '  "v {measure:trustworthy_table5,many}": no second row\n'
    '  "v {measure:garg-*}": {label: "{measure.label}", needs: ["seeds/{measure}"]}\n',
).replace('{soft: ["b*"]}', '{soft: ["v {measure:many,manzini}"]}')


def test_what_is_said_of_a_measure_is_said_of_each_that_meets_the_conditions(papers):
    write(papers, MEASURES)
    table = load_declarations(papers).artefacts["fairness_table9"]
    assert {key: row.label for key, row in table.rows.items()} == {
        "a": "Row a",
        "v manzini": "V, Manzini",
        "v garg-cosine": "Garg et al. 2018, cosine",
        "v garg-euclidean": "Garg et al. 2018, Euclidean",
        "b": "Row b",
    }
    assert table.rows["v garg-cosine"].needs == ["seeds/garg-cosine"]
    assert [c.row for c in table.cells() if c.column == "y z@soft"] == ["v manzini"]


def test_a_key_stands_for_each_name_under_names(papers):
    text = TABLE.replace(
        "  a: Row a\n",
        '  a: Row a\n  "n {lm}": "N {lm.label}"\n'
        '  "{lm} - {lm.other}": "{lm.label}, {lm.other.label}"\n'
        '  "{word}": {label: "{word.label}", needs: ["seeds/{word}", "prepared/{lm}"]}\n',
    ).replace("rows:\n", "names: {lm: {x: X, y: Y, z: Z}}\nrows:\n", 1)
    write(papers, text)
    (papers / "fairness/shared.yaml").write_text(
        "names: {lm: {v: V}, word: [Irish]}\nevidence: {}\n"
    )
    rows = load_declarations(papers).artefacts["fairness_table9"].rows
    assert {key: row.label for key, row in rows.items()} == {
        "a": "Row a",
        **{"n x": "N X", "n y": "N Y", "n z": "N Z"},
        **{"x - y": "X, Y", "x - z": "X, Z", "y - z": "Y, Z"},
        "irish": "Irish",
        "b": "Row b",
    }
    assert rows["irish"].needs == ["seeds/irish", "prepared/x", "prepared/y", "prepared/z"]


def test_what_runs_a_model_on_a_card_has_another_rule_than_other_evidence():
    rules: dict[str, set] = {}
    for (_, name), step in DECLARATIONS.evidence.items():
        assert not (step.gpu and step.made_by == "evidence"), name
        rules.setdefault(name, set()).add(step.made_by)
    # Snakemake tells the rules apart by the name alone.
    assert all(len(of_name) == 1 for of_name in rules.values()), rules
    assert set.union(*rules.values()) == set(EVIDENCE_RULES)
