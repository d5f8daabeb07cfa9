"""What a run prints around its jobs, from a workflow that has done nothing."""

import re
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest

from socialbias.pipeline.requests import Requests
from socialbias.pipeline.session import Session
from socialbias.pipeline.setup import load_setup, plan_of
from socialbias.sources import binding
from socialbias.sources.binding import Places
from socialbias.sources.unavailable import note_unavailable, unavailable_sources
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


def workflow(*jobs, targets=(), cores=8, dryrun=False, until=()):
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
        dag_settings=SimpleNamespace(targets=targets, until=until, omit_from=()),
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
        Session(workflow(*parts, cores=2), requests, PLACES).check_hours()
    Session(workflow(parts[-1]), requests, PLACES).check_hours()


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
    session = Session(workflow(targets=[target] if target else []), requests, PLACES)
    lines = said_at_the_end(monkeypatch, session.succeed)
    assert place in lines
    assert lines[-1].startswith("done in ")


def said_at_the_end(monkeypatch, end):
    lines = []
    monkeypatch.setattr("atexit.register", lambda write, *those, **options: lines.extend(those))
    end()
    return lines


def test_a_run_until_a_rule_names_no_result(requests, monkeypatch):
    session = Session(workflow(until=["fetch"]), requests, PLACES)
    assert said_at_the_end(monkeypatch, session.succeed) == ["done up to fetch: 0 s"]


def test_a_run_says_how_it_goes_on_without_what_no_host_gave(requests, monkeypatch, tmp_path):
    places = replace(PLACES, data=tmp_path)
    session = Session(workflow(), requests, places)
    note_unavailable(tmp_path, "glove-6b-300d", "no connection")
    note_unavailable(tmp_path, "wikitext-103-raw-v1", "no connection")
    (log := tmp_path / "log").touch()
    lines = said_at_the_end(monkeypatch, lambda: session.fail([log]))
    assert lines[0] == (
        "run the same command again to go on without glove-6b-300d, wikitext-103-raw-v1: "
        "glove has no input instead of glove-6b-300d; "
        "corpus_wikitext has wikitext-103-raw-parquet instead of wikitext-103-raw-v1 "
        "(`make doctor LOOK=--look` before asks the hosts again)"
    )
    assert lines[-1].startswith("or, to leave out for good what has no input, add this value to ")
    assert lines[-1].endswith("'inputs={glove: []}'")
    left = Session(
        workflow(), requests, replace(places, unavailable=unavailable_sources(tmp_path, {}))
    )
    assert said_at_the_end(monkeypatch, lambda: left.fail([log])) == []


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
    assert "each of these" not in told
