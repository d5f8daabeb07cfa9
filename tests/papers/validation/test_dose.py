"""Doses: planted slopes as the evidence of a run has them, and what is trained for them."""

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from socialbias.corpora.documents import Document
from socialbias.corpora.prepare import prepare
from socialbias.corpora.prepared import Corpus
from socialbias.embeddings.vectors import WordVectors
from socialbias.papers.validation import dose
from socialbias.papers.validation.dose import PARTS
from socialbias.pipeline.job import Job
from tests.declared import DECLARATIONS
from tests.paths import REPOSITORY
from tests.records import values_table

PROFESSIONS = [f"profession {i:02}" for i in range(12)]
GROUPS = {"female": ["she"], "male": ["he"]}
WOMEN = pd.DataFrame({"female": np.linspace(0.1, 0.9, 12)}, index=PROFESSIONS)
DECLARED = DECLARATIONS.artefacts["validation_dose"]


class Tables(Job):
    def table(self, name: str) -> pd.DataFrame:
        return self.files[name]


def cells(table: pd.DataFrame, census: pd.DataFrame, monkeypatch) -> dict:
    """Records by row and column; also checks that they are declared."""
    monkeypatch.setattr(dose, "read_employment", lambda job, year: {"gender": census})
    settings = {"seed": 1, "intervals.level": 0.95, "trustworthy.census_year": 2015}
    records = list(dose.summarise(Tables({dose.EVIDENCE: table}, settings, print)))
    known = {(cell.row, cell.column) for cell in DECLARED.cells()}
    assert {(record["row"], record["column"]) for record in records} <= known
    values_table("dose", records, 1)
    return {(record["row"], record["column"]): record for record in records}


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
    found = cells(table, WOMEN, monkeypatch)
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
    found = cells(biased({0.0: 0.1, 1.0: 0.2}), WOMEN[:3], monkeypatch)
    assert found["layers size", "slope"]["n"] == 12
    few = found["layers employment", "slope"]
    assert few["note"] == "too few: 3 professions at all levels, fewer than 4"


def test_leanings_by_hand():
    words = ("she", "he", "nurse", "pilot")
    vectors = WordVectors(words, np.array([[0, 2], [3, 0], [0, 1], [3, 4]], np.float32))
    found = dose.leanings(vectors, ["nurse", "pilot"], GROUPS)
    assert found == pytest.approx([1, 4 / 5 - 3 / 5])


def test_at_most_seven_layers_with_the_first_and_the_last():
    assert dose.chosen_layers(6) == [0, 1, 2, 3, 4, 5, 6]
    assert dose.chosen_layers(12) == [0, 2, 4, 6, 8, 10, 12]
    assert dose.chosen_layers(2) == [0, 1, 2]
    assert len(dose.chosen_layers(24)) == 7


@pytest.fixture(scope="module")
def corpus(tmp_path_factory):
    """200 documents in which most professions stand beside one group."""
    folder, rng = tmp_path_factory.mktemp("corpus"), np.random.default_rng(4)
    texts = []
    for i in range(200):
        group, jobs = (("she", "nurse dancer"), ("he", "pilot soldier"))[i % 2]
        filler = " ".join(f"w{n}" for n in rng.integers(0, 30, 20))
        texts.append(Document(str(i), f"{group} {jobs} {filler} {group} {jobs}"))
    prepare(iter(texts), folder, tokenizer="whitespace")
    return Corpus.load(folder)


def test_texts_have_no_document_in_common_and_are_as_long_as_they_should_be(corpus):
    lengths = np.diff(corpus.documents)
    found = corpus.parts(PARTS, 520, np.random.default_rng(1))
    assert len(found) == PARTS
    assert len(set(np.concatenate(found))) == sum(map(len, found))
    assert [lengths[text].sum() for text in found] == pytest.approx([520] * PARTS, abs=26)
    whole = corpus.parts(PARTS, 10**9, np.random.default_rng(1))
    assert sum(map(len, whole)) == corpus.size


def job(corpus, monkeypatch):
    """A job that trains on the corpus."""
    monkeypatch.setattr(Corpus, "load", lambda folder: corpus)
    monkeypatch.setattr(dose, "first_gender_list", lambda job: ("code", GROUPS))
    monkeypatch.setattr(dose, "census_words", lambda job: ["nurse", "absent"])
    settings = {"tokens": 1300, "dimensions": 8, "min_count": 1, "epochs": 4}
    settings = {f"trustworthy.dose.{name}": number for name, number in settings.items()}
    settings |= {"bad_seeds.window": 5, "bad_seeds.negative": 2, "bad_seeds.sample": 1e-3}
    return SimpleNamespace(
        below=lambda prefix: ["wikitext"],
        path=lambda name: REPOSITORY,
        word_lists=lambda name: {"professions": ["pilot", "dancer", "soldier"]},
        settings=settings,
        seed=1,
        say=lambda line: None,
    )


def test_four_trainings_after_every_power_of_two_epochs(corpus, monkeypatch):
    table = dose.measure_epochs(job(corpus, monkeypatch))
    assert sorted(table["level"].unique()) == [1, 2, 4]
    assert set(table["unit"]) == {"nurse", "pilot", "dancer", "soldier"}
    counts = table.groupby(["level", "part"]).size()
    assert len(counts) == PARTS * 3
    assert set(counts) == {4}
    # Levels are other vectors, and trainings too.
    wide = table.pivot(index="unit", columns=["level", "part"], values="bias")
    assert len({*wide.loc["nurse"].round(9)}) == wide.shape[1]
    pd.testing.assert_frame_equal(table, dose.measure_epochs(job(corpus, monkeypatch)))


def test_without_words_of_a_group_there_are_no_biases(corpus, monkeypatch):
    without = job(corpus, monkeypatch)
    groups = {"female": ["absent"], "male": ["he"]}
    monkeypatch.setattr(dose, "first_gender_list", lambda job: ("code", groups))
    assert dose.measure_epochs(without).empty
