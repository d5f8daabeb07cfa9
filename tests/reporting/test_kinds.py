"""Counts of printed numbers by kind, on numbers that can be counted by eye, and on print."""

from collections import Counter

import pandas as pd
import pytest

from socialbias.commands.maintenance.kinds import forecast
from socialbias.pipeline.setup import load_setup, plan_of
from socialbias.reporting.artefact import Artefact, base_column
from socialbias.reporting.compare import printed_numbers
from socialbias.reporting.kinds import OWN_INPUTS, agreement, by_kind, counted, of_artefact
from socialbias.reporting.values import read_published
from tests.declared import DECLARATIONS
from tests.paths import PUBLISHED, REPOSITORY

NAN = float("nan")
PRINTED = 947  # numbers of the four papers


def numbers(*rows):
    """Printed numbers as `kind, verdict, fidelity, chance of equal, chance of equal or within`."""
    names = ["kind", "verdict", "fidelity", "equal_by_chance", "passed_by_chance"]
    cells = pd.DataFrame(rows, columns=names).assign(counted=1, where="Table 1 of Lovelace 1843")
    variant = cells.assign(counted=0)  # another cell of each of these numbers
    return counted(pd.concat([cells, variant], ignore_index=True))


NUMBERS = [
    ("counted", "equal", "exact", 0.5, 0.5),
    ("counted", "equal by truncation", "exact", 0.25, 0.5),
    ("counted", "outside", "exact", 0, 0.25),
    ("counted", "no input", "no input", NAN, NAN),
    ("measured", "equal", "exact", NAN, NAN),  # the only one of its unit
    ("measured", "within", "exact", 0.125, 0.25),
    ("measured", "open", "exact", 0.125, 0.125),
    ("measured", "not judged", "subset", NAN, NAN),
    ("measured", "not judged", "substitute", NAN, NAN),
    ("measured", "not judged", "own", NAN, NAN),
]


def test_each_printed_number_is_in_one_cell_of_the_table_of_kinds():
    table = by_kind(numbers(*NUMBERS))
    expected = {
        "printed": [4, 6, 10],
        "equal": [1, 1, 2],
        "equal by chance": [0.75, 0.25, 1.0],
        "equal by truncation": [1, 0, 1],
        "within": [0, 1, 1],
        "equal or within by chance": [1.25, 0.375, 1.625],
        "outside": [1, 0, 1],
        "open": [0, 1, 1],
        "on a part": [0, 1, 1],
        "on other inputs": [0, 2, 2],
        "no input": [1, 0, 1],
    }
    assert list(table.index) == ["counted", "measured", "all"]
    assert table.to_dict("list") == expected
    assert list(table.columns) == list(expected)


def test_the_sentences_name_what_was_measured_on_the_papers_inputs():
    first = "No number that the papers measured was recomputed on their own inputs"
    assert agreement(numbers(*NUMBERS[:4]))["measured"] == f"{first}."
    assert agreement(numbers(*NUMBERS)) == {
        "measured": f"{first}, except 3 in Table 1 of Lovelace 1843 (1 equal, 1 within and 1 open)"
        ".",
        "own inputs": "Of 10 printed numbers, 6 could be computed from the papers' own inputs: "
        "4 agree (2 would by chance) and 2 do not.",
        "kinds": "By kind, these agree: 2 of 3 counted and 2 of 3 measured.",
        "other data": "3 were computed from other data, and 1 has no input.",
    }
    said = agreement(numbers(NUMBERS[3]))
    assert said["kinds"] == ""
    assert said["own inputs"].endswith("0 could be computed from the papers' own inputs.")


def test_an_artefact_says_its_printed_numbers_its_columns_and_what_print_lacks():
    nothing = Counter()
    some = Counter({"printed": 9, "equal": 3, "on a part": 2, "no input": 4, "unclear": 1})
    assert of_artefact(some | Counter({"beyond": 1200, "beyond_missing": 7})) == (
        "Of 9 printed numbers, 3 are equal after rounding, 2 are computed from a part of the "
        "paper's inputs and 4 are without input. Of 1 column on other inputs, 1 is in no clear "
        "order. "
        "1,200 numbers are not in the paper (7 without input)."
    )
    assert of_artefact(nothing + Counter(beyond=1)) == "1 number is not in the paper."


def printed(target):
    """The cells of an artefact that print has, as if all had their input."""
    declared = DECLARATIONS.artefacts[target]
    about = Artefact(**declared.shown())
    cells = [{"row": c.row, "column": c.column, "fidelity": "exact"} for c in declared.cells()]
    order = about.in_print_order([cell["column"] for cell in cells])
    published = read_published(PUBLISHED / f"{target}.csv")
    found = printed_numbers(pd.DataFrame(cells), published, about.kinds, order)
    return found[found["printed"] != ""]


TARGETS = [name for name in DECLARATIONS.artefacts if (PUBLISHED / f"{name}.csv").is_file()]
ALL_PRINTED = {name: printed(name) for name in TARGETS}


# Read off the printed tables.
@pytest.mark.parametrize(
    ("target", "kinds"),
    [
        # Eight professions: what people say, a trained probe, and four measurements.
        (
            "trustworthy_table3",
            {"human judgement": 8, "measured after training": 8, "measured": 32},
        ),
        # Each level minus another one: the third difference is the sum of two.
        ("trustworthy_table6", {"derived": 8, "measured after training": 16}),
        # Of eight rows three start from the vectors of another row: two numbers each.
        ("trustworthy_table7", {"measured": 26}),
        # Five rows with two numbers for l2; the probe has two more, for softmax.
        (
            "trustworthy_table8",
            {"by construction": 10, "measured": 24, "measured after training": 2},
        ),
        # Two tasks with four domains, and three totals, of three numbers each.
        ("stereoset_table1", {"counted": 24, "derived": 9}),
        # Three baselines (one has a dash), eleven icat; BERT twice; nine with a trained head.
        (
            "stereoset_table4",
            {"by construction": 8, "derived": 11, "measured": 4, "measured after training": 18},
        ),
        # The baselines and the sentiment model are those of Table 4.
        ("stereoset_table5", {"derived": 10, "measured": 20}),
        # Twenty rows; three causal models are those of Table 6.
        ("stereoset_table7", {"derived": 17, "measured": 34}),
        ("stereoset_table8", {"derived": 12, "measured after training": 8, "re-scored": 16}),
        ("stereoset_table10", {"inferred": 333}),
        # 60, 20, 20, 20, 30, 30; 60 of names; 22 of named entities; three lists of examples.
        ("fairness_table6", {"derived": 2, "counted": 9}),
    ],
)
def test_kinds_of_the_printed_numbers_of_a_table(target, kinds):
    cells = ALL_PRINTED[target]
    assert Counter(cells.loc[cells["counted"] == 1, "kind"]) == kinds


def test_what_print_repeats_has_the_digits_that_it_had_before():
    repeated = 0
    for target, cells in ALL_PRINTED.items():
        cells = cells.assign(base=cells["column"].map(base_column))
        repeats = cells[cells["repeats"]].drop_duplicates(["row", "base"])
        repeated += len(repeats)
        of = {kind.repeats for kind in DECLARATIONS.artefacts[target].kinds if kind.repeats}
        before = [ALL_PRINTED[name] for name in of]
        known = {float(x) for part in before for x in part.loc[part["counted"] == 1, "printed"]}
        assert {float(number) for number in repeats["printed"]} <= known, target
    total = sum(int(cells["counted"].sum()) for cells in ALL_PRINTED.values())
    assert (total, repeated) == (PRINTED, 86), "if you added printed numbers, change PRINTED"


def test_the_forecast_counts_the_same_numbers(monkeypatch):
    monkeypatch.chdir(REPOSITORY)
    counts = forecast(plan_of(load_setup(environ={})))
    assert counts.loc["all", "printed"] == PRINTED
    assert counts.loc["human judgement", OWN_INPUTS] == 0  # labels were never published
    assert (counts.drop(columns="printed").sum(axis=1) == counts["printed"]).all()
