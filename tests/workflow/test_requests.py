"""All processes of a run ask for the same, whatever each sees of its machine."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from socialbias.pipeline.cards import Devices
from tests.conftest import Checkout, keep_few
from tests.paths import REPOSITORY, copy_checkout

TARGETS = [
    "results/quickstart/stereoset/evidence/scores_smollm2.parquet",
    "results/quickstart/stereoset/evidence/next_sentence_bert.parquet",
    "results/quickstart/fairness/evidence/sentiment_binary.parquet",
    "results/quickstart/contextual/bert/given/info.json",
    "results/quickstart/bad_seeds/figure1.values.csv",
]
SCORES = "evidence_part [('evidence', 'scores_smollm2'), ('paper', 'stereoset'), ('part', '0')]"
READ = [sys.executable, str(Path(__file__).with_name("requested.py"))]


def process(told=None, **settings) -> subprocess.Popen:
    """One process of a run: what `--resources` gives it, what its run and its machine tell it."""
    return subprocess.Popen(
        [*READ, json.dumps({"nodes": None, "resources": {}} | settings), *TARGETS],
        cwd=REPOSITORY,
        env=Checkout(REPOSITORY).environment(**(told or {})),
        stdout=subprocess.PIPE,
        text=True,
    )


@pytest.mark.long  # each plans the quickstart twice; the tests on Slurm run such jobs
@pytest.mark.parametrize(
    ("resources", "devices", "scores"),
    [
        ({"short": 2, "gpu": 4}, Devices(1), (1, 1)),
        ({"short": 2}, Devices(0), (1, 0)),
    ],
)
def test_the_login_process_and_those_of_a_job_ask_for_the_same(resources, devices, scores):
    login = process(mode="DEFAULT", nodes=50, resources=resources)
    # On a node that shows other cards than the login node does.
    node = process(devices.as_variables() | {"CUDA_VISIBLE_DEVICES": "0"}, mode="REMOTE")
    # Its first line; the plan that a dry run prints follows.
    asked, in_job = (json.loads(one.communicate()[0].splitlines()[0]) for one in (login, node))
    assert asked == in_job
    threads, *_, gpu = asked[SCORES]
    assert (threads, gpu) == scores


@pytest.mark.long  # starts the workflow; test_costs asks the same question
def test_a_run_that_is_planned_to_be_long_stops_before_its_first_job(tmp_path):
    copy_checkout(tmp_path)
    keep_few(tmp_path)
    checkout = Checkout(tmp_path)
    run = checkout.quickstart("trustworthy_table5", "--config", "planning={run_hours: 0.001}")
    assert run.returncode == 1
    assert "more than 0.001 h (planning.run_hours). Nothing was started." in run.stderr
    # The command that confirms it allows whole hours.
    confirmed = "'planning={run_hours: 0.001}' 'planning={run_hours: 1}'"
    assert run.stderr.rstrip().endswith(confirmed)
    assert not (tmp_path / "data").exists()
    made = {path.name for path in (tmp_path / "results").iterdir()}
    assert made <= {"README.md", "reference", "referee"}  # what git has
