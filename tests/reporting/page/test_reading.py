"""How the numbers of a unit are to be read."""

import ast
from pathlib import Path

from socialbias import papers
from socialbias.files.yaml_files import read_yaml
from socialbias.reporting.page.shown import reading_of
from tests.paths import RESOURCES

UNITS = RESOURCES / "units.yaml"


def test_a_column_or_an_artefact_may_be_read_otherwise_than_its_unit():
    def nothing(*cell):
        return reading_of(read_yaml(UNITS), *cell)["nothing"]

    assert nothing("percent", "stereoset_table4", "ss@test") == "50"
    assert nothing("percent", "stereoset_crows_pairs", "age") == "50"
    assert nothing("percent", "stereoset_table2", "negative_percent").startswith("none")
    assert nothing("", "stereoset_table4", "ss") == "no number in this run"
    assert nothing("furlongs", "stereoset_table4", "ss") == "not said"


def test_every_unit_that_the_code_spells_out_is_explained():
    known, spelt = set(read_yaml(UNITS)), set()
    for path in Path(papers.__file__).parent.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "value":
                spelt |= {
                    word.value.value
                    for word in node.keywords
                    if word.arg == "unit" and isinstance(word.value, ast.Constant)
                }
    assert len(spelt) > 5
    assert spelt - known == set(), f"explain each unit in {UNITS}"
