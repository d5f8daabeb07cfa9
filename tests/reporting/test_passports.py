"""The passports of measures: complete, and naming nothing that is not there."""

import math

import pandas as pd
import pytest

from socialbias.commands.result import Result
from socialbias.files.yaml_files import read_yaml
from socialbias.measures.passport import FIELDS
from socialbias.papers.validation import passport
from socialbias.reporting.passports import (
    COMPUTED,
    Place,
    detectable,
    in_a_run,
    passport_rows,
    read_places,
)
from tests.declared import DECLARATIONS
from tests.paths import REPOSITORY

FACTS = REPOSITORY / "resources/passports.yaml"
PASSPORTS = {each.measure.name: each for each in read_places(FACTS)}
DECLARED = DECLARATIONS.artefacts


@pytest.mark.parametrize("name", PASSPORTS)
def test_every_field_is_a_number_of_a_declared_artefact_or_a_reason(name):
    declared = DECLARED["validation_passport"].values.inputs
    for place in PASSPORTS[name].cells.values():
        if isinstance(place, str):
            assert place.strip()
            continue
        if place.artefact == COMPUTED:
            assert place.row in passport.COMPUTED
            continue
        assert f"values/{place.artefact}" in declared
        cells = DECLARED[place.artefact.replace("/", "_")].cells()
        keys = {("*" if place.row == "*" else cell.row, cell.column) for cell in cells}
        assert (place.row, place.column) in keys


def test_the_passport_has_a_row_for_every_measure_and_a_column_for_every_field():
    declared = DECLARED["validation_passport"]
    assert list(declared.columns) == list(FIELDS)
    assert {key: row.label for key, row in declared.rows.items()} == {
        each.measure.row: each.measure.title for each in PASSPORTS.values()
    }
    known = read_yaml(FACTS)["measures"]
    assert {*known} <= {*declared.rows}
    assert {field for cells in known.values() for field in cells} <= {*FIELDS}


def test_the_table_has_a_row_for_every_measure_with_the_numbers_of_a_run():
    values = pd.DataFrame(
        [
            ("text", "split-half", 0.5, 0.25, 0.75),
            ("text", "another-sample", -0.504, math.nan, math.nan),
            ("text", "rank", math.nan, math.nan, math.nan),
        ],
        columns=["row", "column", "value", "ci_low", "ci_high"],
    )
    numbers = in_a_run(values)
    assert numbers == {"text": {"split-half": "0.50 [0.25, 0.75]", "another-sample": "−0.50"}}
    rows = {row["name"]: row for row in passport_rows(numbers)}
    assert {*rows} == {*PASSPORTS}
    text = rows["text"]
    assert (text["reliability"], text["recovery"], text["needs"]) == ("−0.50", "", "texts")
    assert text["limits"] == PASSPORTS["text"].measure.limits
    assert rows["weat"]["reliability"] == ""


def test_a_place_is_named_for_a_reader():
    median = Place("trustworthy/table3", "*", "emb-glove", "detectable")
    assert str(median) == "trustworthy_table3: median over rows, emb-glove, detectable"


@pytest.mark.parametrize(
    ("measure", "role", "name"),
    [
        ("directed", "vectors", "directed"),
        ("directed", "corpus", "text"),
        ("divdist", "model", "reduction"),
        ("association", "model", "association"),
        ("decisions", "model", "stereotype-score"),
    ],
)
def test_a_result_names_the_passport_of_its_measure(measure, role, name):
    fields = dict.fromkeys(Result.__dataclass_fields__, "")
    result = Result(**fields | {"measure": measure, "provenance": [{"role": role}]})
    assert result.passport_name == name
    assert name in PASSPORTS


def test_few_words_detect_large_values_alone():
    five, *_, hundred = detectable()
    for name, text in five.items():
        assert name == "words" or float(text) > float(hundred[name])
    assert five["rank correlation with an outcome"] == "0.96"  # `power order` says .80 of it
