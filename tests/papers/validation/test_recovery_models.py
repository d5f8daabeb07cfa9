"""Recovery over corpora of what models represent and write: what varies, and a test."""

import numpy as np
import pytest

from socialbias.papers.validation import planted_corpus, recovery_contextual, recovery_corpora
from socialbias.papers.validation.recovery import DESIGN
from tests.declared import DECLARATIONS
from tests.worlds.jobs import job_with
from tests.worlds.numbers import cells

pytestmark = pytest.mark.long  # trains models
DECLARED = DECLARATIONS.artefacts["validation_recovery_corpora"]
MEASURES = {"bert": recovery_contextual.measure_bert, "gpt2": recovery_contextual.measure_gpt2}


@pytest.mark.parametrize("kind", MEASURES)
def test_numbers_differ_by_corpus_and_training(kind):
    settings = {"corpora": 2, "trainings": 2, "corpus_tokens": 10_000, "sentences": 20}
    settings |= {"bert_epochs": 0.5, "gpt2_epochs": 0.5, "samples": 100}
    settings = {f"trustworthy.recovery.{key}": setting for key, setting in settings.items()}
    evidence = MEASURES[kind](job_with(seed=3, **settings))
    rows = evidence[evidence["measure"] == f"{kind} probe"]
    grid = rows.pivot(index="target", columns=["corpus", "training"], values="measured")
    assert list(grid.columns) == [(0, 0), (0, 1), (1, 0), (1, 1)]
    assert list(grid.index) == sorted(DESIGN.targets["target"])
    known = grid.dropna().to_numpy()  # so small a corpus leaves a rare target without a number
    assert len(known) > 30
    assert len(np.unique(known, axis=1).T) == 4
    for corpus, part in evidence.groupby("corpus"):  # frequencies, drawn for each, are the same
        design, _ = planted_corpus.of_corpus(3, DESIGN, 10_000, recovery_corpora.CORPORA, corpus)
        weights = design.targets.set_index("target")["weight"]
        assert (part["frequency"] == part["target"].map(weights)).all()
    declared = {(c.row, c.column) for c in DECLARED.cells()}
    assert set(cells(recovery_corpora.values(evidence, 0.95, 1))) <= declared
