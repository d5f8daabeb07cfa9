"""Table 2, Table 7, Figures 1 to 3 and what stands behind them, on numbers worked out by hand."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from socialbias.config import FigureStyle
from socialbias.papers.fairness import data_tables, figure1, figure2, figure3, metrics, model_tables
from socialbias.papers.fairness.behind import MAX_SENTENCES, groups
from socialbias.papers.fairness.heat import Panel, heat_maps
from socialbias.papers.fairness.metrics import (
    ABOVE,
    ORDER,
    corrected,
    summed_up,
    terms_of,
)
from socialbias.reporting.artefact import Artefact
from socialbias.reporting.drawing import Drawing
from tests.worlds import cells, job_with, numbers, printed, summarised
from tests.worlds.fairness import DEALS


def test_table_2_has_the_marks_that_print_counts():
    ours, table = numbers(data_tables.table2(None)), printed("fairness", "table2")
    for cell in table.itertuples(index=False):
        assert ours[cell.row, cell.column] == float(cell.value), cell
    assert len(table) == 22 + 6


def test_a_term_of_two_groups_or_classes_is_two_terms():
    rows = [("Dominican", "adj", "q1"), ("Dominican", "adj", "q4"), ("Dominican", "n", "q1")]
    assert terms_of(pd.DataFrame(rows, columns=["term", "word_class", "group"])).nunique() == 3


def _row(metric, number, null):
    deals = np.array([null - 0.5, null + 0.5])
    return {
        "metric": metric, "version": "published", "class_": "positive", "value": number,
        "null_mean": null, "sampled": np.array([number, number + 2]), "dealt": deals,
    }  # fmt: skip


def test_an_attribute_is_the_mean_of_shares_of_the_largest():
    rows = {"FPED": _row("FPED", 2.0, 1.0), "FNED": _row("FNED", 1.0, 0.5)}
    order, above = summed_up(rows, {"FPED": 4.0, "FNED": 2.0}, "gender@binary", 0.95)
    assert (order["row"], order["value"], above["row"], above["value"]) == (ORDER, 0.5, ABOVE, 0.25)
    assert order["column"] == above["column"] == "gender@binary"
    # Samples of 2 and 4 (1 and 3) are centred to 1 and 3 (0 and 2).
    assert {*np.round(above["draws"] - above["value"], 1)} <= {-0.4, 0.4, -0.3, 0.3}
    assert abs(np.mean(above["draws"]) - 0.25) < 1e-9


def test_an_absolute_gap_is_judged_less_its_noise_and_a_signed_one_as_it_is():
    # Samples are larger by 1, the value by 1 (far from 0) to 1 / (sqrt(2) - 1) (no difference).
    draws = corrected(_row("FPED", 5.0, 1.0))
    assert np.mean(draws) == pytest.approx(5 - (1 + 1 + np.sqrt(2)) / 2, abs=0.05)
    # A value of 5 with noise of 6^2 - 5^2 is 6 on average: samples of 4 gain more than of 6.
    low, high = (np.mean(draws[(draws > 3.3) == above]) for above in (False, True))
    added = np.sqrt(16 + 11) - 4, np.sqrt(36 + 11) - 6
    assert high - low == pytest.approx(2 + (1 + np.sqrt(0.5)) * (added[0] - added[1]), abs=0.05)
    assert np.mean(corrected(_row("PosAvgEG", 0.3, 0.1))) == pytest.approx(0.3)
    assert np.mean(corrected(_row("FPR Ratio", 5.0, 1.0))) == pytest.approx(5)


SUITE = pd.DataFrame(
    [
        ("gender", source, 2 * (source % 2), group, f"{group}{i}", "adj")
        for source in range(6)
        for group in "abc"
        for i in range(2)
    ],
    columns=["attribute", "source", "label", "group", "term", "word_class"],
)


@pytest.fixture
def job():
    """Group a has every positive example missed; the others have none."""
    missed = (SUITE["group"] == "a") | (SUITE["label"] == 0)
    positive = np.where(missed, 0.2, 0.7) + np.arange(len(SUITE)) / 1000
    table = SUITE.assign(negative=1 - positive, neutral=np.nan, positive=positive)
    return job_with({"evidence/fairness/sentiment_binary": table}, **DEALS)


def test_metrics_of_a_group_that_is_always_missed(job):
    job.files[metrics.METRICS_EVIDENCE] = [metrics.measure(job)]
    found = cells(figure1.summarise(job))
    result = {row: found[row, "gender@binary"]["value"] for row in figure1.ROWS}
    # FNR 1, 0, 0 and 1/3 of all; TPR differs by 1 in two pairs of three.
    assert result["FNED"] == pytest.approx(2 / 3 + 1 / 3 + 1 / 3)
    assert result["FNED*"] == pytest.approx(result["FNED"] / 3)
    assert result["TPR Gap"] == pytest.approx(2 / 3)
    assert result["FPED"] == result["TNR Gap"] == 0
    assert found["FNED", "gender@binary-null"]["n"] == DEALS["fairness.deals"]
    groups = numbers(figure2.summarise(job))
    assert groups["FNED", "gender a@binary"] == pytest.approx(2 / 3)
    assert groups["FNR Ratio", "gender b@binary"] == 0
    assert groups["PosAvgEG", "gender a@binary"] == -0.5  # below all others
    assert groups["FNED", "gender all@binary"] == result["FNED"]
    assert groups[ABOVE, "gender a@binary"] > groups[ABOVE, "gender b@binary"]


def test_effects_of_templates_that_agree():
    ordered = np.arange(12.0).reshape(4, 3)
    np.testing.assert_allclose(model_tables.effects(ordered, 1), 1)
    np.testing.assert_allclose(model_tables.effects(ordered[:, :2], 1), -1)
    # Two templates for and two against: on average over samples the sum of ranks is as large.
    opposed = np.vstack([ordered, ordered[:, ::-1]])
    assert model_tables.effects(opposed, 1).mean() < 0.3


def test_p_values_of_groups(job):
    found = cells(model_tables.table7(job))
    p, effect = (found["gender", f"semeval-2 {name}@positive"] for name in ("p", "effect"))
    assert p["note"] == "Friedman, 3 groups"
    assert effect["unit"] == "Kendall's W"
    assert p["p_value"] == p["value"] < 0.05
    assert 0.5 < effect["value"] <= 1


@pytest.mark.parametrize(
    "summarise",
    [figure1.summarise, figure2.summarise, figure3.summarise, model_tables.table7],
)
def test_without_evidence_there_are_no_numbers(summarise):
    assert list(summarise(job_with())) == []


ROWS, COLUMNS = {"FNED": "FNED [P]", "FNR Ratio": "ratio"}, {"all": "all", "a": "a", "b": "b"}
VALUES = pd.DataFrame(
    [
        ("FNED", "all", 9.0, ""), ("FNED", "a", 0.25, ""), ("FNED", "b", -0.5, ""),
        ("FNR Ratio", "a", 0.0, "0/0 counted as 0"), ("FNR Ratio", "b", 3.0, ""),
    ],
    columns=["row", "column", "value", "note"],
)  # fmt: skip


def _drawn():
    facts = {"title": "t", "shows": "s", "unit": "metric", "digits": 3}
    artefact = Artefact(paper="fairness", artefact="figure2", rows=ROWS, columns=COLUMNS, **facts)
    drawing = Drawing(artefact, VALUES, pd.DataFrame(), FigureStyle().model_dump(), None)
    panel = Panel("a) gender", VALUES, list(ROWS), list(COLUMNS))
    return heat_maps(drawing, [panel], ratios=["FNR Ratio"], plain=["all"])


def test_cells_have_their_numbers_and_rows_their_shades():
    axis, key = _drawn().axes
    assert "ratios: 1" in key.get_xlabel()
    shown = [text.get_text() for text in axis.texts]
    assert shown == ["9.000", ".250", "−.500", "", ".000", "3.000"]
    assert [label.get_text() for label in axis.get_yticklabels()] == ["FNEDᴾ", "ratio"]
    shades = axis.collections[0].get_array()
    np.testing.assert_allclose(shades.filled(np.nan), [[np.nan, 0.5, -1], [np.nan, np.nan, 1]])


COUNTS = pd.DataFrame(
    [
        ("nationality", source, group, f"{group}{i}", "country", "LOC", 1, result, result, p)
        for source in range(4)
        for i in range(2)
        for group, result, p in (("q1", int(source == 0), 0.1), ("q2", 1, 0.9), ("q3", 1, 0.9))
    ],
    columns=["attribute", "source", "group", "term", "word_class", "class", "gold", "predicted",
             "found", "probability"],
)  # fmt: skip


def test_a_sixth_whose_places_are_missed():
    cells = numbers(summarised(figure3, {figure3.RECOGNISERS["tagger"]: COUNTS}, **DEALS))
    # Of q1 3 in 4 are missed, of all 1 in 4, and of the others none.
    assert cells["FNED", "q1@tagger"] == pytest.approx(1 / 2)
    assert cells["FNED", "all@tagger"] == pytest.approx(1 / 2 + 1 / 4 + 1 / 4)
    assert cells["FNED*", "all@tagger"] == pytest.approx(1 / 3)
    assert cells["FNR Ratio", "q2@tagger"] == 0
    assert cells["TPR Gap", "q2@tagger"] == pytest.approx(3 / 8)  # .75 from q1, 0 from q3
    assert cells["AvgEG (TC)", "q1@tagger"] == -0.5
    assert cells["CFGap (TC)", "all@tagger"] == pytest.approx(0.8 * 2 / 3)
    assert ("AvgEG (TC)", "all@tagger") not in cells


def test_sentences_of_a_group_are_spread_over_its_templates():
    keys = [
        {"attribute": "age", "kind": "generic", "source": s, "group": "old", "term": f"t{term}"}
        for s in range(4)
        for term in range(10)
    ]
    suites = pd.DataFrame(keys).assign(text=lambda t: t["term"] + " in " + t["source"].astype(str))
    suites = suites.assign(word_class="adj", label=2)
    suites.loc[1, ["term", "word_class"]] = ["t0", "n"]  # a term of two word classes
    scores = suites.drop(columns="text").assign(positive=0.25)
    inputs = {"suites": suites, "sentiment_binary": scores}
    job = job_with({f"evidence/fairness/{name}": table for name, table in inputs.items()})
    [items] = groups(job)
    assert items.keys[0] == "age old"
    assert "age" in items.keys
    assert len(items.table) == MAX_SENTENCES
    assert (
        items.table["sentence"].str.split().str[-1].value_counts().tolist()
        == [MAX_SENTENCES // 4] * 4
    )
    assert items.table.iloc[0].tolist() == ["t0", "t0 in 0", "positive", "0.25"]
    assert "of 40 sentences" in items.note
