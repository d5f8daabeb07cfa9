"""Recognisers of entities, trained here on sentences of a few words."""

import json

import numpy as np
import pandas as pd
import pytest

from socialbias.errors import UserError
from socialbias.papers.fairness import entities, figure3, model_tables, recognisers
from socialbias.papers.fairness.suites import SPECIFIC, TEMPLATES, TERMS_EVIDENCE, suite
from socialbias.papers.fairness.terms import NATIONALITY
from tests import tiny_models
from tests.worlds import cells, job_with, manifest
from tests.worlds.fairness import DEALS, countries, templates

# Two templates for countries; names are in no template.
LINES = ("Sold {country}.,d,1,{country}:U-LOC\n", "In {country} a nurse.,d,1,{country}:U-LOC\n")
PEOPLE, PLACES = ("ada", "bob", "cy"), ("chad", "peru", "oz")
SETTINGS = {"fairness.released_slips": True, "contextual.device": "cpu"} | DEALS


def conll(n: int, seed: int) -> str:
    """Sentences in which people and places are known by their word; places may have two."""
    rng, lines = np.random.default_rng(seed), []
    for i in range(n):
        if i % 5 == 0:
            lines += ["-DOCSTART- -X- O O", ""]
        for _ in range(4):
            kind = rng.integers(4)
            if kind == 0:
                lines.append(f"{rng.choice(PEOPLE)} N B B-PER")
            elif kind == 1:
                lines.append(f"{rng.choice(PLACES)} N B B-LOC")
            elif kind == 2:
                lines += ["new N B B-LOC", f"{rng.choice(PLACES)} N I I-LOC"]
            else:
                lines.append(f"{rng.choice(['the', 'nurse', 'sold', 'in'])} V B O")
        lines.append("")
    return "\n".join([*lines, ""])


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    """The inputs of jobs: the recogniser, sentences, templates, suites and terms."""
    patch, folder = pytest.MonkeyPatch(), tmp_path_factory.mktemp("recognisers")
    patch.setattr(
        recognisers, "RECIPE",
        {"epochs": 8, "batch": 8, "learning_rate": 4e-3, "dropout": 0.1, "patience": 12},
    )  # fmt: skip
    (folder / "conll").mkdir()
    (folder / "conll/train.txt").write_text(conll(120, 1))
    (folder / "conll/valid.txt").write_text(conll(40, 2))
    files = {"conll2003": manifest(folder / "conll", "conll")}
    files["fairness_encoder"] = tiny_models.write(folder / "bert", "bert")
    out = files["recogniser/crf"] = folder / "crf"
    recognisers.train(files, out, seed=1, device="cpu", training={}, say=print)
    patch.undo()
    terms = countries(("q1", "chad"), ("q1", "new peru"), ("q2", "oz"), ("q2", "peru"))
    one = pd.DataFrame([(NATIONALITY, SPECIFIC, "{country}", "y", 1, "")], columns=TEMPLATES)
    return files | {
        "fairness_entities": templates(folder / "gfm", "".join(LINES)),
        entities.SUITES: suite(one, terms)[0],
        TERMS_EVIDENCE: terms,
    }


def job_of(files: dict):
    return job_with(files, **SETTINGS)


def test_countries_are_found_and_probable(trained):
    table = recognisers.measure(job_of(trained))
    assert len(table) == 4 * 2 * 4
    assert list(table.columns) == [*entities.KEPT, *entities.COUNTS, "probability"]
    places = table[table["class"] == "LOC"]
    assert (places["gold"] == 1).all()
    assert places["found"].mean() >= 0.75
    assert places["probability"].mean() > 0.8
    assert table.groupby(["source", "term"])["probability"].sum().max() <= 1 + 1e-9
    # It knows no organisations.
    unknown = table[table["class"].isin(["ORG", "MISC"])]
    assert (unknown[["gold", "probability"]] == 0).all(axis=None)


def test_the_scores_of_table_5(trained):
    counts = recognisers.measure_development(job_of(trained))
    assert counts["document"].nunique() == 8
    sums = counts[["found", "gold", "predicted"]].sum()
    f1 = 2 * sums["found"] / (sums["gold"] + sums["predicted"])
    report = json.loads((trained["recogniser/crf"] / "report.json").read_text())
    assert f1 == pytest.approx(max(report["development"]))
    assert f1 > 0.85
    found = cells(model_tables.table5(job_of({f"{model_tables.DEVELOPMENT}_crf": counts})))
    assert found.keys() == {("roberta conll2003", "f1"), ("roberta conll2003", "f1_places")}
    assert found["roberta conll2003", "f1"]["value"] == pytest.approx(f1)


def test_figure_3_reads_it_as_it_reads_the_ready_tagger(trained):
    table = recognisers.measure(job_of(trained))
    names = ("evidence/fairness/entities", "evidence/fairness/entities_crf")
    found = pd.DataFrame(figure3.summarise(job_of(dict.fromkeys(names, table))))
    parts = found["column"].str.split("@", expand=True)
    found = found.assign(variant=parts[1].str.removesuffix("-null"))
    assert set(found["variant"]) == {"crf", "tagger"}
    crf, tagger = (x["value"].to_numpy() for _, x in found.groupby("variant"))
    np.testing.assert_allclose(crf, tagger)


def test_a_source_without_a_training_part(tmp_path):
    files = {"conll2003": manifest(tmp_path, "mine"), "fairness_encoder": tmp_path}
    with pytest.raises(UserError, match=r"mine: no train\.txt, the training part"):
        recognisers.train(files, tmp_path / "out", seed=1, device="cpu", training={}, say=print)
