"""All processes of a run ask for the same, whatever each sees of its machine."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from socialbias.pipeline.gpus import Devices
from tests.conftest import Checkout
from tests.paths import REPOSITORY

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
