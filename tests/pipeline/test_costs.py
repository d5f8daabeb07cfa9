"""What a run is said to cost, against what a quickstart was measured to cost.

`make costs` measures anew: `quickstart_costs.csv` is what it wrote (tests/pipeline/measured.py).
"""

import json
import re
import shlex
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest
import yaml
from snakemake.cli import get_argument_parser, parse_config

from socialbias.config import Config
from socialbias.errors import UserError
from socialbias.pipeline import planned_card
from socialbias.pipeline.costs import Cost, Costs
from socialbias.pipeline.folder import RUNS
from socialbias.pipeline.messages import spent
from socialbias.pipeline.plan_lines import most_memory, question, stage_of, wall
from socialbias.pipeline.planned_card import card_of
from socialbias.pipeline.requests import Requests
from socialbias.pipeline.setup import load_setup, plan_of
from socialbias.sources import binding
from tests.paths import REPOSITORY as ROOT
from tests.pipeline.measured import read_benchmarks, read_measured

MOST = 0.7  # of the time and memory that a job asks for
OWN_RULES = {  # beside the artefacts: nothing in the plan of a run
    "annotation_sample", "trustworthy_every_profession", "trustworthy_contexts", "seed_audit",
}  # fmt: skip


@pytest.fixture(scope="module")
def costs_of(tmp_path_factory):
    """The costs of a run where nothing is here, no card was measured, every client installed."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(binding, "client_installed", lambda kind: True)
        patch.setattr(planned_card, "MEASURED", tmp_path_factory.getbasetemp() / "none.json")
        patch.chdir(ROOT)
        found = {}
        for run in ("paper", *RUNS):
            overlays = [] if run == "paper" else [ROOT / f"config.{run}.yaml"]
            setup = load_setup(overlays, environ={})
            plan = plan_of(setup)
            for on_card in (False, True):
                costs = Costs.of(plan, setup.registry, on_card)
                assert costs.jobs  # looked up while the folder is the repository
                found[run, on_card] = costs
    return found


@pytest.fixture(scope="module")
def quickstart(costs_of):
    return costs_of["quickstart", False]


@pytest.fixture(scope="module")
def paper(costs_of):
    return costs_of["paper", False]


@pytest.fixture(scope="module")
def paper_on_card(costs_of):
    return costs_of["paper", True]


def test_the_workstation_takes_an_evening(costs_of):
    assert wall(costs_of["workstation", True], 8, cards=1) <= 3 * 3600
    assert wall(costs_of["workstation", False], 8) <= 12 * 3600
    on_card = costs_of["workstation", True]
    assert max(on_card.cost(job).card_mb for job in on_card.jobs) < 12_000


def test_the_reference_run_takes_90_minutes_on_two_cores_at_most(costs_of):
    assert 10 * 60 < wall(costs_of["reference", False], 2) <= 90 * 60


def test_nearly_all_jobs_of_the_plan_were_measured(quickstart):
    planned, measured = set(quickstart.jobs), set(read_measured())
    both = planned & measured
    # With a mirror a run has more jobs than without one.
    assert len(both) >= 0.9 * len(planned), sorted(planned - measured)


def test_the_quickstart_costs_what_it_is_said_to_cost(quickstart):
    measured = {job: s for job, (s, _) in read_measured().items() if job in quickstart.jobs}
    said = sum(quickstart.cost(job).cpu for job in measured)
    assert said == pytest.approx(sum(measured.values()), rel=1 / 3)


def test_each_longer_part_of_the_quickstart_costs_what_it_is_said_to(quickstart):
    said, took = {}, {}
    for job, (seconds, _) in read_measured().items():
        # The time of a download is the network's.
        if job in quickstart.jobs and not job.startswith("fetch/"):
            for part in {stage_of(job), job.partition("/")[0], job}:
                said[part] = said.get(part, 0) + quickstart.cost(job).cpu
                took[part] = took.get(part, 0) + seconds
    longer = {part for part in took if max(said[part], took[part]) > 20}
    assert len(longer) >= 8
    off = {part: (said[part], took[part]) for part in longer}
    wrong = {part: (a, b) for part, (a, b) in off.items() if not a / 2 < b < 2 * a}
    assert not wrong


def test_scores_are_jobs_of_500_items(paper, quickstart):
    job = "scores/stereoset_scores_xlnet-large"
    # 8,498 items within and 8,497 between sentences, and 1,508 pairs: 18,503 / 500.
    assert paper.parts(job) == 38
    assert paper.jobs[job] == tuple(
        f"evidence_part/stereoset_scores_xlnet-large_{i}" for i in range(38)
    )
    assert quickstart.parts("scores/stereoset_scores_smollm2") == 1
    assert not any(name.startswith("evidence_part") for name in quickstart.jobs)
    assert paper.cost(job).cpu < 60  # what is left is to put them together
    assert paper.cost(paper.jobs[job][0]).cpu < 4 * 3600


def test_no_job_takes_longer_than_eight_hours_or_asks_for_more_than_a_day(paper, paper_on_card):
    for costs in (paper, paper_on_card):
        assert max(costs.cost(job).seconds for job in costs.jobs) <= 8 * 3600
        assert costs.too_long() == []
        for job in costs.jobs:
            for attempt in (1, 2, 3):
                assert costs.request(job, attempt).runtime <= 24 * 60


def test_shards_take_as_long_as_they_may(paper):
    hours = paper.plan.config.trustworthy.hours_per_shard
    shards = [job for job in paper.jobs if job.startswith("represent_shard/")]
    assert 5 < len(shards) < 60
    assert max(paper.cost(job).seconds for job in shards) <= 1.05 * hours * 3600
    # 8 targets x 1,000 sentences x 28 pieces at 142 a second (GPT-2 medium): 0.44 h.
    assert paper.cost("represent/gpt2_given").seconds / 3600 == pytest.approx(0.44, abs=0.02)


def test_training_counts_its_padding(paper_on_card):
    # 2 x 302e6 weights x 3 passes x 200,000 pairs x 10 epochs x 60 pieces, 1.244 with padding, at
    # 1e13 a second, and 2.4 ms a text.
    hours = (2 * 302e6 * 3 * 2e6 * 60 * 1.244 / 1e13 + 2e5 * 0.0024) / 3600
    parts = [name for name in paper_on_card.jobs if "next_sentence_roberta-large" in name]
    found = sum(paper_on_card.cost(name).seconds for name in parts) / 3600
    assert found == pytest.approx(hours, rel=0.05)


FAST = {"card": "X", "memory_mb": 80_000, "flops": {"float32": 2e13, "bfloat16": 5e13}}
FAST_RATES = {
    "extraction, BERT-base, float32": {"dtype": "float32", "flops": 1.5e13},
    "next-sentence training, BERT-base, bfloat16": {"dtype": "bfloat16", "flops": 4e13},
}
MACHINE = {"card_flops": 1e13, "seconds_per_text": 0.0024, "padding": 1.25}


def test_the_card_that_was_measured_is_planned_for(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    planning = Config().planning
    guess = card_of(planning, MACHINE)
    assert (guess.mb, guess.rate("tf32"), guess.seconds_per_text) == (24_000, 1e13, 0.0024)
    Path("results").mkdir()
    Path("results/verify-gpu.json").write_text(json.dumps(FAST))
    card = card_of(planning, MACHINE)
    assert (card.name, card.mb, card.seconds_per_text) == ("X", 80_000, 0.0024)
    # A precision that was not measured has the rate of float32; `auto` is bfloat16 on a card.
    rates = [card.rate(dtype) for dtype in ("float32", "tf32", "bfloat16", "auto")]
    assert rates == [2e13, 2e13, 5e13, 5e13]
    # A file that is named comes before; rates of models before those of products of matrices.
    Path("mine.json").write_text(json.dumps(FAST | {"card": "Y", "rates": FAST_RATES}))
    card = card_of(planning.model_copy(update={"card": "mine.json"}), MACHINE)
    assert (card.name, card.seconds_per_text) == ("Y", 0)
    assert [card.rate("float32", trained) for trained in (False, True)] == [1.5e13, 1.5e13]
    # Padding was measured with it, and is counted by the plan.
    assert [card.rate("bfloat16", trained) for trained in (False, True)] == [5e13, 1.25 * 4e13]


def test_a_file_that_measured_no_card_is_passed_over_or_one_line(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    path, planning = Path("results/verify-gpu.json"), Config().planning
    path.parent.mkdir()
    path.write_text(json.dumps({"card": None, "memory_mb": None, "flops": {"float32": 5e10}}))
    assert card_of(planning, MACHINE) == card_of(planning.model_copy(update={}), MACHINE)
    assert "assumed" in card_of(planning, MACHINE).name
    with pytest.raises(UserError, match=r"none\.json: No such file"):
        card_of(planning.model_copy(update={"card": "none.json"}), MACHINE)
    for text in (
        "{",
        "[]",
        "{}",
        json.dumps(FAST | {"flops": {"float32": 0}}),
        json.dumps(FAST)[:40],
    ):
        path.write_text(text)
        with pytest.raises(UserError, match="not a file of `make verify-gpu`") as caught:
            card_of(planning, MACHINE)
        assert "\n" not in str(caught.value)


def test_the_card_changes_times_but_not_the_jobs(costs_of, paper_on_card):
    fast = paper_on_card.card._replace(flops={"float32": 5e13, "bfloat16": 4e14})
    costs = replace(paper_on_card, card=fast)
    assert costs.jobs == paper_on_card.jobs
    job = "train_classifier/stereoset_next_sentence_roberta-base"
    training = costs.plan.config.contextual.training.model_copy(update={"dtype": "bfloat16"})
    contextual = costs.plan.config.contextual.model_copy(update={"training": training})
    config = costs.plan.config.model_copy(update={"contextual": contextual})
    lower = replace(costs, plan=replace(costs.plan, config=config))
    # 2 x 85e6 weights x 3 passes x 1.2e8 pieces x 1.244 at 5e13 a second in float32, 4e14 in
    # bfloat16, in which the training is priced.
    work = 2 * 85e6 * 3 * 1.2e8 * 1.244
    saved = costs.cost(job).seconds - lower.cost(job).seconds
    assert saved == pytest.approx(work / 5e13 - work / 4e14, rel=1e-3)


def test_a_long_run_asks_before_it_starts(paper, quickstart):
    typed = ["snakemake", "--cores", "8"]
    asked = question(paper, 8, 0, set(paper.jobs), typed)
    assert "on 8 cores without a GPU, which is more than 24 h" in asked
    assert asked.splitlines()[-1].startswith(
        "  snakemake --cores 8 --config 'planning={run_hours: "
    )
    assert question(paper, 8, 0, {"page"}, typed) == ""  # what is left to do is short
    assert question(quickstart, 2, 0, set(quickstart.jobs), typed) == ""


@pytest.mark.parametrize(
    "words",
    [
        ["--config", "planning={card: mine.json}", "--", "all"],
        ["--config=planning={card: mine.json}", "all"],
        ["-C", "seed=1", "--config", "planning={card: mine.json}", "--keep-going", "all"],
        ["all"],
    ],
)
def test_the_command_to_confirm_keeps_what_was_typed(paper, words):
    text = question(paper, 8, 0, set(paper.jobs), ["snakemake", "--cores", "8", *words])
    command = shlex.split(text.splitlines()[-1])
    assert command[0] == "snakemake"
    before, after = (
        get_argument_parser().parse_args(x) for x in (["--cores", "8", *words], command[1:])
    )
    assert after.targets == before.targets
    given = parse_config(before.config or [])
    added = {"planning": given.get("planning", {}) | {"run_hours": "60"}}
    assert parse_config(after.config) == given | added


def test_bad_seeds_takes_two_hours_at_most_on_eight_cores(paper):
    of_paper, ways = set(), [job for job in paper.jobs if "/bad_seeds_" in job]
    while ways:
        job = ways.pop()
        ways += paper.jobs[job] if job not in of_paper else []
        of_paper.add(job)
    jobs = {job: waits for job, waits in paper.jobs.items() if job in of_paper}
    assert len(jobs) > 100
    assert wall(paper, 8, only=jobs) <= 2 * 3600


@pytest.mark.parametrize("on_card", [False, True])
@pytest.mark.parametrize("run", ["paper", "quickstart"])
def test_no_job_is_expected_to_need_most_of_what_it_asks_for(costs_of, run, on_card):
    costs = costs_of[run, on_card]
    for job in set(costs.jobs) - set(costs.too_long()):
        cost, asked = costs.cost(job), costs.request(job)
        assert cost.seconds <= MOST * asked.runtime * 60, (job, cost, asked)
        assert cost.mb <= MOST * asked.mem_mb, (job, cost, asked)


def test_no_job_of_the_measured_run_took_most_of_what_it_asked_for(quickstart):
    for job, (seconds, mb) in read_measured().items():
        if job in quickstart.jobs:
            asked = quickstart.request(job)
            assert seconds <= MOST * asked.runtime * 60, (job, seconds, asked)
            assert mb <= MOST * asked.mem_mb, (job, mb, asked)


def test_every_rule_asks_for_what_the_plan_says_and_for_more_the_second_time():
    asking = []
    for path in (ROOT / "workflow/rules").glob("*.smk"):
        for name, body in re.findall(r"(?s)rule( \w+)?:\n(.*?)(?=\n *rule\b|\Z)", path.read_text()):
            name = name.strip()
            if "script:" not in body:
                continue
            if name in OWN_RULES:
                assert body.count("* attempt,") == 2, name
                continue
            asking.append(name)
            given = f'"{name}"' if name else "maker"  # the rules of evidence are made in a loop
            assert f"mem_mb=ASK.mem_mb({given})" in body, name
            assert f"runtime=ASK.minutes({given})" in body, name
    assert {"", "values", "represent", "train_vectors", "page"} <= set(asking)


def test_a_second_attempt_asks_for_twice_as_much(quickstart):
    ask = Requests(quickstart)
    for rule, wildcards in (("evidence", ["bad_seeds", "figure3"]), ("page", [])):
        for kind in (ask.mem_mb, ask.minutes):
            once, twice = (kind(rule)(wildcards, attempt=n) for n in (1, 2))
            assert twice == 2 * once > 0


def test_a_job_asks_for_a_minute_at_least(quickstart):
    planning = quickstart.plan.config.planning.model_copy(update={"job_hours": 0.01})
    config = quickstart.plan.config.model_copy(update={"planning": planning})
    costs = replace(quickstart, plan=replace(quickstart.plan, config=config))
    assert {costs.request(job, attempt).runtime for job in costs.jobs for attempt in (1, 2)} == {1}


@pytest.mark.parametrize("run", ["paper", "quickstart"])
def test_no_group_of_short_jobs_waits_for_itself(costs_of, run):
    costs = costs_of[run, False]
    reached: dict[str, set[str]] = {}  # by job, the groups on ways that left them before it
    for job, waits in costs.jobs.items():
        mine = costs.groups.get(job)
        reached[job] = set()
        for other in waits:
            theirs = costs.groups.get(other)
            reached[job] |= reached[other] | ({theirs} - {mine, None})
        assert mine not in reached[job], job
    profile = yaml.safe_load((ROOT / "profiles/slurm/profile.yaml").read_text("utf-8"))
    named = {entry.partition("=")[0] for entry in profile["group-components"]}
    assert set(costs.groups.values()) <= named
    assert len(costs.groups) > 60


def test_a_job_costs_more_where_there_is_more_to_do(paper, paper_on_card, quickstart):
    job = "train_vectors/wikitext_0"
    assert paper.cost(job).cpu > 50 * quickstart.cost(job).cpu
    assert paper.request(job).mem_mb > quickstart.request(job).mem_mb
    job = "represent_shard/bert_given_0"
    assert paper_on_card.cost(job).seconds < paper.cost(job).seconds / 10


def with_training(costs, **changed):
    """The costs of a run with other settings of next-sentence trainings."""
    stereoset = costs.plan.config.stereoset
    section = stereoset.next_sentence.model_copy(update=changed)
    stereoset = stereoset.model_copy(update={"next_sentence": section})
    config = costs.plan.config.model_copy(update={"stereoset": stereoset})
    return replace(costs, plan=replace(costs.plan, config=config))


def test_a_long_training_is_a_chain_of_jobs_of_eight_hours(paper_on_card):
    paper, job = paper_on_card, "train_classifier/stereoset_next_sentence_"
    # 2 x 708e6 weights x 4 passes x 200,000 pairs x 10 epochs x 60 pieces x 1.244 / 1e13 a second
    # are 23.5 hours, and waiting 1.3; of BERT base (85e6 weights) 4.1 in all.
    assert [paper.parts(f"{job}{model}") for model in ("gpt2-large", "bert")] == [4, 1]
    assert with_training(paper, hours_per_job=25).parts(f"{job}gpt2-large") == 1
    assert with_training(paper, train=400_000).parts(f"{job}gpt2-large") == 7
    assert with_training(paper, fine_tune=False).parts(f"{job}gpt2-large") == 1
    last, first = "train_classifier/stereoset_next_sentence_gpt2-large", "train_part/stereoset"
    first += "_next_sentence_gpt2-large_0"
    assert paper.jobs[last][-1] == first.replace("_0", "_2")
    assert paper.jobs[first.replace("_0", "_1")][-1] == first
    assert not any("train_part" in job for job in paper.jobs[first])
    assert paper.cost(first).seconds == pytest.approx(paper.cost(last).seconds, rel=0.1)
    assert not any(job.startswith("train_part/stereoset_next_sentence_bert") for job in paper.jobs)


def test_training_word_vectors_costs_its_words_times_its_passes():
    # 1,000,000 words, 5 epochs, each word and 2 others: 15 million, at 0.5 s a million, and 1 s.
    setup = SimpleNamespace(
        rates={
            "jobs": {"train_vectors/*": {"seconds": {"one": 1, "sampled * passes": 0.5}}},
            "texts": {"news": {"tokens": 8.0, "documents": 1, "distinct": 1}},
        }
    )
    config = Config.model_validate({"bad_seeds": {"sample_words": 1_000_000, "negative": 2}})
    plan = SimpleNamespace(config=config, registered=lambda corpus: "news")
    plan.bindings = {"corpus_nyt": SimpleNamespace(source="news")}
    costs = Costs(plan, {}, setup.rates)
    assert costs.cost("train_vectors/nyt_0").cpu == pytest.approx(8.5)


def schedule(jobs, seconds, cores=None, on_card=()):
    def cost(job):
        n = (cores or {}).get(job, 1)
        return Cost(seconds[job] / n, n, 1, 4.0 * (job in on_card), 1)

    return SimpleNamespace(jobs=jobs, cost=cost)


def test_wall_time_of_jobs_on_cores():
    # a (3 s) before b (4 s); c, d, e of 2 s each: on two cores a b beside c d e, on one all 13 s.
    jobs = {"a": (), "b": ("a",), "c": (), "d": (), "e": ()}
    costs = schedule(jobs, {"a": 3, "b": 4, "c": 2, "d": 2, "e": 2})
    assert wall(costs, 1) == 13
    assert wall(costs, 2) == 7
    assert wall(costs, 1, only={"b", "c"}) == 6


def test_wall_time_of_jobs_that_use_several_cores():
    # a has 12 s of work on up to four cores, b 3 s and c 2 s on one each.
    jobs, cores = {"a": (), "b": (), "c": ()}, {"a": 4}
    costs = schedule(jobs, {"a": 12, "b": 3, "c": 2}, cores)
    assert wall(costs, 1) == 17
    assert wall(costs, 2) == 9  # a on both, then b beside c
    # b and c have a core each, a waits until four are free; then with 5 b, then c beside a.
    assert wall(costs, 5) == 5
    assert wall(costs, 6) == 3
    assert most_memory(costs, 2) == pytest.approx(2)


def test_wall_time_of_jobs_that_share_one_card():
    # Two jobs of 5 s on one card after each other, a third of 9 s on a core beside them.
    costs = schedule({"a": (), "b": (), "c": ()}, {"a": 5, "b": 5, "c": 9}, on_card="ab")
    assert wall(costs, 3, cards=1) == 10
    assert wall(costs, 3, cards=2) == 9


def test_fetching_takes_no_time_of_its_own():
    costs = schedule({"fetch/a": (), "b": ("fetch/a",)}, {"fetch/a": 100, "b": 2})
    assert wall(costs, 1) == 2


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0, "0 s"), (59, "59 s"), (90, "1.5 min"), (5400, "1.5 h"), (3_600_000, "1,000 h")],
)
def test_times_have_as_many_digits_as_estimates_have(seconds, text):
    assert spent(seconds) == text


def test_benchmarks_are_read_with_the_names_of_jobs(tmp_path):
    folder = tmp_path / "quickstart/evidence"
    folder.mkdir(parents=True)
    head = "s\th:m:s\tmax_rss\tcpu_time\n"
    (folder / "bad_seeds_table1.tsv").write_text(f"{head}1.5\t0:00:01\t80.1\t0.9\n")
    (tmp_path / "quickstart/page.tsv").write_text(f"{head}4.0\t0:00:04\t-\t3.0\n")
    (tmp_path / "fetch").mkdir()
    (tmp_path / "fetch/bbc-news.tsv").write_text(f"{head}9\t0:00:09\t1\t1\n2\t0:00:02\t1\t1\n")
    assert read_benchmarks(tmp_path) == {
        "evidence/bad_seeds_table1": (1.5, 80.1),
        "page": (4.0, 0.0),
        "fetch/bbc-news": (2.0, 1.0),
    }
