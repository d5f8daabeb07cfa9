from dataclasses import replace

import pandas as pd
import pytest

from socialbias.reporting.artefact import Artefact, base_column, numbers_drawn


@pytest.fixture
def artefact():
    return Artefact(
        paper="demo",
        artefact="table9",
        title="Table 9: a demonstration",
        shows="Nothing.",
        unit="share",
        digits=2,
        rows={"b": "Row b", "a": "Row a"},
        columns={"y": "Why", "x": "Ex"},
        variants={"print": "printed lists", "code": "code lists"},
    )


def test_name_and_labels(artefact):
    assert artefact.name == "demo_table9"
    assert artefact.label("x") == "Ex"
    assert artefact.label("x@code") == "Ex (code lists)"
    assert artefact.label_of_ours("x") == "ours"
    assert artefact.label_of_ours("x@code") == "code lists"
    assert base_column("x@code") == base_column("x") == "x"


def test_columns_stand_in_the_order_of_print_then_of_variants(artefact):
    columns = ["x@code", "x", "x@print", "y@code", "x@code", "y@print"]
    wanted = ["y@print", "y@code", "x", "x@print", "x@code"]
    assert artefact.in_print_order(columns) == wanted


def test_a_figure_shows_the_numbers_of_the_columns_that_it_draws(artefact):
    values = pd.DataFrame({"column": ["x@code", "x", "y"], "value": [0.5, float("nan"), 0.25]})
    assert list(numbers_drawn(values, artefact)["value"]) == [0.5, 0.25]
    assert list(numbers_drawn(values, replace(artefact, drawn=["x"]))["value"]) == [0.5]
