"""Doses: planted slopes as the evidence of a run has them, and what is trained for them."""

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from socialbias.corpora.documents import Document
from socialbias.corpora.prepare import prepare
from socialbias.corpora.prepared import Corpus
from socialbias.embeddings.vectors import WordVectors
from socialbias.papers.bad_seeds.factors import SIZES
from socialbias.papers.trustworthy.decodings import TEXTS as DECODED
from socialbias.papers.validation import dose, dose_evidence
from socialbias.papers.validation.dose_evidence import PARTS, Snapshot
from socialbias.papers.validation.dose_figure import GREY, draw
from socialbias.pipeline.job import Job
from socialbias.reporting.artefact import Artefact
from socialbias.reporting.drawing import Drawing
from socialbias.stats.trend import trend
from tests.declared import DECLARATIONS
from tests.paths import REPOSITORY
from tests.records import value, values_table

PROFESSIONS = [f"profession {i:02}" for i in range(12)]
GROUPS = {"female": ["she"], "male": ["he"]}
WOMEN = pd.DataFrame({"female": np.linspace(0.1, 0.9, 12)}, index=PROFESSIONS)
CENSUS = WOMEN
DECLARED = DECLARATIONS.artefacts["validation_dose"]


def cells(records: list[dict]) -> dict:
    """By row and column; also checks that they are declared."""
    known = {(cell.row, cell.column) for cell in DECLARED.cells()}
    assert {(record["row"], record["column"]) for record in records} <= known
    values_table("dose", records, 1)
    return {(record["row"], record["column"]): record for record in records}


def counted(text: str, female: dict[str, int], documents: int = 10) -> list[tuple]:
    """In so many of ten documents a profession is a woman's; in the others a man's."""
    return [
        (text, target, d, int(d < number), int(d >= number))
        for target, number in female.items()
        for d in range(documents)
    ]


def sampled(slope: int) -> pd.DataFrame:
    """The four sizes of GPT-2: each has that many women more a doubling, about."""
    rows = []
    for level, text in enumerate(DECODED["gpt2-output-test"][1:5]):
        women = {p: 1 + i // 3 + slope * level for i, p in enumerate(PROFESSIONS)}
        rows += counted(text, women)
    rows += counted("small-117M", {"rare": 1})  # in no other text
    rows += counted("small-117M", {"*": 5})
    columns = ["text", "target", "document", "female", "male"]
    return pd.DataFrame(rows, columns=columns)


def test_the_share_of_women_grows_with_the_size_of_the_model():
    grids = list(dose.of_texts(sampled(1), CENSUS))
    assert [grid.row for grid in grids] == ["size lean", "size size", "size employment"]
    found = cells([record for grid in grids for record in dose.records(grid, 1, 0.95)])
    levels = [found["size lean", f"level {i}"]["value"] for i in (1, 2, 3, 4)]
    assert levels == pytest.approx([-0.25, -0.15, -0.05, 0.05])
    doublings = np.log2([117, 345, 762, 1542])
    slope = found["size lean", "slope"]
    assert slope["value"] == pytest.approx(np.polyfit(doublings, levels, 1)[0])
    assert slope["unit"] == "slope per doubling"
    assert slope["p_value"] < 0.001
    assert slope["n"] == 12
    assert found["size lean", "order"]["value"] == 1
    # What all professions have in common has nothing to do with employment.
    assert found["size employment", "slope"]["value"] == pytest.approx(0)
    note = "too few: 12 professions at all levels, fewer than 20"
    assert found["size size", "slope"]["note"] == note


def test_a_squared_bias_has_its_variance_taken_off():
    grid = next(g for g in dose.of_texts(sampled(0), None) if g.row == "size size")
    # Of 10 documents with one context each, f of them a woman's: f (10 - f) / (10^2 x 9).
    women = np.array([1 + i // 3 for i in range(12)])
    expected = (women / 10 - 0.5) ** 2 - women * (10 - women) / 900
    assert grid.numbers == pytest.approx(np.tile(expected[:, None], 4))


def test_few_professions_are_said_to_be_few_and_other_texts_where_they_are():
    grid = next(iter(dose.of_texts(sampled(1), None)))
    few = dose.Grid(grid.row, grid.numbers[:3], grid.units[:3], grid.levels, "")
    [record] = dose.records(few, 1, 0.95)
    assert record["note"] == "too few: 3 professions at all levels, fewer than 4"
    found = cells(list(dose.of_other_source(set(DECODED["gpt2-samples-1558m"]))))
    assert {row.split()[0] for row, _ in found} == {"size", "size-k40", "cut"}
    note = "these texts are in gpt2-output-test: name that in inputs.gpt2_decodings"
    assert {record["note"] for record in found.values()} == {note}


def biased(levels: dict[float, float], parts: int, name: str) -> pd.DataFrame:
    """Biases that follow employment, the more so the higher the level; with noise of trainings."""
    rng = np.random.default_rng(1)
    z = np.linspace(-1, 1, 12)
    rows = [
        (name, level, f"level {level}", part, profession, strength * z[i] + noise)
        for level, strength in levels.items()
        for part in range(parts)
        for i, (profession, noise) in enumerate(
            zip(PROFESSIONS, 0.1 * rng.standard_normal(12), strict=True)
        )
    ]
    table = pd.DataFrame(rows, columns=["column", "level", "row", "part", "unit", "bias"])
    return table


def test_trainings_come_to_follow_employment():
    table = biased({1.0: 0.0, 2.0: 0.1, 4.0: 0.4}, 4, "epochs")
    grids = {grid.row: grid for grid in dose.of_vectors(table, CENSUS)}
    assert grids["epochs employment"].numbers.shape == (12, 3, 4)
    assert grids["epochs employment"].levels.doses == (0, 1, 2)
    found = cells([r for grid in grids.values() for r in dose.records(grid, 1, 0.95)])
    one = table[(table["level"] == 4) & (table["part"] == 0)]["bias"]
    numbers = grids["epochs employment"].numbers[:, 2, 0]
    assert numbers.mean() == pytest.approx(np.corrcoef(one, WOMEN["female"])[0, 1])
    slope = found["epochs employment", "slope"]
    assert slope["value"] > 0
    assert slope["p_value"] < 0.05
    assert found["epochs size", "level 3"]["note"] == "level 4.0"


def test_layers_count_by_their_share_of_the_depth():
    levels = {0.0: 0.1, 3.0: 0.2, 6.0: 0.3}
    [grid, _] = dose.of_vectors(biased(levels, 1, "layers"), CENSUS)
    assert grid.levels.doses == (0, 0.5, 1)
    assert grid.numbers.shape == (12, 3)


def test_seed_sets_have_a_slope_in_each_model():
    rng = np.random.default_rng(2)
    rows = []
    for model in range(4):
        for i, n in enumerate(SIZES):
            for vectors, first in (("", 0.9 - 0.1 * i), ("random", 0.8 - 0.15 * i)):
                noise = 0.01 * rng.standard_normal(3)
                rows.append((f"size {n}", vectors, model, 0.9 - 0.1 * i, first, 0.5, *noise))
    names = ["row", "vectors", "model", "coherence", "explained", "similarity"]
    table = pd.DataFrame(rows, columns=[*names, "a", "b", "c"])
    for name, noise in zip(names[3:], "abc", strict=True):
        table[name] += table[noise]
    table = table
    found = cells(list(dose.of_seeds(table, 0.95)))
    coherence = found["set-size coherence", "slope"]
    expected = np.polyfit(np.log2(SIZES), [0.9, 0.8, 0.7, 0.6, 0.5], 1)[0]
    assert coherence["ci_low"] < expected < coherence["ci_high"] < 0
    # Both fall, but that of random vectors falls faster.
    assert found["set-size explained", "slope"]["value"] > 0
    assert found["set-size explained", "level 5"]["value"] == pytest.approx(0.3, abs=0.02)


def test_leanings_by_hand():
    words = ("she", "he", "nurse", "pilot")
    vectors = WordVectors(words, np.array([[0, 2], [3, 0], [0, 1], [3, 4]], np.float32))
    found = dose_evidence.leanings(vectors, ["nurse", "pilot"], GROUPS)
    assert found == pytest.approx([1, 4 / 5 - 3 / 5])


def test_at_most_seven_layers_with_the_first_and_the_last():
    assert dose_evidence.chosen_layers(6) == [0, 1, 2, 3, 4, 5, 6]
    assert dose_evidence.chosen_layers(12) == [0, 2, 4, 6, 8, 10, 12]
    assert dose_evidence.chosen_layers(2) == [0, 1, 2]
    assert len(dose_evidence.chosen_layers(24)) == 7


def test_a_word_is_found_where_it_was_placed():
    text, (start, end) = dose_evidence.placed("The {word} left.", "nurse")
    assert (text, text[start:end]) == ("The nurse left.", "nurse")


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
    monkeypatch.setattr(dose_evidence, "first_gender_list", lambda job: ("code", GROUPS))
    monkeypatch.setattr(dose_evidence, "census_words", lambda job: ["nurse", "absent"])
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


@pytest.mark.parametrize(
    ("measure", "levels"),
    [
        (dose_evidence.measure_epochs, [1, 2, 4]),
        (dose_evidence.measure_texts, [1 / 8, 1 / 4, 1 / 2, 1]),
    ],
)
def test_four_trainings_at_every_level(measure, levels, corpus, monkeypatch):
    table = measure(job(corpus, monkeypatch))
    assert sorted(table["level"].unique()) == levels
    assert set(table["unit"]) == {"nurse", "pilot", "dancer", "soldier"}
    counts = table.groupby(["level", "part"]).size()
    assert len(counts) == PARTS * len(levels)
    assert set(counts) == {4}
    # Levels are other vectors, and trainings too.
    wide = table.pivot(index="unit", columns=["level", "part"], values="bias")
    assert len({*wide.loc["nurse"].round(9)}) == wide.shape[1]
    pd.testing.assert_frame_equal(table, measure(job(corpus, monkeypatch)))


def test_without_words_of_a_group_there_are_no_biases():
    vectors = WordVectors(("he", "pilot"), np.eye(2, dtype=np.float32))
    assert dose_evidence.biases(
        "epochs", [Snapshot(1.0, "all", 0, vectors)], ["pilot"], GROUPS
    ).empty


def drawn(slope_of: dict) -> list:
    """The panels of two doses; what is given is said of the slope of the first."""
    records = [
        value("size lean", f"level {i}", i / 10, ci_low=0, ci_high=1, note=f"{i} words; a remark")
        for i in (1, 2)
    ]
    slope = {"unit": "slope per doubling", "p_value": 0.01, "q_value": 0.02, "weak": ""} | slope_of
    records.append(value("size lean", "slope", 0.1, **slope))
    records += [value("part-of-speech coherence", f"level {i}", i, note=str(i)) for i in (1, 2, 3)]
    records = [{"unit": "share", **r} for r in records]
    style = {"width": 6.8, "font_size": 8.0, "dpi": 60, "colours": ["#0072B2", "#D55E00"]}
    shown = Artefact(**DECLARED.shown())
    job = Job({}, {}, print)
    figure = draw(Drawing(shown, values_table("dose", records, 1), pd.DataFrame(), style, job))
    return [panel for panel in figure.axes if panel.axison]


def test_a_panel_shows_its_levels_and_its_slope_in_colour_where_there_is_one():
    size, speech = drawn({})
    line = size.lines[0]
    assert line.get_color() == "#0072B2"
    assert list(line.get_ydata()) == [0.1, 0.2]
    assert [label.get_text() for label in size.get_xticklabels()] == ["1 words", "2 words"]
    assert size.get_title("left").endswith("+0.1 per doubling\np 0.01, q 0.02")
    # Parts of speech have no order, and no line.
    assert speech.lines[0].get_linestyle() == "None"
    assert speech.get_title("left").endswith("(no order)")


@pytest.mark.parametrize("slope", [{"p_value": 0.06}, {"weak": "the vectors know too little"}])
def test_a_slope_that_may_be_none_or_bears_no_verdict_is_grey(slope):
    size, _ = drawn(slope)
    assert size.lines[0].get_color() == GREY


@pytest.mark.long
@pytest.mark.parametrize("n", [20, 60])
@pytest.mark.parametrize("spread", [0.15, 0.3])
def test_sizes_that_do_not_grow_have_no_slope_in_95_of_100_worlds(n, spread):
    """Biases are around -.27, as of professions in text; texts double from level to level."""
    levels = np.arange(4)
    rng, held, names = np.random.default_rng(7), 0, [f"profession {i}" for i in range(n)]
    for _ in range(1000):
        shares = np.clip(rng.normal(0.23, spread, (n, 1)), 0, 1)
        documents = 2 + rng.poisson(3 * 2.0**levels, (n, 4))
        women = rng.binomial(documents, np.repeat(shares, 4, axis=1)) / documents
        squared = (women - 0.5) ** 2 - women * (1 - women) / (documents - 1)
        slope = trend(squared, levels, names, 1).slope
        held += slope.low <= 0 <= slope.high
    assert 929 <= held <= 971
