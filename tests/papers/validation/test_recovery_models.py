"""Recovery over corpora of what models represent and write: what varies, and a test."""

import numpy as np
import pandas as pd
import pytest

from socialbias.papers.validation import planted_corpus, recovery_contextual, recovery_corpora
from socialbias.papers.validation.planted_design import DIRECT, NULL
from socialbias.papers.validation.recovery import DESIGN
from socialbias.pipeline.job import Job
from tests.declared import DECLARATIONS

pytestmark = pytest.mark.long  # trains models
LEVEL = 0.95
MEASURES = {"bert": recovery_contextual.measure_bert, "gpt2": recovery_contextual.measure_gpt2}


def settings(corpora: int, trainings: int, **others) -> dict:
    found = {"corpora": corpora, "trainings": trainings, "corpus_tokens": 10_000} | others
    found = {"bert_epochs": 0.5, "gpt2_epochs": 0.5, "sentences": 20, "samples": 100} | found
    found = {f"trustworthy.recovery.{key}": setting for key, setting in found.items()}
    return found | {"seed": 3, "intervals.level": LEVEL}


def measured(kind: str, given: dict) -> pd.DataFrame:
    return MEASURES[kind](Job({}, given, lambda line: None))


@pytest.fixture(scope="module", params=MEASURES)
def of_kind(request):
    return request.param, measured(request.param, settings(2, 2))


def test_numbers_differ_by_corpus_and_training(of_kind):
    kind, evidence = of_kind
    rows = evidence[evidence["measure"] == f"{kind} probe"]
    grid = rows.pivot(index="target", columns=["corpus", "training"], values="measured")
    assert list(grid.columns) == [(0, 0), (0, 1), (1, 0), (1, 1)]
    assert list(grid.index) == sorted(DESIGN.targets["target"])
    known = grid.dropna().to_numpy()  # so small a corpus leaves a rare target without a number
    assert len(known) > 30
    assert len(np.unique(known, axis=1).T) == 4
    truth = evidence.groupby(["measure", "target"])["truth"].nunique()
    assert (truth == 1).all()


def test_corpora_are_those_of_vectors(of_kind):
    """Frequencies, which are drawn for each corpus, are the same."""
    _, evidence = of_kind
    for corpus, rows in evidence.groupby("corpus"):
        design, _ = planted_corpus.of_corpus(3, DESIGN, 10_000, recovery_corpora.CORPORA, corpus)
        weights = design.targets.set_index("target")["weight"]
        assert (rows["frequency"] == rows["target"].map(weights)).all()


def test_every_cell_is_declared_and_all_but_those_of_four_corpora_are_there(of_kind):
    kind, evidence = of_kind
    declared = DECLARATIONS.artefacts
    cells = declared["validation_recovery_corpora"].cells()
    expected = {(cell.row, cell.column) for cell in cells if cell.row.startswith(kind)}
    records = recovery_corpora.values(evidence, LEVEL, 1)
    found = {(record["row"], record["column"]) for record in records}
    assert found <= expected
    empty = {(row, column.split("@")[0]) for row, column in expected - found}
    assert {pair for pair in empty if "samples" not in pair[0]} <= {("bert divdist", "coverage")}
    assert all("2 corpora by 2 training" in record["weak"] for record in records)


@pytest.mark.parametrize("kind", MEASURES)
def test_the_corrected_test_alarms_as_it_should_on_planted_corpora(kind):
    """Seven corpora, a training each, long enough to learn; the paper run has twenty by three."""
    sizes = {"corpus_tokens": 300_000, "sentences": 200, "samples": 3000}
    evidence = measured(kind, settings(7, 1, **sizes, bert_epochs=5.0, gpt2_epochs=2.0))
    for measure, table in evidence.groupby("measure"):
        if (table["kind"] == NULL).any():
            flags = table.assign(flag=recovery_corpora.corrected(table, True))
            by_corpus = flags.groupby(["kind", "corpus"])["flag"].mean()[NULL]
            # No less than the chance of single targets, as seven corpora may happen to agree.
            chance = np.sqrt(0.05 * 0.95 / (table["kind"] == NULL).sum())
            assert abs(by_corpus.mean() - 0.05) < 2 * max(by_corpus.sem(), chance), measure
            assert flags[flags["kind"] == DIRECT]["flag"].mean() > 0.2, measure
