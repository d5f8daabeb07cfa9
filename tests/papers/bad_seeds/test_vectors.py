import pandas as pd
import pytest

from socialbias.papers.bad_seeds import corpus_tables
from socialbias.pipeline.job import Job


def check(replicate, kind, name, number, known=30, of=40):
    named = {"replicate": replicate, "kind": kind, "set": name}
    return named | {"value": number, "known": known, "of": of}


CHECKS = pd.DataFrame(
    [
        check(0, "analogies", "questions-words", 0.10),
        check(1, "analogies", "questions-words", 0.20, known=20),
        check(2, "analogies", "questions-words", 0.30),
        check(0, "similarity", "RG_word", None, known=3),
        check(1, "similarity", "RG_word", None, known=3),
        check(2, "similarity", "RG_word", None, known=3),
        check(0, "similarity", "MEN", 0.95),
        check(1, "similarity", "MEN", 0.99),
        check(2, "similarity", "MEN", None, known=4),
    ]
)


@pytest.fixture
def cells(tmp_path):
    paths = []
    for replicate, part in CHECKS.groupby("replicate"):
        paths.append(tmp_path / f"{replicate}.parquet")
        part.to_parquet(paths[-1])
    job = Job({"checks/goodreads_romance": paths}, {"intervals.level": 0.95}, print)
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


def test_a_test_of_which_no_model_knows_enough_has_no_number(cells):
    assert "RG_word" not in cells
