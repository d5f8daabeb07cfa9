"""Checks of trained vectors."""

import pandas as pd
import pytest

from socialbias.papers.bad_seeds import corpus_tables
from tests.worlds.jobs import job_with, parquet

# Of each bootstrap: a check, its number, and how many questions it knows.
CHECKS = pd.DataFrame(
    [
        (0, "analogies", "questions-words", 0.10, 30, 40),
        (1, "analogies", "questions-words", 0.20, 20, 40),
        (2, "analogies", "questions-words", 0.30, 30, 40),
        *((replicate, "similarity", "RG_word", None, 3, 40) for replicate in range(3)),
        (0, "similarity", "MEN", 0.95, 30, 40),
        (1, "similarity", "MEN", 0.99, 30, 40),
        (2, "similarity", "MEN", None, 4, 40),
    ],
    columns=["replicate", "kind", "set", "value", "known", "of"],
)


@pytest.fixture
def cells(tmp_path):
    parts = {f"part{replicate}": part for replicate, part in CHECKS.groupby("replicate")}
    job = job_with({"checks/goodreads_romance": parquet(tmp_path, **parts)})
    return {record["column"]: record for record in corpus_tables.quality_of_vectors(job)}


def test_a_cell_is_the_mean_over_bootstraps_with_students_interval(cells):
    analogies = cells["questions-words"]
    assert analogies["row"] == "goodreads-romance"
    assert analogies["value"] == pytest.approx(0.2)
    # Student's t with two degrees of freedom is 4.303, the standard deviation 0.1, and the mean
    # of three adds a third of its square.
    assert analogies["ci_high"] == pytest.approx(0.2 + 0.4303 * (4 / 3) ** 0.5, abs=1e-4)
    assert analogies["ci_low"] == 0  # no accuracy is below
    assert (analogies["n"], analogies["n_of"], analogies["n_unit"]) == (20, 40, "questions")
    assert cells["MEN"]["value"] == pytest.approx(0.97)
    assert cells["MEN"]["ci_high"] == 1  # no correlation is above
    assert cells["MEN"]["unit"] == "Spearman's rho"
    assert "RG_word" not in cells  # no model knows enough
