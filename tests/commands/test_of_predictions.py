"""`measure_predictions`: by hand, naive counting and simulated worlds."""

import json
import math
from itertools import permutations

import numpy as np
import pytest
from click.testing import CliRunner
from scipy.stats import binomtest

from socialbias import measure_predictions
from socialbias.commands.cli import cli
from socialbias.errors import UserError
from socialbias.measures.fairness import METRICS

# Women are hired in 2 of 4 cases, men in 3 of 4: the impact ratio is 2/3.
HAND = {
    "label": [1, 1, 0, 0, 1, 1, 0, 0],
    "prediction": [1, 0, 1, 0, 1, 1, 1, 0],
    "group": ["women"] * 4 + ["men"] * 4,
}
TEXT = "label;prediction;group\n" + "".join(
    f"{label};{found};{group}\n" for label, found, group in zip(*HAND.values(), strict=True)
)


def values(result, metric):
    return {
        row["group"]: row["value"]
        for row in result.rows
        if row["metric"] == metric and (row["group"] or metric in METRICS)
    }


def ratios(result, by="group"):
    """The impact ratio of each group that has one."""
    rates = [row for row in result.rates if row["by"] == by and row["reference"]]
    return {row["group"]: row["impact_ratio"] for row in rates}


def test_rates_ratios_and_gaps_by_hand():
    result = measure_predictions(HAND)
    assert values(result, "selection rate") == {"women": 0.5, "men": 0.75}
    assert ratios(result) == {"women": pytest.approx(2 / 3), "men": 1}
    assert values(result, "true positive rate") == {"women": 0.5, "men": 1}
    assert values(result, "false positive rate") == {"women": 0.5, "men": 0.5}
    assert values(result, "accuracy") == {"women": 0.5, "men": 0.75}
    assert values(result, "Parity Gap")[""] == pytest.approx(0.25)
    assert values(result, "TPR Gap")[""] == pytest.approx(0.5)  # 1 of 2 and 2 of 2
    assert values(result, "TNR Gap")[""] == pytest.approx(0.0)  # 1 of 2 in both
    assert values(result, "Accuracy Difference")[""] == pytest.approx(2 / 4 - 3 / 4)
    for part in (
        "lowest impact ratio by group: 0.667* [",
        "(women / men)",
        "False Positive Equality Difference, corrected, 1",
        "not an independent bias audit, which New York City's Local Law 144 requires",
    ):
        assert part in result.text()


# By hand: selected of all, by sex and race; "" and Unknown are unknown.
APPLICANTS = {
    ("Female", "White"): (6, 10), ("Female", "Black"): (2, 8), ("Female", "Native"): (1, 1),
    ("Male", "White"): (8, 10), ("Male", "Black"): (4, 8), ("Female", "Unknown"): (1, 2),
    ("", "White"): (0, 6),
}  # fmt: skip


def applicants(column="prediction", selected=1, others=0):
    rows = [
        (*who, selected if i < some else others)
        for who, (some, n) in APPLICANTS.items()
        for i in range(n)
    ]
    return dict(zip(("sex", "race", column), map(list, zip(*rows, strict=True)), strict=True))


BY_SEX = {"Female": (10 / 21) / (12 / 18), "Male": 1}
BY_RACE = {"White": 14 / 26, "Black": 6 / 16, "Native": 1}  # the only Native applicant is selected
BY_BOTH = {
    "Female, White": 0.6, "Female, Black": 0.25, "Female, Native": 1,
    "Male, White": 0.8, "Male, Black": 0.5,
}  # fmt: skip
WITHOUT = {"White": 1, "Black": (6 / 16) / (14 / 26)}
WITHOUT_BOTH = {
    "Female, White": 0.75,
    "Female, Black": 0.3125,
    "Male, White": 1,
    "Male, Black": 0.625,
}


@pytest.mark.parametrize(
    ("options", "race", "both"),
    [
        ({}, BY_RACE, BY_BOTH),
        ({"min_share": 0.03}, WITHOUT, WITHOUT_BOTH),
        ({"reference": ["Black"]}, {name: r / 0.375 for name, r in BY_RACE.items()}, BY_BOTH),
        (
            {"reference": ["Male", "White"]},
            {name: r / (14 / 26) for name, r in BY_RACE.items()},
            {name: r / 0.8 for name, r in BY_BOTH.items()},
        ),
    ],
)
@pytest.mark.parametrize(
    "table", [applicants(), applicants("score", 71, 70.5), applicants("prediction", "Yes", "no")]
)
def test_rates_and_impact_ratios_by_sex_race_and_both_by_hand(table, options, race, both):
    result = measure_predictions(table, by=["sex", "race"], **options)
    assert ratios(result, "sex") == pytest.approx(BY_SEX)
    assert ratios(result, "race") == pytest.approx(race)
    assert ratios(result, "sex, race") == pytest.approx(both)
    unknown = [(row["by"], row["n"]) for row in result.rates if row["group"] == "unknown"]
    assert unknown == [("sex", 6), ("race", 2), ("sex, race", 8)]
    assert "left out of 45 rows: 2 without race, 6 without sex" in result.text()
    [native] = [row for row in result.rates if row["group"] == "Native"]
    assert (native["n"], native["selected"], native["value"]) == (1, 1, 1)
    if "min_share" in options:
        assert native["note"] == "less than 3 % of the rows"


def test_intervals_of_rates_are_scipys_and_those_of_ratios_come_from_their_ends():
    result = measure_predictions(applicants(), by=["race"], level=0.9, reference=["White"])
    rates = {row["group"]: row for row in result.rates}
    own, other = (binomtest(*each).proportion_ci(0.9, "wilson") for each in ((6, 16), (14, 26)))
    assert (rates["Black"]["low"], rates["Black"]["high"]) == pytest.approx(tuple(own))
    ratio, p, q = (6 / 16) / (14 / 26), 6 / 16, 14 / 26
    below = math.hypot(math.log(p / own.low), math.log(other.high / q))
    above = math.hypot(math.log(own.high / p), math.log(q / other.low))
    ends = rates["Black"]["impact_low"], rates["Black"]["impact_high"]
    assert ends == pytest.approx((ratio * math.exp(-below), ratio * math.exp(above)))
    assert math.isnan(rates["White"]["impact_low"])
    assert rates["Native"]["impact_low"] < 1 < rates["Native"]["impact_high"]  # one of one


@pytest.mark.parametrize("unit", ["source", "term"])
def test_intervals_allow_for_examples_of_one_source_or_term(unit):
    """Eight units a group, each of five like examples: wider than the interval of eight."""
    rows = [(f"u{i}", "ab"[i % 2], int(i in (0, 1, 2))) for i in range(16) for _ in range(5)]
    units, group, found = zip(*rows, strict=True)
    table = {unit: units, "group": group, "prediction": found}
    if unit == "source":  # groups have two sources in common, with both outcomes
        table = {key: [*cells, *more] for (key, cells), more in zip(
            table.items(), (["x", "x"], ["a", "b"], [1, 0]), strict=True)}  # fmt: skip
    low, high = next(
        (row["low"], row["high"]) for row in measure_predictions(table).rates if row["group"] == "b"
    )
    expected = binomtest(1, 8).proportion_ci(0.95, "wilson")
    assert low < expected.low
    assert high > expected.high


def test_nobody_selected_and_three_classes():
    table = {"prediction": ["0"] * 8, "group": [*"aabb"] * 2}
    result = measure_predictions(table)
    assert values(result, "selection rate") == {"a": 0, "b": 0}
    assert all(math.isnan(ratio) for ratio in ratios(result).values())
    three = measure_predictions({"prediction": [*"xxyyxyzz"], "group": [*"aaaabbbb"]})
    rates = {(row["class"], row["group"]): row["value"] for row in three.rates if row["group"]}
    assert list(rates.values()) == [0.5, 0.25, 0.5, 0.25, 0, 0.5]
    assert "selection rates of x" in three.text()


def test_the_p_value_is_that_of_all_exchanges_within_labels():
    rng = np.random.default_rng(3)
    label = np.repeat([0, 1], 5)
    found = rng.integers(0, 2, 10)
    group = np.array(["a", "b", "a", "b", "a", "a", "b", "a", "b", "b"])

    def gap(groups):
        rates = [found[(label == 1) & (groups == name)].mean() for name in ("a", "b")]
        return abs(rates[0] - rates[1])

    true = gap(group)
    within = [np.r_[group[:5], list(order)] for order in permutations(group[5:])]
    expected = np.mean([gap(groups) >= true - 1e-9 for groups in within])
    table = {"label": label, "prediction": found, "group": group}
    row = next(r for r in measure_predictions(table).rows if r["metric"] == "TPR Gap")
    assert row["p_value"] == pytest.approx(expected, abs=0.05)


def test_variations_of_a_source_are_compared_within_it():
    table = {
        "source": ["1", "1", "2", "2", "3", "3", "4", "4", "5", "5", "6", "6"],
        "group": ["f", "m"] * 6,
        "probability": [0.2, 0.5, 0.4, 0.6, *[0.3, 0.3] * 4],
    }
    result = measure_predictions(table)
    assert values(result, "CFGap")[""] == pytest.approx((0.3 + 0.2) / 6)
    assert values(result, "Average Score Difference")[""] == pytest.approx(-0.5 / 6)
    assert not values(result, "TPR Gap")  # there are no labels
    unmoved = [row["note"] for row in result.rows if row["metric"] == "CFGap"]
    assert unmoved[0] == "no test: the same however groups are exchanged"


def test_a_file_gives_the_same_and_every_form_can_be_read(tmp_path):
    path = tmp_path / "predictions.csv"
    path.write_text(TEXT)
    result = measure_predictions(path)
    assert str(result.rows) == str(measure_predictions(HAND).rows)
    rates = [row for row in json.loads(result.to_json())["rows"] if "rate" in row["metric"]]
    assert [row["n"] for row in rates if row["metric"] == "selection rate"] == [8, 4, 4]


@pytest.mark.parametrize(
    ("column", "cell"),
    [
        *(("group", cell) for cell in ("nan", "None", " NA ", "", None, math.nan)),
        *(("group", cell) for cell in ("Unknown", "n/a")),
        *(("prediction", None), ("label", "nan")),
    ],
)
def test_rows_with_a_missing_value_are_left_out_and_counted(column, cell):
    row = {"label": 1, "prediction": 0, "group": "men"} | {column: cell}
    result = measure_predictions({key: [*HAND[key], row[key]] for key in HAND})
    facts = dict(result.facts)["left out"]
    own, whole = ([r for r in x.rows if r["group"] not in ("", "unknown")]
                  for x in (result, measure_predictions(HAND)))  # fmt: skip
    assert str(own) == str(whole)  # also where NaN
    assert facts == f"of 9 rows: 1 without {column}"
    assert facts in result.methods()


def test_rare_groups_are_named():
    table = {"group": ["a"] * 50 + ["b"] * 51 + ["c", "c"], "prediction": [0] * 60 + [1] * 43}
    assert measure_predictions(table).rates[-1]["note"] == "less than 2 % of the rows"


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"group": [None] * 8}, "the column group has no group .of 8 rows: 8 without group"),
        ({"group": ["a\tb", "b"] * 4}, "row 1: a control character"),
        ({"label": [True, False] * 4}, "have no class in common"),
        ({"group": ["a"]}, "equally long: label 8, prediction 8, group 1"),
        ({"Group": ["a"] * 8}, "must differ in name"),
    ],
)
def test_wrong_columns_are_one_line(changed, message):
    columns = {"label": [1, 0] * 4, "prediction": [0, 1] * 4, "group": [*"aabb"] * 2}
    with pytest.raises(UserError, match=message):
        measure_predictions(columns | changed)


def test_the_command_prints_the_table_and_refuses_what_has_no_effect(tmp_path):
    path = tmp_path / "predictions.csv"
    path.write_text(TEXT)
    result = CliRunner().invoke(cli, ["measure", "--predictions", str(path)])
    assert "lowest impact ratio" in result.output
    refusals = (["--predictions", "--groups", "gender"], ["--predictions", str(path)])
    for options in (*refusals, ["--min-share", "0.1"]):
        refused = CliRunner().invoke(cli, ["measure", str(path), *options])
        assert refused.exit_code == 1
        assert refused.output.count("\n") == 1
