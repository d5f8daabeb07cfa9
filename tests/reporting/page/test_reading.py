"""How the numbers of a unit are to be read."""

import ast
from pathlib import Path

from socialbias import papers
from socialbias.files.yaml_files import read_yaml
from socialbias.reporting.page.shown import NO_NUMBER, NOT_SAID, reading_of
from tests.paths import RESOURCES

UNITS = RESOURCES / "units.yaml"


def test_a_column_or_an_artefact_may_be_read_otherwise_than_its_unit():
    def reading(*cell):
        return reading_of(read_yaml(UNITS), *cell)

    assert reading("percent", "stereoset_table4", "ss@test").nothing == "50"
    assert reading("percent", "stereoset_crows_pairs", "age").nothing == "50"
    assert reading("percent", "stereoset_table2", "negative_percent").nothing.startswith("none")
    assert reading("", "stereoset_table4", "ss") == NO_NUMBER
    assert reading("furlongs", "stereoset_table4", "ss") == NOT_SAID


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
    assert spelt - known == set()
