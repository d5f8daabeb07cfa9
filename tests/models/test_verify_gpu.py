"""`make verify-gpu` writes what `make plan` reads; all of its checks run in CI on a CPU."""

import json
import subprocess
import sys

import pytest

from tests.paths import REPOSITORY

pytestmark = pytest.mark.long  # two processes that import torch; CI runs all checks on a CPU
COMMAND = [sys.executable, "-m", "pytest", "-c", "tests/gpu/pytest.ini", "tests/gpu"]


def verify(*options):
    command = [*COMMAND, *map(str, options)]
    return subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True, check=False)


def test_what_is_written(tmp_path):
    out = tmp_path / "card.json"
    done = verify("--device", "cpu", "--out", out, "-k", "choice or products")
    assert done.returncode == 0, done.stdout
    assert "1 of 1 checks passed" in done.stdout
    written = json.loads(out.read_text("utf-8"))
    assert (written["card"], written["memory_mb"]) == (None, None)
    assert set(written["flops"]) == {"float32", "bfloat16"}
    assert all(flops > 0 for flops in written["flops"].values())
    [check] = written["checks"]
    assert (check["name"], check["dtype"], check["passed"]) == ("choice of a card", "float32", True)


def test_a_device_that_is_not_there_is_one_line():
    done = verify("--device", "cuda:99")
    assert done.returncode != 0
    assert done.stdout == ""
    [line] = done.stderr.strip().splitlines()
    assert line == "ERROR: make verify-gpu: device 'cuda:99' is not available: use auto"
