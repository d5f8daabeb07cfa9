"""What the jobs of rules read, for the paper's configuration where nothing has been fetched."""

from dataclasses import replace
from types import SimpleNamespace

import pytest

from socialbias.pipeline.job_reads import JobReads
from socialbias.pipeline.setup import command_of, plan_of, raw_setup
from socialbias.sources import binding
from tests.paths import REPOSITORY

RUN = "results/paper"


def named(**wildcards):
    return SimpleNamespace(**wildcards)


@pytest.fixture(scope="module")
def reads(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(binding, "client_installed", lambda kind: True)
        patch.chdir(REPOSITORY)
        setup = raw_setup({"data": str(tmp_path_factory.mktemp("data"))}, environ={})
        plan = plan_of(setup)
        yield JobReads(replace(plan, config=plan.config.decided(True)), setup.registry)


def with_config(reads, **changes):
    plan = replace(reads.plan, config=reads.plan.config.model_copy(update=changes))
    return replace(reads, plan=plan)


def test_evidence_in_parts_is_put_together_from_all_of_them(reads):
    wildcards = {"paper": "stereoset", "evidence": "scores_xlnet-large"}
    files = reads.evidence_inputs(named(**wildcards))
    folder = f"{RUN}/stereoset/evidence/parts/scores_xlnet-large"
    assert files == {"parts": [f"{folder}/{i}.parquet" for i in range(38)]}
    settings = reads.evidence_settings(named(**wildcards))
    of_part = reads.evidence_settings(named(**wildcards, part="7"))
    assert of_part == settings | {"share": [7, 38]}
    assert "share" not in settings


def test_words_are_represented_in_shards_or_at_once(reads):
    once = named(model="gpt2", weights="given")
    assert set(reads.represent_inputs(once)) >= {"model", "documents", "word_lists"}
    assert "shard" not in reads.represent_settings(once)
    wildcards = {"model": "bert", "weights": "given"}
    files = reads.represent_inputs(named(**wildcards))
    folder = f"{RUN}/contextual/bert/given"
    assert files["words"] == f"{folder}/chosen/chosen.txt"
    assert files["shards"] == [f"{folder}/shards/{i}.npz" for i in range(len(files["shards"]))]
    settings = reads.represent_settings(named(**wildcards))
    of_shard = reads.represent_settings(named(**wildcards, shard="3"))
    assert of_shard == settings | {"shard": 3, "shards": len(files["shards"])}
    # Only the vectors of this encoder are reduced.
    assert (settings["for_probe_alone"], settings["draws"] > 0) == (False, True)
    random = reads.represent_settings(named(model="bert", weights="random"))
    assert (random["for_probe_alone"], random["draws"]) == (True, 0)


def test_vectors_are_asked_for_the_words_of_their_sets(reads):
    source = named(source=reads.plan.bindings["word2vec"].source)
    files, settings = reads.vectors_inputs(source), reads.vectors_settings(source)
    assert files["vectors"].endswith(f"{source.source}/manifest.json")
    assert {"word_lists/trustworthy", "word_lists/debiasing"} <= set(files)
    assert files["census_gender"] == reads.plan.manifest("census_gender")
    assert "vocabulary" in settings["words"]
    assert settings["leading"] == reads.plan.config.trustworthy.vocabulary
    # GloVe's file is in the order of frequency, so that no other file has to say it.
    assert "glove" not in files


def test_a_source_is_held_to_the_counts_of_the_registry(reads):
    counted = next(x for x, y in reads.registry.items() if any(f.expect for f in y.files))
    expected = reads.source_settings(named(source=counted))
    assert set(expected) == {"expect"}
    short = with_config(reads, accept_short=[counted])
    assert short.source_settings(named(source=counted)) == expected | {"accept_short": True}
    plain = next(x for x, y in reads.registry.items() if not any(f.expect for f in y.files))
    assert short.source_settings(named(source=plain)) == {}


def test_an_artefact_has_a_picture_where_it_is_drawn(reads):
    stem, kinds = f"{RUN}/trustworthy", ("values.csv", "html", "pdf", "png", "caption.txt")
    files = reads.artefact_files("trustworthy_table3")
    assert {f"{stem}/table3.{kind}" for kind in kinds} <= {*files}
    assert not reads.plan.is_drawn("trustworthy_agreement")
    assert f"{stem}/agreement.png" not in reads.artefact_files("trustworthy_agreement")
    every = reads.every("tex")
    assert len(every) == len(reads.plan.declarations.artefacts)
    assert reads.every("tex", ["trustworthy_table3"]) == [f"{stem}/table3.tex"]


@pytest.mark.parametrize(
    ("run", "overlays", "command"),
    [
        ("paper", [], "snakemake --cores 2"),
        ("quickstart", ["config.quickstart.yaml"], "--profile profiles/quickstart"),
        ("reference-run", ["config.reference.yaml"], "--profile profiles/reference"),
        ("mine", ["config.reference.yaml"], "config.reference.yaml --config run=mine --"),
        ("paper", ["my.yaml", "more.yaml"], "--configfile my.yaml more.yaml"),
        ("mine", [], "--config run=mine --"),
    ],
)
def test_the_command_of_a_run_names_its_configuration(reads, run, overlays, command):
    config = reads.plan.config.model_copy(update={"run": run})
    assert command_of(config, overlays).endswith(command)
