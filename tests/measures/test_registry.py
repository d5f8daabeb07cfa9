"""The registry of measures: complete, and true of the functions that it names."""

from importlib import import_module

import numpy as np
import pandas as pd
import pytest

import socialbias
from socialbias.measurement.instruments import instrument
from socialbias.measures.fairness.registry import METRICS
from socialbias.measures.registry import ALIASES, MEASURES, VECTORS, every, offered
from tests.paths import REPOSITORY

SIMULATED = set(pd.read_csv(REPOSITORY / "tests/simulations/figures.csv")["kind"])
TEXTS = ("title", "formula", "range", "no_effect", "direction", "limits", "citation", "error_rates")
ON_VECTORS = pytest.mark.parametrize("measure", VECTORS, ids=lambda measure: measure.name)


@pytest.mark.parametrize("measure", every(), ids=lambda measure: measure.name)
def test_a_measure_has_every_text_and_names_code_and_error_rates_that_there_are(measure):
    module, _, name = (measure.code or measure.path).partition(":")
    assert callable(getattr(import_module(module), name))
    assert set(measure.error_rates) <= SIMULATED
    assert all(getattr(measure, text) for text in TEXTS)
    assert measure.label or not measure.tables


def test_a_measure_is_there_once():
    names = [measure.name for measure in every()]
    assert len(set(names)) == len(names)
    assert {measure.key for measure in every()} >= METRICS.keys()


@ON_VECTORS
def test_a_measure_takes_the_groups_and_has_the_range_that_the_registry_says(measure):
    rng = np.random.default_rng(1)
    targets, groups = rng.normal(size=(500, 3)), list(rng.normal(size=(3, 4, 3)))
    if measure.divdist:  # its range is that of shares
        targets, groups = abs(targets), [abs(group) for group in groups]
    biases = measure.function(targets, groups[:2])
    assert biases.shape == (500,)
    assert (biases >= measure.low).all()
    assert (biases <= measure.high).all()
    assert (biases < 0).any() == measure.signed
    if measure.many:
        assert measure.function(targets, groups).shape == (500,)
    else:
        with pytest.raises((ValueError, TypeError)):
            measure.function(targets, groups)


@ON_VECTORS
def test_a_measure_takes_lists_of_other_lengths_unless_it_needs_pairs(measure):
    targets, groups = np.eye(3), [np.eye(3)[:2], np.ones((3, 3))]
    if measure.pairs:
        with pytest.raises(ValueError, match="aligned pairs"):
            measure.function(targets, groups)
    else:
        assert np.isfinite(measure.function(targets, groups)).all()


@ON_VECTORS
def test_shuffling_words_between_groups_changes_a_measure_if_the_registry_says_so(measure):
    rng = np.random.default_rng(2)
    words, targets = abs(rng.normal(size=(8, 3))), abs(rng.normal(size=(5, 3)))
    one, other = (measure.function(targets, np.split(words[order], 2))
                  for order in (np.arange(8), [0, 1, 4, 5, 2, 3, 6, 7]))  # fmt: skip
    assert np.allclose(one, other) != measure.shuffled


def test_every_measure_on_vectors_is_offered_or_a_version_of_one_that_is():
    names = offered()
    assert len(set(names)) == len(names)
    assert set(names) | {m.name for m in MEASURES.values() if m.version_of} == set(MEASURES)
    for version in (m for m in MEASURES.values() if m.version_of):
        assert version.name.startswith(f"{version.version_of}-")
        assert version.version_of in names


def test_an_authors_name_is_an_alias_and_the_key_of_rows():
    rows = {"ripa-uncentred": "ethayarajh-uncentred", "mac": "manzini", "directed": "directed"}
    assert {name: MEASURES[name].row for name in rows} == rows
    assert not ALIASES.keys() & MEASURES.keys()
    for alias, name in ALIASES.items():
        assert instrument(alias, 2) == MEASURES[name]
    assert socialbias.ethayarajh is socialbias.ripa


def test_a_negative_association_makes_no_share_of_the_framework_alone():
    targets, groups = [[1.0, 0.0], [0.0, 1.0]], ([[-1.0, 0.0]], [[0.0, 1.0]])
    expected = {"directed": [True, False], "divdist": [True, False], "association": [False] * 2}
    for name, negative in expected.items():
        assert MEASURES[name].negative(targets, groups).tolist() == negative
