"""The factorial: worlds that keep effects apart, and effects that are those that were made."""

import numpy as np
import pandas as pd
import pytest

from socialbias.config import Config
from socialbias.papers.validation import recovery_factors, recovery_factors_figure
from socialbias.papers.validation.planted_corpus import write
from socialbias.papers.validation.planted_design import DIRECT, NULL, Design
from socialbias.papers.validation.recovery import text_evidence
from socialbias.papers.validation.recovery_factors import FACTORS, worlds
from socialbias.pipeline.job import Job
from socialbias.reporting.artefact import Artefact
from socialbias.reporting.drawing import Drawing
from socialbias.stats.seeding import generator
from tests.declared import DECLARATIONS
from tests.papers.validation.test_recovery_corpora import settings
from tests.records import value, values_table

LEVEL = 0.95


@pytest.mark.parametrize("number", [8, 16, 32])
def test_worlds_keep_main_effects_apart(number):
    levels = worlds(number)
    assert levels.shape == (number, len(FACTORS))
    assert len(np.unique(levels, axis=0)) == number
    assert (levels.T @ levels == number * np.eye(len(FACTORS))).all()
    assert (levels.sum(axis=0) == 0).all()


def test_in_half_of_the_worlds_main_effects_are_apart_from_those_of_two_factors():
    levels = worlds(16)
    for i in range(5):
        for j in range(i):
            assert (levels.T @ (levels[:, i] * levels[:, j]) == 0).all()


def test_a_world_is_planted_as_its_levels_say():
    low, times = recovery_factors.design_of(np.full(5, -1))
    high, more = recovery_factors.design_of(np.full(5, 1))
    assert (low.most, low.base, low.concentration, low.noise) == (0.45, (0.5, 0.5), 4, 0)
    assert (high.most, high.base, high.concentration, high.noise) == (0.9, (0.75, 0.25), 16, 0.25)
    assert (times, more) == (0.5, 1.5)


def test_noise_attenuates_text_by_its_share_and_leaves_the_truth():
    design = Design(direct=12, second_order=4, null=4, noise=0.25, concentration=50.0)
    corpus = write(design, 400_000, generator(2, "noise")).prepared()
    table = text_evidence(corpus, design, LEVEL, "text")
    direct = table[table["kind"] == DIRECT]
    assert np.polyfit(direct["truth"], direct["measured"], 1)[0] == pytest.approx(0.75, abs=0.04)
    without = Design(direct=12, second_order=4, null=4, concentration=50.0)
    assert (design.targets["truth 0"] == without.targets["truth 0"]).all()


def rows(levels, corpus: int, slope: float, flagged: float) -> pd.DataFrame:
    truth = np.array([0.2, 0.4, 0.8, 0.5, 0.5])
    about = {"measure": "text", "kind": [DIRECT] * 3 + [NULL] * 2, "truth": truth}
    about |= {"measured": slope * truth, "flagged": [1, 1, flagged, 0, flagged]}
    return pd.DataFrame(about | dict(zip(FACTORS, levels, strict=True)) | {"corpus": corpus})


def test_effects_are_those_that_were_made():
    rng, parts = np.random.default_rng(3), []
    for world, levels in enumerate(worlds(32)):
        for corpus in range(2):
            slope = 1 - 0.1 * levels[4] + 0.05 * levels[1] + 0.01 * rng.standard_normal()
            parts.append(rows(levels, corpus, slope, float(levels[2] > 0)).assign(world=world))
    found = {r["column"]: r for r in recovery_factors.values(pd.concat(parts), LEVEL)}
    assert found["mean@slope"]["value"] == pytest.approx(1, abs=0.01)
    assert found["noise@slope"]["value"] == pytest.approx(-0.2, abs=0.01)
    assert found["base@slope"]["value"] == pytest.approx(0.1, abs=0.01)
    leaning = found["leaning@slope"]
    assert leaning["ci_low"] < 0 < leaning["ci_high"]
    assert found["frequency@alarms"]["value"] == pytest.approx(1 / 2)
    assert found["frequency@power"]["value"] == pytest.approx(1 / 3)
    assert found["mean@rank"]["value"] == pytest.approx(1)
    assert not any("weak" in record for record in found.values())


def test_effects_and_their_intervals_are_least_squares():
    import statsmodels.api as sm

    rng = np.random.default_rng(4)
    levels, numbers = np.repeat(worlds(8), 2, axis=0), rng.standard_normal(16)
    fit = sm.OLS(numbers, sm.add_constant(levels / 2)).fit()
    effects, half = recovery_factors.regression(levels, numbers, LEVEL)
    assert effects == pytest.approx(fit.params)
    assert np.column_stack([effects - half, effects + half]) == pytest.approx(fit.conf_int())


def test_no_more_corpora_than_effects_have_no_interval():
    effects, half = recovery_factors.regression(worlds(8)[:5], np.arange(5.0), LEVEL)
    assert np.isnan(effects).all()
    assert np.isnan(half).all()


def test_every_panel_of_the_figure_has_one_unit():
    columns = [f"{factor}@{name}" for factor in FACTORS for name in recovery_factors.UNITS]
    records = [
        value("text", column, i / 10, unit=recovery_factors.UNITS[column.partition("@")[2]])
        for i, column in enumerate(columns)
    ]
    entry = Artefact(**DECLARATIONS.artefacts["validation_recovery_factors"].shown())
    published = pd.DataFrame(columns=["row", "column", "value"])
    values = values_table("recovery_factors", records, 1)
    style = Config().style_of("validation_recovery_factors")
    drawing = Drawing(entry, values, published, style, Job({}, {}, print))
    figure = recovery_factors_figure.draw(drawing)
    units = {axes.get_title(loc="left"): axes.get_xlabel() for axes in figure.axes}
    assert units == {
        f"change in {entry.variants[name]}": unit for name, unit in recovery_factors.UNITS.items()
    }
    marks = [line for line in figure.axes[0].get_lines() if line.get_marker() in ("o", "s")]
    shown = {float(line.get_xdata()[0]) for line in marks if len(line.get_xdata())}
    assert shown == {columns.index(f"{factor}@slope") / 10 for factor in entry.drawn}


@pytest.mark.long
def test_a_small_factorial_is_measured_as_declared():
    given = settings(2, 1) | {"trustworthy.recovery.worlds": 8}
    given |= {"trustworthy.recovery.world_corpora": 1, "trustworthy.recovery.world_tokens": 30_000}
    evidence = recovery_factors.measure(Job({}, given, lambda line: None))
    assert evidence.groupby(["world", "corpus"]).ngroups == 8
    records = recovery_factors.values(evidence, LEVEL)
    declared = DECLARATIONS.artefacts
    expected = {(c.row, c.column) for c in declared["validation_recovery_factors"].cells()}
    assert {(r["row"], r["column"]) for r in records} == expected
    assert all("8 of 32 worlds" in record["weak"] for record in records)
    values_table("recovery_factors", records, 1)
