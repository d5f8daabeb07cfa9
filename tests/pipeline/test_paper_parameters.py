"""The paper run has the papers' parameters, and each of them reaches the jobs that need it."""

from types import SimpleNamespace

import pytest
import yaml

from socialbias.config import Config
from socialbias.sources import binding
from tests.paths import REPOSITORY as ROOT
from tests.paths import pretended_workflow

# As printed, or as in the released code where print does not say (docs/methods.md).
PRINTED = {
    "trustworthy.windows": 2_000_000,
    "trustworthy.windows_table6": 1_000_000,
    "trustworthy.last_window": False,
    "trustworthy.represented_documents": 150_000,
    "trustworthy.represented_windows": 2_000_000,
    "trustworthy.probed_professions": False,
    "trustworthy.sentences_per_target": 1000,
    "trustworthy.small_gpt2.samples": 250_000,
    "bad_seeds.bootstraps": 20,
    "bad_seeds.tagged_words": 0,
    "bad_seeds.sample_words": 0,
}


def at(tree, path):
    for part in path.split("."):
        tree = tree[part]
    return tree


@pytest.fixture
def rules(tmp_path, monkeypatch):
    """The helpers of the rules, for a configuration with some keys of `trustworthy` changed."""
    monkeypatch.setattr(binding, "client_installed", lambda kind: True)
    monkeypatch.chdir(ROOT)
    text = (ROOT / "workflow/rules/common.smk").read_text("utf-8")
    python = compile(text.partition("def show_bindings")[0], "common.smk", "exec")

    def make(**changed):
        config = {"data": str(tmp_path), "trustworthy": changed}
        names = {"config": config, "workflow": pretended_workflow({})}
        exec(python, names)
        return SimpleNamespace(**names)

    return make


@pytest.mark.parametrize("path", PRINTED)
def test_the_paper_run_has_what_print_or_its_code_had(path):
    assert at(Config().model_dump(), path) == PRINTED[path]
    assert at(yaml.safe_load((ROOT / "config.yaml").read_text("utf-8")), path) == PRINTED[path]


def of_evidence(name):
    """What a declared step of evidence reads."""
    wildcards = SimpleNamespace(paper="trustworthy", evidence=name)
    return lambda rules: rules.settings_of(rules.evidence_step(wildcards))["settings"]


def of_representation(model):
    wildcards = SimpleNamespace(model=model, weights="given")
    return lambda rules: rules.represent_settings(wildcards)


# What is changed, the settings of a job, and the key there.
REACHES = [
    ({"windows": 7}, of_evidence("text_wikipedia"), "trustworthy.windows"),
    ({"windows": 7}, of_evidence("table8"), "trustworthy.windows"),
    ({"windows_table6": 7}, of_evidence("text_webtext"), "trustworthy.windows_table6"),
    ({"windows_table6": 7}, of_evidence("text_samples"), "trustworthy.windows_table6"),
    ({"last_window": True}, of_evidence("text_wikipedia"), "trustworthy.last_window"),
    ({"last_window": True}, of_evidence("text_samples"), "trustworthy.last_window"),
    ({"last_window": True}, of_evidence("table8"), "trustworthy.last_window"),
    ({"last_window": True}, of_representation("bert"), "last_window"),
    ({"last_window": True}, of_representation("gpt2"), "last_window"),
    ({"last_window": True}, lambda rules: rules.contexts_settings(), "keep_last"),
    ({"represented_windows": 7}, of_representation("bert"), "windows"),
    ({"represented_documents": 7}, of_representation("gpt2"), "documents"),
    ({"probed_professions": True}, of_representation("bert"), "probed_professions"),
    ({"probed_professions": True}, of_representation("gpt2"), "probed_professions"),
]


@pytest.mark.parametrize(("changed", "settings", "key"), REACHES)
def test_each_parameter_reaches_the_settings_of_its_jobs(rules, changed, settings, key):
    [(name, wanted)] = changed.items()
    assert settings(rules(**changed))[key] == wanted
    assert settings(rules())[key] == PRINTED[f"trustworthy.{name}"]


@pytest.mark.parametrize(
    ("changed", "windows"),
    [
        ({}, 2_000_000),
        ({"shown_text": "webtext"}, 1_000_000),
        ({"shown_text": "samples"}, 1_000_000),
    ],
)
def test_shown_contexts_are_those_that_a_text_is_counted_in(rules, changed, windows):
    assert rules(**changed).contexts_settings()["windows"] == windows


def test_l1_is_the_part_of_webtext_that_the_configuration_names(rules):
    webtext = SimpleNamespace(corpus="webtext")
    assert rules().corpus_settings(webtext)["file"] == "webtext.train.jsonl"
    test = rules(webtext_part="test").corpus_settings(webtext)
    assert test["file"] == "webtext.test.jsonl"


def test_l3_is_the_part_of_the_samples_with_250_000(rules):
    samples = rules().corpus_settings(SimpleNamespace(corpus="samples"))
    assert samples["file"] == "medium-345M.train.jsonl"
    file = rules().REGISTRY["gpt2-output-medium-345m"].file(samples["file"])
    assert file.expect == {"documents": 250_000}


def test_the_quickstart_reads_its_small_texts_whole():
    overlay = yaml.safe_load((ROOT / "config.quickstart.yaml").read_text("utf-8"))
    assert overlay["trustworthy"]["last_window"] is True
    assert overlay["trustworthy"]["probed_professions"] is True
    assert overlay["trustworthy"]["small_gpt2"]["samples"] == 2000
    assert overlay["bad_seeds"]["tagged_words"] == 60_000
