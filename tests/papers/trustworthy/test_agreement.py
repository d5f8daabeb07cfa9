"""Agreement, Table 4 and the human column of Table 3 on annotations worked out by hand."""

from math import sqrt

import krippendorff
import numpy as np
import pandas as pd
import pytest
from statsmodels.stats.inter_rater import aggregate_raters, fleiss_kappa

from socialbias.corpora.annotation.items import Item, Sample
from socialbias.papers.trustworthy import table4
from tests.worlds import cells, summarised

WORDS = {"f": ["She", "slept"], "m": ["he", "slept"], "b": ["he", "and", "she"], ".": ["rain"]}
LISTS = {"code": {"male": ["he", "man"], "female": ["she"]}}


def sentences(letters):
    return [[word.lower() for word in WORDS[letter]] for letter in letters]


# Contexts and the labels of people; every context is a document of its own.
CONTEXTS = {
    "carpenter": {"f....": "female", "fm...": "male"},
    "pilot": {"m....": "male", ".m...": "male"},
    "nurse": {"m...f": "female", "f....": "female"},
    "dancer": {".....": "N/A", "m....": "male", "f....": "female", "...m.": "female"},
}


@pytest.fixture(scope="module")
def sample():
    items, document = {}, 0
    for target, contexts in CONTEXTS.items():
        for letters in contexts:
            name, words = f"{target} {letters}", sentences(letters)
            items[name] = Item(name, target, document, "", [], words, everyone=document % 2 == 0)
            document += 1
    return Sample(("female", "male"), items, {"source": "made"})


@pytest.fixture(scope="module")
def annotations():
    """Two annotators say what stands above; a third is always of another opinion."""
    rows = [
        (f"{target} {letters}", target, who, label if who != "carl" else "male")
        for target, contexts in CONTEXTS.items()
        for letters, label in contexts.items()
        for who in ("anna", "ben", "carl")
    ]
    return pd.DataFrame(rows, columns=["item", "target", "annotator", "label"])


@pytest.fixture(scope="module")
def table(annotations, sample):
    return table4.evidence(annotations, sample, LISTS)


def table4_of(contexts, seed=1):
    return summarised(table4, {table4.CONTEXTS: contexts}, seed=seed)


def agreement_of(labels, contexts):
    tables = {"annotations/labels": labels, "annotations/contexts": contexts}
    return summarised(table4.summarise_agreement, tables)


def test_table4_by_hand(table):
    """In sixths, the order being carpenter, pilot, nurse, dancer: people have (0, -3, 3, 1).

    One sentence: (3, -3, 3, -1). Sums about the means are 33/2 (xy), 75/4 (xx), 27 (yy), so that
    r2 is 1089/2025; ranks (2, 1, 4, 3) and (3.5, 1, 3.5, 2) have 3, 5 and 4.5.
    Two sentences: (0, -3, 3, -1). Sums 69/4, 75/4, 75/4; the ranks differ by 1 twice.
    Five: carpenter's second context and nurse's first have both groups: (3, -3, 3, -1) again.
    """
    found = cells(table4_of(table))
    result = {key: record["value"] for key, record in found.items()}
    assert result.keys() == {
        (str(n), f"{what}@code") for n in range(1, 6) for what in ("spearman_rho", "pearson_r2")
    }
    for n in "15":
        assert result[n, "spearman_rho@code"] == pytest.approx(3 / sqrt(22.5))
        assert result[n, "pearson_r2@code"] == pytest.approx(1089 / 2025)
    for n in "23":
        assert result[n, "spearman_rho@code"] == pytest.approx(0.8)
        assert result[n, "pearson_r2@code"] == pytest.approx((69 / 75) ** 2)
    cell = found["2", "pearson_r2@code"]
    assert (cell["n"], cell["n_of"]) == (4, 8)
    assert 0 <= cell["ci_low"] <= cell["ci_high"] <= 1 + 1e-9
    # Resamples lie around the number that was measured.
    assert np.nanmedian(cell["draws"]) == pytest.approx(cell["value"], abs=0.02)


def test_both_sides_are_resampled_alike(table):
    """Labels that are equal stay so in every resample."""
    part = table[table["n"] == 2].assign(automated=lambda t: t["human"])
    human, automated = (table4.biases_of(part, side, 20, 1) for side in ("human", "automated"))
    pd.testing.assert_frame_equal(human, automated)
    assert human.iloc[0].to_dict() == pytest.approx(
        {"carpenter": 0, "pilot": -1 / 2, "nurse": 1 / 2, "dancer": 1 / 6}
    )
    assert set(human["carpenter"]) == {-1 / 2, 0, 1 / 2}  # either document twice, or both


def test_the_human_column_of_table3(table):
    found = cells(table4.table3_values(table, 0.95))
    result = {row: (cell["value"], cell["n"]) for (row, _), cell in found.items()}
    assert result == {
        "carpenter": (0, 2),
        "pilot": (-1 / 2, 2),
        "nurse": (1 / 2, 2),
        "dancer": (pytest.approx(1 / 6), 3),
    }
    assert {column for _, column in found} == {"text-human"}
    assert all(cell["ci_low"] <= cell["value"] <= cell["ci_high"] for cell in found.values())


def test_a_target_without_any_group_has_no_human_bias(sample, annotations):
    labels = annotations["label"].where(annotations["target"] != "pilot", "N/A")
    table = table4.evidence(annotations.assign(label=labels), sample, LISTS)
    records = table4.table3_values(table, 0.95)
    assert {record["row"] for record in records} == {"carpenter", "nurse", "dancer"}


def test_agreement_by_hand(table, annotations, sample):
    """Of whole contexts the exclusive rule has 3 for female, all rightly, of 5 there are.

    A mention gives 5, of which 4 rightly. For male: 3 of 4, of 4 there are; a mention 4 of 6.
    """
    labels = table4.agreement_evidence(annotations, sample)
    records = agreement_of(labels, table)
    result = {key: record["value"] for key, record in cells(records).items()}
    shared = annotations[annotations["item"].map(lambda name: sample.items[name].everyone)]
    grid = shared.pivot(index="item", columns="annotator", values="label")
    kappa = fleiss_kappa(aggregate_raters(grid.to_numpy())[0])
    counts = pd.crosstab(annotations["item"], annotations["label"]).to_numpy()
    alpha = krippendorff.alpha(value_counts=counts, level_of_measurement="nominal")
    expected = {("fleiss_kappa", "value"): kappa, ("krippendorff_alpha", "value"): alpha}
    for group, exclusive, mention in (
        ("female", (1, 3 / 5), (4 / 5, 4 / 5)),
        ("male", (3 / 4, 3 / 4), (4 / 6, 1)),
    ):
        for rule, shares in (("exclusive", exclusive), ("any-mention", mention)):
            for what, share in zip(("precision", "recall"), shares, strict=True):
                expected[f"{what} {group}", f"{rule}@code"] = share
    assert result == pytest.approx(expected)
    assert [record["n"] for record in records if record["column"] == "value"] == [5, 10]


def test_without_annotations_there_is_no_evidence_and_no_value(sample):
    nothing = pd.DataFrame(columns=["item", "target", "annotator", "label"])
    contexts, labels = (
        table4.evidence(nothing, sample, LISTS),
        table4.agreement_evidence(nothing, sample),
    )
    assert table4_of(contexts) == []
    assert table4.table3_values(contexts, 0.95) == []
    assert agreement_of(labels, contexts) == []
