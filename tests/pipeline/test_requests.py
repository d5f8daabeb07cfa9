"""What jobs need and request, by the table of the project."""

import json
from dataclasses import replace

import pytest
import yaml

from socialbias.errors import UserError
from socialbias.pipeline.plan_lines import cost_lines, least_time, question
from socialbias.pipeline.requests import MEASURED, Need, Requests, gpu_factor
from socialbias.pipeline.setup import merged, plan_of, raw_setup
from socialbias.sources import binding
from tests.paths import REPOSITORY as ROOT


def requests_of(run="paper", has_gpu=False, **keys):
    """The requests of a run where nothing is here and every client is installed."""
    overlay = {} if run == "paper" else yaml.safe_load((ROOT / f"config.{run}.yaml").read_text())
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(binding, "client_installed", lambda kind: True)
        setup = raw_setup(merged(overlay, keys), environ={})
    plan = plan_of(setup)
    plan = replace(plan, config=plan.config.decided(has_gpu))
    return Requests.of(plan, setup.registry, has_gpu, has_groups=True)


@pytest.fixture(autouse=True)
def elsewhere(tmp_path, monkeypatch):
    """Where nothing has been fetched or measured."""
    monkeypatch.chdir(tmp_path)


def test_a_job_needs_what_the_table_says_for_its_kind_of_run_and_its_size():
    quickstart, paper = requests_of("quickstart"), requests_of()
    # A bootstrap sample of the 2 million tokens of WikiText-2 has a million words.
    need = quickstart.need("train_vectors/wikitext_0")
    assert need == (pytest.approx(1.3 + 5.7), pytest.approx(190 + 5.5), 1, 0, False)
    # The paper's has all 115 million tokens of WikiText-103.
    assert paper.need("train_vectors/wikitext_0").seconds == pytest.approx(1.3 + 11.4 * 115)
    # A core for each million tagged words; all are tagged on 16.
    assert quickstart.need("tag_corpus/nyt").cores == 1
    assert paper.need("tag_corpus/nyt").cores == 16
    assert paper.need("trustworthy_table5") == Need()


def test_the_gpu_that_was_measured_is_planned_for(tmp_path):
    table = {"gpu_flops": 1e13}
    assert gpu_factor(table) == 1
    MEASURED.parent.mkdir()
    content = {"card": "X", "flops": {"float32": 2e13, "bfloat16": 5e13}}
    MEASURED.write_text(json.dumps(content))
    assert gpu_factor(table) == 0.5
    # A model that was run tells more than a product of matrices.
    rates = {"extraction, BERT-base, float32": {"dtype": "float32", "flops": 4e13}}
    MEASURED.write_text(json.dumps(content | {"rates": rates}))
    assert gpu_factor(table) == 0.25
    fast, slow = requests_of(has_gpu=True), replace(requests_of(has_gpu=True), gpu_factor=1.0)
    job = "train_classifier/stereoset_sentiment"
    assert fast.need(job).seconds == slow.need(job).seconds / 4
    assert fast.need(job)[1:] == slow.need(job)[1:]
    MEASURED.write_text(json.dumps({"card": None, "flops": {"float32": 5e10}}))
    assert gpu_factor(table) == 1
    for text in ("{", "[]", "{}", json.dumps(content | {"flops": {"float32": 0}})):
        MEASURED.write_text(text)
        with pytest.raises(UserError, match=r"verify-gpu\.json: not a file of") as caught:
            gpu_factor(table)
        assert "\n" not in str(caught.value)


def test_a_second_attempt_requests_twice_as_much_within_the_limit():
    requests = requests_of("quickstart")
    for job in ("evidence/bad_seeds_figure3", "page"):
        once, twice = (requests.request(job, attempt) for attempt in (1, 2))
        assert twice[:2] == (2 * once.mem_mb, 2 * once.runtime)
    limited = requests_of("quickstart", planning={"job_hours": 0.01})
    assert [limited.request("page", attempt).runtime for attempt in (1, 2)] == [1, 1]


@pytest.mark.parametrize("run", ["paper", "quickstart"])
def test_no_group_of_short_jobs_waits_for_itself(run):
    requests = requests_of(run)
    plan = requests.plan
    artefacts = {a: f"values/{a}" for a in plan.declarations.artefacts}
    names = [f"evidence/{paper}/{name}" for paper, name in plan.declarations.evidence]
    evidence = [plan.maker(name) for name in names if plan.available(name)]

    def reached(job):
        """The groups that a way to the job has left before it."""
        groups, mine = set(), requests.request(job).group
        makers = [plan.maker(x) for x in plan.step_of(job).reads if plan.available(x)]
        for maker in filter(None, makers):
            groups |= reached(maker) | ({requests.request(maker).group} - {mine, None})
        assert mine not in groups, job
        return groups

    jobs = [*artefacts.values(), *evidence]
    for job in jobs:
        reached(job)
    profile = yaml.safe_load((ROOT / "profiles/slurm/profile.yaml").read_text("utf-8"))
    named = {entry.partition("=")[0] for entry in profile["group-components"]}
    groups = [group for job in jobs if (group := requests.request(job).group)]
    assert set(groups) <= named
    assert len(groups) > 60


def test_jobs_take_their_time_on_cores_on_gpus_and_one_after_the_other():
    # a before b; of 12, 4 and 2 seconds of a core, a on up to four.
    needs = {"a": Need(12, 0, 4), "b": Need(4), "c": Need(2), "fetch/x": Need(100)}
    waits = {"a": ["fetch/x", "done"], "b": ["a"], "c": [], "fetch/x": []}
    assert least_time(needs, waits, 1, 0) == 18
    assert least_time(needs, waits, 2, 0) == 10  # a on both, then b
    assert least_time(needs, waits, 8, 0) == 7
    # Two jobs of 5 seconds on one GPU, or on two.
    on_gpu = {name: Need(5, 0, 1, 1) for name in ("d", "e")}
    assert [least_time(on_gpu, {"d": [], "e": []}, 8, n) for n in (1, 2)] == [10, 5]


def test_the_plan_adds_up_what_jobs_need():
    job = "train_vectors/wikitext_"
    lines = cost_lines(requests_of(), {f"{job}{n}": [] for n in range(20)})
    [row] = [line.split() for line in lines if "in all" in line]
    # 20 x (1.3 + 11.4 x 115) seconds of a core are 7.3 hours.
    assert row == ["in", "all", "20", "7.3", "h", "-", "22", "min", "0.8"]
    assert any(line.startswith("at least: 3.6 h on 2 cores, ") for line in lines)
    long = cost_lines(requests_of(planning={"job_hours": 0.1}), {f"{job}0": []})
    assert f"(0.1 h, planning.job_hours): {job}0 (22 min): use" in long[-1]


def test_a_long_run_asks_before_it_starts():
    assert question(24 * 3600, 24, 8, 1) == ""
    text = question(60.5 * 3600, 24, 8, 0)
    assert "at least 60 h on 8 cores without a GPU, which is more than 24 h" in text
    assert text.endswith("add this value to `--config`: 'planning={run_hours: 61}'")
