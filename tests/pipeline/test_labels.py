"""What people copy says what it is: labels of tables, by kind of run."""

import pytest
import yaml

from socialbias.config import Config, paper_sources
from socialbias.pipeline.declarations import for_models
from socialbias.pipeline.labels import labelled
from socialbias.pipeline.plan import Plan
from socialbias.sources import binding
from socialbias.sources.registry import load_registry
from socialbias.sources.subjects import subject_sources
from tests.declared import DECLARATIONS
from tests.paths import REPOSITORY as ROOT

# Labels of print in Table 3, and what each is called on substitutes.
MEASURED = {
    "text, automated": "film reviews",
    "GloVe": "GloVe, 50 dimensions",
    "BERT, reduction": "film reviews + MiniLM",
    "BERT, probe": "film reviews + MiniLM",
}


@pytest.fixture
def plan_of(tmp_path, monkeypatch):
    """A plan of the quickstart that trains a GPT-2, or of the paper run; nothing is fetched."""
    monkeypatch.setattr(binding, "client_installed", lambda kind: True)

    def make(kind, inputs=None, **subjects):
        raw = {"data": str(tmp_path / "data"), "accepted": ["conll2003"]}
        if kind == "quickstart":
            overlay = yaml.safe_load((ROOT / "config.quickstart.yaml").read_text("utf-8"))
            raw |= {key: overlay[key] for key in ("run", "locators", "inputs")}
        if inputs:
            raw["inputs"] = raw.get("inputs", {}) | inputs
        if subjects:
            raw |= {"subjects": subjects}
            raw["inputs"] = raw.get("inputs", {}) | {"corpus_wikipedia": list(subjects)}
        config = Config.model_validate(raw)
        registry = load_registry(ROOT / "resources/sources.yaml")
        own = {name: subject.model_dump() for name, subject in config.subjects.items()}
        registry |= subject_sources(own, registry)
        places = binding.places_of(config, {})
        bound = binding.bind(config.inputs.model_dump(), registry, places, paper_sources())
        return Plan(config, bound, for_models(DECLARATIONS, []), ROOT)

    return make


def test_on_substitutes_a_label_says_what_was_measured(plan_of):
    shown = labelled(plan_of("quickstart"), "trustworthy_table3")
    labels = {*shown["rows"].values(), *shown["columns"].values()}
    assert {f"{real} (for: {label})" for label, real in MEASURED.items()} <= labels
    assert "word2vec" in labels  # part of the paper's own
    assert shown["caption"].startswith("Not the paper's inputs: ")


def test_on_the_papers_own_inputs_labels_are_those_of_print(plan_of):
    shown = labelled(plan_of("paper"), "bad_seeds_table2")
    declared = DECLARATIONS.artefacts["bad_seeds_table2"].shown()
    assert (shown["rows"], shown["columns"]) == (declared["rows"], declared["columns"])
    assert shown["caption"] == ""


def test_a_user_s_own_corpus_is_called_by_its_name(plan_of, tmp_path):
    path = tmp_path / "letters.txt"
    path.write_text("A nurse wrote.\n", "utf-8")
    shown = labelled(
        plan_of("paper", letters={"path": str(path), "kind": "corpus"}), "trustworthy_table3"
    )
    assert shown["columns"]["text-automated"] == "letters (for: text, automated)"
    assert shown["columns"]["cr-probe"] == "letters + BERT (for: BERT, probe)"
    assert shown["columns"]["emb-glove"] == "GloVe"
    assert shown["caption"] == "Not the paper's inputs: letters (for: Wikipedia, Lateral)."


def test_a_line_whose_label_names_no_input_keeps_it(plan_of):
    shown = labelled(plan_of("quickstart"), "validation_reliability")
    assert shown["rows"]["table5 divdist"] == "Table 5, DivDist"
    assert shown["rows"]["professions emb-glove"].endswith("(for: every profession, GloVe)")
    assert shown["columns"] == DECLARATIONS.artefacts["validation_reliability"].shown()["columns"]
    assert "US labour statistics, 60 professions (for: US census)" in shown["caption"]


def test_labels_of_people_are_said_to_be_the_user_s(plan_of):
    plan = plan_of("paper")
    annotated = Config.model_validate({"trustworthy": {"annotations": {"folder": "mine"}}})
    plan = Plan(annotated, plan.bindings, DECLARATIONS, ROOT)
    shown = labelled(plan, "trustworthy_table3")
    assert shown["columns"]["text-human"] == "labels of your own annotators (for: text, human)"
