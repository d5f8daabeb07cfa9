"""Agreement of annotators on labels worked out by hand."""

import numpy as np
import pandas as pd
import pytest

from socialbias.stats.agreement import (
    fleiss_kappa,
    krippendorff_alpha,
    label_counts,
    majority,
)

LABELS = ["female", "male", "N/A"]
FULL = {"f": "female", "m": "male", "n": "N/A"}


def annotated(items):
    """Labels by one letter each: {item: "ffm"}, a letter an annotator, `-` for none."""
    rows = [
        (item, f"annotator {i}", FULL[letter])
        for item, letters in items.items()
        for i, letter in enumerate(letters)
        if letter != "-"
    ]
    return pd.DataFrame(rows, columns=["item", "annotator", "label"])


def statistics(items, replicates=50):
    rng = np.random.default_rng(1)
    return [s(annotated(items), LABELS, replicates, 0.95, rng)
            for s in (fleiss_kappa, krippendorff_alpha)]  # fmt: skip


def test_kappa_and_alpha_by_hand():
    """Of the pairs of labels of an item agree: 1, 1/3, 1, 1/3; on average 2/3.

    Of the 12 labels 6 are f, 4 m and 2 n, so that by chance agree 1/4 + 1/9 + 1/36 = 7/18 and
    kappa is (12/18 - 7/18) / (11/18). Alpha draws pairs without replacement: by chance
    (6 x 5 + 4 x 3 + 2 x 1) / (12 x 11) = 1/3 agree, and it is (2/3 - 1/3) / (2/3).
    """
    kappa, alpha = statistics({"a": "fff", "b": "ffm", "c": "mmm", "d": "nnf"})
    assert kappa.value == pytest.approx(5 / 11)
    assert alpha.value == pytest.approx(1 / 2)
    for found in (kappa, alpha):
        assert found.low < found.value < found.high
        assert (found.n, np.isnan(found.p_value)) == (4, True)


def test_kappa_needs_all_annotators_and_alpha_two():
    """Item e lacks one annotator. Alpha has 14 labels of items with two or more: 6 f, 6 m, 2 n.

    Observed disagreement: b and d have 4 of 6 ordered pairs each, e none; weighed by labels of
    an item it is (3 x 2/3 + 3 x 2/3) / 14 = 2/7. By chance (2 x (6 x 6 + 6 x 2 + 6 x 2)) / (14 x
    13) = 120/182, so alpha is 1 - (2/7) (182/120) = 1 - 52/120.
    """
    items = {"a": "fff", "b": "ffm", "c": "mmm", "d": "nnf", "e": "m-m", "g": "--f"}
    kappa, alpha = statistics(items)
    assert (kappa.value, kappa.n) == (pytest.approx(5 / 11), 4)
    assert (alpha.value, alpha.n) == (pytest.approx(1 - 52 / 120), 5)


def test_full_agreement():
    kappa, alpha = statistics({"a": "ff", "b": "mm", "c": "nn"})
    assert kappa.value == alpha.value == kappa.high == alpha.high == 1


@pytest.mark.parametrize(
    "items",
    [
        {},
        {"a": "ff"},  # one item
        {"a": "f", "b": "m"},  # one annotator
        {"a": "ff", "b": "ff"},  # one label: 0/0
    ],
)
def test_nothing_to_agree_on(items):
    for found in statistics(items):
        assert np.isnan([found.value, found.low, found.high]).all()


def test_majority_and_ties():
    labels = annotated({"a": "ffm", "b": "fm", "c": "fn", "d": "m", "e": "nnf", "g": "fmn"})
    found = majority(labels, LABELS, "N/A").to_dict()
    assert found == {"a": "female", "b": "N/A", "c": "N/A", "d": "male", "e": "N/A", "g": "N/A"}
    assert label_counts(labels, LABELS).loc["a"].tolist() == [2, 1, 0]
