"""What a run prints around its jobs, from a workflow that has done nothing."""

from types import SimpleNamespace

import pytest

from socialbias.pipeline.costs import Costs
from socialbias.pipeline.session import Session
from socialbias.pipeline.setup import load_setup, plan_of
from socialbias.sources import binding
from tests.paths import REPOSITORY


@pytest.fixture(scope="module")
def costs():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(binding, "client_installed", lambda kind: True)
        patch.chdir(REPOSITORY)
        setup = load_setup(environ={})
        yield Costs.of(plan_of(setup), setup.registry)


class Job:
    """One of Snakemake's."""

    threads = 1

    def __init__(self, name, **wildcards):
        self.rule, self.wildcards_dict = SimpleNamespace(name=name), wildcards


def workflow(*jobs, targets=(), cores=8):
    rule = SimpleNamespace(
        name="print_audit",
        output=["results/paper/print_audit.csv"],
        has_wildcards=lambda: False,
        is_producer=lambda path: path == "results/paper/print_audit.csv",
    )
    return SimpleNamespace(
        rules=[rule],
        dag=SimpleNamespace(needrun_jobs=lambda: jobs, finished=lambda job: False),
        dag_settings=SimpleNamespace(targets=targets),
        resource_settings=SimpleNamespace(cores=cores, nodes=None),
        global_resources={},
    )


def test_a_run_begins_with_its_inputs_and_what_stays_frozen(costs):
    inputs, frozen = Session(workflow(), costs, ["stereoset.sentiment"]).first_lines()
    assert inputs.startswith("run 'paper': ")
    assert "stereoset.sentiment stay frozen" in frozen
    assert len(Session(workflow(), costs).first_lines()) == 1


def test_a_run_starts_if_what_is_left_of_it_is_short(costs):
    # All scores of XLNet take 119 hours of a core; its last part alone about 3.
    scores = {"paper": "stereoset", "evidence": "scores_xlnet-large"}
    parts = [Job("evidence_part", **scores, part=str(i)) for i in range(38)]
    with pytest.raises(SystemExit, match="Nothing was started"):
        Session(workflow(*parts, cores=2), costs).start()
    session = Session(workflow(parts[-1]), costs)
    session.start()
    session.progress.stop()
    assert session.progress.line(0) == "0 of 1 jobs done, about 3.1 h left"


@pytest.mark.parametrize(
    ("target", "place"),
    [
        (None, "the page: results/paper/index.html"),
        ("all", "the page: results/paper/index.html"),
        ("trustworthy_table5", "trustworthy_table5: results/paper/trustworthy/table5.html"),
        ("bad_seeds", "bad_seeds: results/paper/bad_seeds/"),
        ("print_audit", "print_audit: results/paper/print_audit.csv"),
        ("a/file.csv", "a/file.csv: a/file.csv"),
    ],
)
def test_a_run_ends_with_the_place_of_what_was_asked_for(costs, monkeypatch, target, place):
    lines = []
    monkeypatch.setattr("atexit.register", lambda write, *those, **options: lines.extend(those))
    Session(workflow(targets=[target] if target else []), costs).succeed()
    assert place in lines
    assert lines[-1].startswith("done in ")


def test_a_misspelt_target_gets_the_nearest(costs, capsys):
    Session(workflow(targets=["print_audi"]), costs).show_nearest_target()
    assert "did you mean print_audit" in capsys.readouterr().err
    Session(workflow(targets=["print_audit"]), costs).show_nearest_target()
    assert capsys.readouterr().err == ""
