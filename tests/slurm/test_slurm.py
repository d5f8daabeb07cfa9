"""The workflow through a live Slurm.

`make test-slurm` starts one on this machine where none answers. On a cluster: set
`SOCIALBIAS_SLURM` to what it wants of Snakemake, such as `--default-resources
slurm_account=ACCOUNT slurm_partition=PARTITION` (or to nothing), and let `--basetemp` name a
folder that the nodes see.
"""

import os
import re
import shlex
import shutil
import signal
import subprocess
import time
from contextlib import contextmanager

import pytest

ASKED = os.environ.get("SOCIALBIAS_SLURM")
# Every vain question after the jobs lets ten seconds more pass until the next, and the first comes
# after forty unless told: so they are asked after at 1 and 12 seconds, and a job here takes seven.
COMMAND = ["--profile", "profiles/slurm", "--configfile", "config.quickstart.yaml"]
COMMAND += ["--slurm-init-seconds-before-status-checks", "1"]


def slurm_answers() -> bool:
    if ASKED is None or shutil.which("sbatch") is None:
        return False
    return subprocess.run(["sinfo"], capture_output=True, timeout=60, check=False).returncode == 0


pytestmark = [
    pytest.mark.xdist_group("slurm"),  # one process, for all of them look at one run
    pytest.mark.skipif(
        not slurm_answers(),
        reason="no Slurm is asked for and answers: `make test-slurm` starts one",
    ),
]


def arguments(*more: str) -> list[str]:
    return [*COMMAND, *more, *shlex.split(ASKED or "")]


# Three artefacts, and the training of one model: each job of Slurm costs seconds.
MODEL = "corpora/nyt/models/0/vectors.npy"
ARTEFACTS = ("trustworthy_table5", "trustworthy_weat", "validation_multiverse")
TARGETS = (*ARTEFACTS, f"results/quickstart/{MODEL}")


@pytest.fixture(scope="module")
def on_slurm(fresh):
    """A copy in which some targets have run through Slurm. Tests leave it as it is."""
    result = fresh.snakemake(*arguments(*TARGETS))
    assert result.returncode == 0, result.stdout + result.stderr
    assert "has been submitted with SLURM jobid" in result.stderr
    return fresh


@pytest.fixture
def own(on_slurm, tmp_path):
    """A finished copy that a test may change."""
    return on_slurm.copy(tmp_path / "own")


@pytest.mark.skipif("PYTEST_XDIST_WORKER" not in os.environ, reason="there is one process")
def test_one_process_has_all_tests_of_a_group(request):
    assert request.node.nodeid.endswith("@slurm")


def test_values_are_the_bytes_of_a_local_run(on_slurm, finished):
    assert len(on_slurm.values()) == len(ARTEFACTS)
    assert on_slurm.values().items() <= finished.values().items()
    model = (on_slurm.results / MODEL).read_bytes()
    assert model == (finished.results / MODEL).read_bytes()


def test_a_rule_that_fails_is_reported_with_its_log_and_leaves_nothing_half_done(own):
    append(own, "scripts/values.py", "raise RuntimeError('broken on purpose')")
    result = own.snakemake(*arguments("--retries", "0", "trustworthy_table5"))
    assert result.returncode != 0
    log = "logs/quickstart/values/trustworthy_table5.log"
    assert "rule values:" in result.stderr  # of a group
    assert "SLURM status is: 'FAILED'" in result.stderr
    assert log in result.stderr
    assert "RuntimeError: broken on purpose" in (own.path / log).read_text("utf-8")
    assert [name for name in own.values() if "table5" in name] == []
    assert (own.results / "trustworthy/weat.values.csv").exists()


def test_a_cancelled_job_is_reported_and_a_second_run_completes(own, finished):
    once = "if not Path('paused').exists():"
    pause = [once, "    import time", "    Path('paused').touch()", "    time.sleep(600)"]
    append(own, "scripts/values.py", *pause)
    with background(own, "--retries", "0", "trustworthy_weat") as (process, report):
        wait_until(lambda: (own.path / "paused").exists() or process.poll() is not None)
        run = re.search(r"SLURM run ID: (\S+)", report.read_text("utf-8"))[1]
        subprocess.run(["scancel", "--name", run], check=True)
        assert process.wait(120) != 0
    told = report.read_text("utf-8")
    assert "rule values:" in told
    assert "SLURM status is: 'CANCELLED'" in told
    assert [name for name in own.values() if "weat" in name] == []
    again = own.snakemake(*arguments("trustworthy_weat"))
    assert again.returncode == 0, again.stdout + again.stderr
    assert own.values().items() <= finished.values().items()


def append(copy, script: str, *lines: str) -> None:
    """Let a script do more in the end, after its output is written and with its log still open."""
    with (copy.path / script).open("a", encoding="utf-8") as file:
        file.writelines(f"    {line}\n" for line in lines)


@contextmanager
def background(copy, *more: str):
    """Snakemake running, and the file in which it reports."""
    report = copy.path / "report.txt"
    with report.open("w") as file:
        process = subprocess.Popen(
            copy.command(*arguments(*more)),
            cwd=copy.path,
            env=copy.environment(),
            stdout=file,
            stderr=subprocess.STDOUT,
        )
        try:
            yield process, report
        finally:
            process.send_signal(signal.SIGINT)  # its jobs are cancelled with it
            process.wait(60)


def wait_until(condition, seconds: float = 120) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, f"not within {seconds} seconds"
        time.sleep(0.2)
