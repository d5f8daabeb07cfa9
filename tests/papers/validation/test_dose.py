"""Doses: planted slopes as the evidence of a run has them, and what is trained for them."""

import numpy as np
import pandas as pd
import pytest

from socialbias.papers.validation import dose
from socialbias.papers.validation.dose import PARTS
from tests.worlds import cells, job_with, prepared, summarised, vectors

PROFESSIONS = [f"profession {i:02}" for i in range(12)]
GROUPS = {"female": ["she"], "male": ["he"]}
WOMEN = pd.DataFrame({"female": np.linspace(0.1, 0.9, 12)}, index=PROFESSIONS)


def found_in(table: pd.DataFrame, census: pd.DataFrame, monkeypatch) -> dict:
    monkeypatch.setattr(dose, "read_employment", lambda job, year: {"gender": census})
    return cells(summarised(dose, {dose.EVIDENCE: table}, **{"trustworthy.census_year": 2015}))


def biased(levels: dict[float, float]) -> pd.DataFrame:
    """Biases that follow employment, the more so the higher the layer, with some noise."""
    rng = np.random.default_rng(1)
    z = np.linspace(-1, 1, 12)
    rows = [
        ("layers", level, f"layer {level:.0f}", profession, strength * z[i] + noise)
        for level, strength in levels.items()
        for i, (profession, noise) in enumerate(
            zip(PROFESSIONS, 0.1 * rng.standard_normal(12), strict=True)
        )
    ]
    return pd.DataFrame(rows, columns=["column", "level", "row", "unit", "bias"])


def test_layers_come_to_follow_employment(monkeypatch):
    table = biased({0.0: 0.0, 3.0: 0.1, 6.0: 0.4})
    found = found_in(table, WOMEN, monkeypatch)
    last = table[table["level"] == 6]["bias"]
    assert found["layers size", "level 3"]["value"] == pytest.approx(last.abs().mean())
    assert found["layers size", "level 3"]["note"] == "layer 6"
    sizes = table["bias"].abs().groupby(table["level"]).mean()
    slope = np.polyfit([0, 0.5, 1], sizes, 1)[0]  # by shares of the depth
    assert found["layers size", "slope"]["value"] == pytest.approx(slope)
    expected = np.corrcoef(last, WOMEN["female"])[0, 1]
    assert found["layers employment", "level 3"]["value"] == pytest.approx(expected)
    slope = found["layers employment", "slope"]
    assert slope["value"] > 0
    assert slope["p_value"] < 0.05


def test_a_profession_outside_the_census_has_a_size_alone_and_few_have_no_slope(monkeypatch):
    found = found_in(biased({0.0: 0.1, 1.0: 0.2}), WOMEN[:3], monkeypatch)
    assert found["layers size", "slope"]["n"] == 12
    assert found["layers employment", "slope"]["note"].startswith("too few: 3 professions")


def test_leanings_by_hand():
    space = vectors(she=(0, 2), he=(3, 0), nurse=(0, 1), pilot=(3, 4))
    found = dose.leanings(space, ["nurse", "pilot"], GROUPS)
    assert found == pytest.approx([1, 4 / 5 - 3 / 5])


def test_at_most_seven_layers_with_the_first_and_the_last():
    assert dose.chosen_layers(2) == [0, 1, 2]
    assert dose.chosen_layers(12) == [0, 2, 4, 6, 8, 10, 12]
    assert len(dose.chosen_layers(24)) == 7


def job(folder, monkeypatch):
    """A job that trains on 200 documents in which most professions stand beside one group."""
    rng = np.random.default_rng(4)
    texts = []
    for i in range(200):
        group, jobs = (("she", "nurse dancer"), ("he", "pilot soldier"))[i % 2]
        filler = " ".join(f"w{n}" for n in rng.integers(0, 30, 20))
        texts.append(f"{group} {jobs} {filler} {group} {jobs}")
    monkeypatch.setattr(dose, "first_gender_list", lambda job: ("code", GROUPS))
    monkeypatch.setattr(dose, "census_words", lambda job: ["nurse", "absent"])
    lists = folder / "lists.yaml"
    lists.write_text("professions: [pilot, dancer, soldier]\n")
    settings = {"tokens": 1300, "dimensions": 8, "min_count": 1, "epochs": 4}
    settings = {f"trustworthy.dose.{name}": number for name, number in settings.items()}
    settings |= {"bad_seeds.window": 5, "bad_seeds.negative": 2, "bad_seeds.sample": 1e-3}
    inputs = {"prepared/wikitext": prepared(folder / "text", texts)}
    return job_with(inputs | {"word_lists/trustworthy": lists}, **settings)


def test_four_trainings_after_every_power_of_two_epochs(tmp_path, monkeypatch):
    given = job(tmp_path, monkeypatch)
    table = dose.measure_epochs(given)
    assert sorted(table["level"].unique()) == [1, 2, 4]
    assert set(table["unit"]) == {"nurse", "pilot", "dancer", "soldier"}
    counts = table.groupby(["level", "part"]).size()
    assert counts.tolist() == [4] * PARTS * 3
    # Levels are other vectors, and trainings too.
    wide = table.pivot(index="unit", columns=["level", "part"], values="bias")
    assert len({*wide.loc["nurse"].round(9)}) == wide.shape[1]
    pd.testing.assert_frame_equal(table, dose.measure_epochs(given))
    groups = {"female": ["absent"], "male": ["he"]}
    monkeypatch.setattr(dose, "first_gender_list", lambda job: ("code", groups))
    assert dose.measure_epochs(given).empty
