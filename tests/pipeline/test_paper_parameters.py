"""The paper run has the papers' parameters, and each of them reaches the jobs that need it."""

from functools import cache
from types import SimpleNamespace

import pytest
import yaml

from socialbias.config import Config, below_paper
from socialbias.pipeline.job_reads import JobReads
from socialbias.pipeline.setup import plan_of, raw_setup
from socialbias.sources import binding
from tests.declared import DECLARATIONS
from tests.paths import REPOSITORY as ROOT

# As printed, or as in the released code where print does not say (docs/methods.md).
PRINTED = {
    "trustworthy.windows": 2_000_000,
    "trustworthy.windows_table6": 1_000_000,
    "trustworthy.last_window": False,
    "trustworthy.represented_documents": 150_000,
    "trustworthy.represented_windows": 2_000_000,
    "trustworthy.probed_professions": False,
    "trustworthy.sentences_per_target": 1000,
    "trustworthy.sentences_per_word": 0,
    "trustworthy.small_gpt2.samples": 250_000,
    "trustworthy.bert_probe.epochs": 10,
    "trustworthy.gpt2_probe.epochs": 30,
    "trustworthy.gpt2_probe.batch": 50,
    "trustworthy.gpt2_probe.layer": 24,
    "bad_seeds.bootstraps": 20,
    "bad_seeds.dimensions": 100,
    "bad_seeds.window": 5,
    "bad_seeds.tagged_words": 0,
    "bad_seeds.sample_words": 0,
}


def at(tree, path):
    for part in path.split("."):
        tree = tree[part]
    return tree


@pytest.fixture(scope="module")
def reads(tmp_path_factory):
    """What jobs read, for a configuration with a key of `trustworthy` changed."""
    data = str(tmp_path_factory.mktemp("data"))

    @cache
    def make(**changed):
        setup = raw_setup({"data": data, "trustworthy": changed}, environ={})
        return JobReads(plan_of(setup), setup.registry)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(binding, "client_installed", lambda kind: True)
        patch.setattr("socialbias.pipeline.setup.load_declarations", lambda folder: DECLARATIONS)
        patch.chdir(ROOT)
        yield make


def test_the_paper_run_has_what_print_or_its_code_had():
    written = yaml.safe_load((ROOT / "config.yaml").read_text("utf-8"))
    for tree in (Config().model_dump(), written):
        assert {path: at(tree, path) for path in PRINTED} == PRINTED


# Less than each paper has, and what is printed there.
LESS = {
    "trustworthy": {
        "windows": (9, "2,000,000"),
        "sentences_per_word": (9, "all"),
        "bert_probe": {"epochs": (9, "10")},
    },
    "bad_seeds": {"window": (4, "5"), "tagged_words": (9, "all")},
    "stereoset": {"next_sentence": {"fine_tune": (False, "true"), "train": (9, "9,500,000")}},
}


def flat(tree, prefix=""):
    """The leaves of a tree, by dotted key."""
    for key, value in tree.items():
        if isinstance(value, dict):
            yield from flat(value, f"{prefix}{key}.")
        else:
            yield f"{prefix}{key}", value


def settings(tree):
    """A tree with the first of each two values."""
    return {k: settings(v) if isinstance(v, dict) else v[0] for k, v in tree.items()}


def test_every_setting_below_a_papers_is_told_with_both_numbers():
    config = Config.model_validate(settings(LESS))
    said = {str(False): "false"}
    expected = {
        key: f"is {said.get(str(ours), ours)}, in the paper {printed}"
        for key, (ours, printed) in flat(LESS)
    }
    assert expected.items() <= below_paper(config).items()


def of_evidence(name):
    """What a declared step of evidence reads."""
    wildcards = SimpleNamespace(paper="trustworthy", evidence=name)
    return lambda reads: reads.evidence_settings(wildcards)["settings"]


def of_representation(model):
    wildcards = SimpleNamespace(model=model, weights="given")
    return lambda reads: reads.represent_settings(wildcards)


WIKIPEDIA, WEBTEXT, SAMPLES, TABLE8 = (
    of_evidence(name) for name in ("text_wikipedia", "text_webtext", "text_samples", "table8")
)
BERT, GPT2 = of_representation("bert"), of_representation("gpt2")
# What is changed, the settings of jobs that it reaches, and the key there.
REACHES = [
    ({"windows": 7}, (WIKIPEDIA, TABLE8), "trustworthy.windows"),
    ({"windows_table6": 7}, (WEBTEXT, SAMPLES), "trustworthy.windows_table6"),
    ({"last_window": True}, (WIKIPEDIA, SAMPLES, TABLE8), "trustworthy.last_window"),
    ({"last_window": True}, (BERT, GPT2), "last_window"),
    ({"represented_windows": 7}, (BERT,), "windows"),
    ({"represented_documents": 7}, (GPT2,), "documents"),
    ({"probed_professions": True}, (BERT, GPT2), "probed_professions"),
]


@pytest.mark.parametrize(("changed", "jobs", "key"), REACHES)
def test_each_parameter_reaches_the_settings_of_its_jobs(reads, changed, jobs, key):
    [(name, wanted)] = changed.items()
    for settings_of in jobs:
        assert settings_of(reads(**changed))[key] == wanted
        assert settings_of(reads())[key] == PRINTED[f"trustworthy.{name}"]
