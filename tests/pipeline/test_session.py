"""What a run prints around its jobs, from a workflow that has done nothing."""

import re
from pathlib import Path
from types import SimpleNamespace

import pytest

from socialbias.pipeline.requests import Requests
from socialbias.pipeline.session import Session
from socialbias.pipeline.setup import load_setup, plan_of
from socialbias.sources import binding
from socialbias.sources.binding import Places
from tests.paths import REPOSITORY


@pytest.fixture(scope="module")
def requests():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(binding, "client_installed", lambda kind: True)
        patch.chdir(REPOSITORY)
        setup = load_setup(environ={})
        yield Requests.of(plan_of(setup), setup.registry, has_gpu=False)


PLACES = Places(Path("data"), None, ("https", "hf"))


class Job:
    """One of Snakemake's."""

    threads = 1

    def __init__(self, name, **wildcards):
        self.rule, self.wildcards_dict = SimpleNamespace(name=name, output=["file"]), wildcards


def workflow(*jobs, targets=(), cores=8, dryrun=False):
    file, no = "results/paper/print_audit.csv", lambda: False
    rule = SimpleNamespace(name="print_audit", output=[file], has_wildcards=no)
    rule.is_producer = lambda path: path == file
    return SimpleNamespace(
        rules=[rule],
        dag=SimpleNamespace(
            needrun_jobs=lambda exclude_finished: jobs,
            finished=lambda job: False,
            dependencies={job: {} for job in jobs},
        ),
        dryrun=dryrun,
        dag_settings=SimpleNamespace(targets=targets),
        resource_settings=SimpleNamespace(cores=cores, nodes=None),
        global_resources={},
    )


def test_a_run_begins_with_its_inputs_and_what_stays_frozen(requests):
    inputs, frozen = Session(workflow(), requests, PLACES, ["stereoset.sentiment"]).first_lines()
    assert inputs.startswith("run 'paper': ")
    assert "stereoset.sentiment stay frozen" in frozen
    assert len(Session(workflow(), requests, PLACES).first_lines()) == 1


def test_a_run_starts_if_what_is_left_of_it_is_short(requests):
    # All scores of XLNet take 119 hours of a core; its last part alone about 3.
    scores = {"paper": "stereoset", "evidence": "scores_xlnet-large"}
    parts = [Job("evidence_part", **scores, part=str(i)) for i in range(38)]
    with pytest.raises(SystemExit, match="Nothing was started"):
        Session(workflow(*parts, cores=2), requests, PLACES).start()
    session = Session(workflow(parts[-1]), requests, PLACES)
    session.start()
    assert not session.reported.is_set()  # it says how far the run is
    session.reported.set()


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
def test_a_run_ends_with_the_place_of_what_was_asked_for(requests, monkeypatch, target, place):
    lines = []
    monkeypatch.setattr("atexit.register", lambda write, *those, **options: lines.extend(those))
    Session(workflow(targets=[target] if target else []), requests, PLACES).succeed()
    assert place in lines
    assert lines[-1].startswith("done in ")


def test_a_dry_run_ends_with_what_it_would_fetch_and_cost(requests, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    jobs = (Job("fetch", source="histwords-coha-word-sgns"), Job("align_decades"))
    Session(workflow(*jobs), requests, PLACES).show_plan()
    assert capsys.readouterr().out == ""
    Session(workflow(*jobs, dryrun=True), requests, PLACES).show_plan()
    told = capsys.readouterr().out
    assert "to download: 1 file of unknown size\n" in told
    assert re.search(r"in all +2 +42 s +- +38 s", told)  # 0.5 + 3 x 1.3, and 38
    assert "disk: 1.3 GB of sources" in told
