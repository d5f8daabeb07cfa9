"""The prose's numbers, against numbers worked out by hand and against print's own tables."""

import numpy as np
import pytest

from socialbias.papers.stereoset import prose
from socialbias.reporting.compare import same_digits
from socialbias.stats.draws import DRAWS
from tests.worlds import cells, numbers, printed
from tests.worlds.stereoset import ITEMS

PRINTED = printed("stereoset", "prose").set_index("row")["value"]


def table(name):
    """Print's own table as if it were ours, of the test split."""
    published = printed("stereoset", name)
    published = published[published["value"] != ""]
    columns = published["column"] + ("" if name == "table8" else "@test")
    found = {}
    for row, column, text in zip(published["row"], columns, published["value"], strict=True):
        facts = {"n": 236.0, "n_unit": "terms", "unit": "percent"}
        cell = facts | {"value": float(text)}
        found[row, column] = (cell, np.full(DRAWS, float(text)))
    return found


@pytest.fixture(scope="module")
def from_print():
    names = ("table4", "table5", "table6", "table7", "table8")
    return cells(prose.of_models({name: table(name) for name in names}))


def test_counts_of_the_data():
    found = numbers(prose.of_data(ITEMS))
    expected = {
        "dataset: domains": 2,
        "dataset: target_terms": 2,
        "dataset: instances": 3,
        "validation: validators_section4": 5,
        "validation: agreeing_at_least": 3,
        "development: target_terms_percent": 50,
        "inter: annotators": 5,
    }
    assert {row: found[row, "number"] for row in expected} == expected


def test_printed_tables_give_the_printed_means_and_correlation(from_print):
    rows = [row for row in prose.MEANS if row.endswith("mean_lms")]
    assert len(rows) == 6
    for row in (*rows, prose.RHO):
        assert same_digits(from_print[row, "number"]["value"], PRINTED[row]) == "rounded"
    assert from_print[prose.RHO, "number"]["n"] == 9
    assert from_print[prose.RHO, "number"]["p_value"] < 0.01


def test_a_mean_of_models_waits_for_all_of_them_and_the_development_split_stands_beside():
    found = table("table4")
    beside = {(row, c.replace("test", "development")): cell for (row, c), cell in found.items()}
    columns = {column for _, column in cells(prose.of_models({"table4": beside}))}
    assert columns == {"number@development"}
    del found["gpt2", "lms@test"]
    rows = {row for row, _ in cells(prose.of_models({"table4": found}))}
    assert not {"likelihood: mean_lms", prose.RHO} & rows
    assert "gpt2-large: lms" in rows


def test_draws_of_a_mean_are_means_of_draws():
    found = table("table4")
    for place, model in enumerate(prose.PRETRAINED):
        cell, _ = found[model, "lms@test"]
        found[model, "lms@test"] = (cell, np.arange(DRAWS) + place)
    draws = cells(prose.of_models({"table4": found}))["likelihood: mean_lms", "number"]["draws"]
    assert draws[:3].tolist() == [4, 5, 6]  # of nine models, the mean place is 4


def test_the_range_of_accuracies_waits_for_all_heads():
    shares = {f"nsp {name}": 0.9 for name in prose.HEADS} | {"nsp gpt2": 0.8}
    heads = {
        name: dict.fromkeys(("accuracy", "accuracy_low", "accuracy_high"), share) | {"held_out": 10}
        for name, share in shares.items()
    }
    found = numbers(prose.of_classifiers(heads))
    rows = ("nsp gpt2: accuracy", "nsp: accuracy_low", "nsp: accuracy_high")
    assert [found[row, "number"] for row in rows] == [80, 80, 90]
    del heads["nsp gpt2"]
    assert ("nsp: accuracy_low", "number") not in numbers(prose.of_classifiers(heads))


def test_every_other_number_in_print_has_a_reason():
    found = cells(prose.of_others(PRINTED.index, prose.MEANS))
    assert found["roberta: corpus_gb", "number"]["note"].endswith("which the paper repeats")
    assert found["nsp: epochs", "number"]["note"].endswith("not a result")
    assert set(prose.MEANS).isdisjoint(row for row, _ in found)
