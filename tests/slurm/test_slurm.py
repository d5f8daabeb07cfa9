"""The workflow through a live Slurm.

`make test-slurm` starts one on this machine where none answers, and runs all of these; CI runs
those that are not `long`. On a cluster: set `SOCIALBIAS_SLURM` to what it wants of Snakemake, such
as `--default-resources slurm_account=ACCOUNT slurm_partition=PARTITION` (or to nothing), and let
`--basetemp` name a folder that the nodes see.
"""

import os
import shlex
import shutil
import signal
import subprocess
import time
from contextlib import contextmanager

import pytest

from tests.conftest import copy_repository

ASKED = os.environ.get("SOCIALBIAS_SLURM")
NODES = os.environ.get("SOCIALBIAS_SLURM_NODES")  # what loses and mends nodes, if they are ours
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
with_own_nodes = pytest.mark.skipif(
    not NODES, reason="the Slurm that answers is not this machine's"
)


def arguments(*more: str) -> list[str]:
    return [*COMMAND, *more, *shlex.split(ASKED or "")]


# Three artefacts, and the training of one model: each job of Slurm costs seconds.
MODEL = "corpora/nyt/models/0/vectors.npy"
ARTEFACTS = ("trustworthy_table5", "trustworthy_weat", "validation_placebo")
TARGETS = (*ARTEFACTS, f"results/quickstart/{MODEL}")


@pytest.fixture(scope="module")
def local(tmp_path_factory, fetched):
    """A copy in which the same targets have run without Slurm."""
    copy = copy_repository(tmp_path_factory.mktemp("local"), fetched)
    result = copy.quickstart(*TARGETS)
    assert result.returncode == 0, result.stdout + result.stderr
    return copy


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


def test_values_are_the_bytes_of_a_local_run(on_slurm, local):
    assert len(on_slurm.values()) == len(ARTEFACTS)
    assert on_slurm.values() == local.values()
    assert (on_slurm.results / MODEL).read_bytes() == (local.results / MODEL).read_bytes()


def test_a_rule_that_fails_is_reported_with_its_log_and_leaves_nothing_half_done(own):
    append(own, "scripts/values.py", "raise RuntimeError('broken on purpose')")
    result = own.snakemake(*arguments("--retries", "0", "trustworthy_table5"))
    assert result.returncode != 0
    log = "logs/quickstart/values/trustworthy_table5.log"
    assert "Error in group short" in result.stderr
    assert "rule values:" in result.stderr
    assert log in result.stderr
    assert "RuntimeError: broken on purpose" in (own.path / log).read_text("utf-8")
    assert [name for name in own.values() if "table5" in name] == []
    assert (own.results / "trustworthy/weat.values.csv").exists()


# The first attempt stands still after it has written its output, with its log still open.
PAUSE = """\
import os, time
if not Path('paused').exists():
    Path('paused').write_text(os.environ['SLURMD_NODENAME'])
    while not Path('go').exists():
        time.sleep(0.1)
""".splitlines()


# Beside what it needs, a script takes all of the memory that its first attempt asks for.
HUNGER = """\
import time
asked = snakemake.resources.mem_mb
with Path('asked').open('a') as file:
    file.write(f'{asked}\\n')
first = int(Path('asked').read_text().split()[0])
hunger = b'x' * (first * 1_000_000)
time.sleep(600 if asked == first else 5)
""".splitlines()


@pytest.mark.long
@with_own_nodes
def test_a_job_killed_for_want_of_memory_asks_for_twice_as_much_and_ends(own, local):
    append(own, "scripts/values.py", *HUNGER)
    killed = own.snakemake(*arguments("--retries", "0", "trustworthy_weat"))
    assert "the job was killed: it used more memory than it requested" in killed.stderr
    (own.path / "asked").unlink()
    result = own.snakemake(*arguments("trustworthy_weat"))
    assert result.returncode == 0, result.stdout + result.stderr
    assert "Error in group short" in result.stderr
    first, second = map(int, (own.path / "asked").read_text("utf-8").split())
    assert second == 2 * first
    assert own.values() == local.values()


@pytest.mark.long
def test_a_run_whose_snakemake_was_killed_waits_for_its_jobs(own, local):
    append(own, "scripts/values.py", *PAUSE)
    with background(own, "trustworthy_weat") as (process, _):
        paused(own, process)
        process.kill()
        process.wait()
    unlock = own.snakemake(*arguments("--unlock"))
    assert unlock.returncode == 0, unlock.stderr
    log = own.path / "logs/quickstart/values/.trustworthy_weat.log.lock"
    first = log.read_text("utf-8")
    with background(own, "trustworthy_weat") as (process, report):
        wait_until(lambda: len(jobs_now("RUNNING")) == 2 or process.poll() is not None)
        assert log.read_text("utf-8") == first  # the second is not yet at work
        (own.path / "go").touch()
        assert process.wait(300) == 0, report.read_text("utf-8")
    assert not log.exists()
    assert own.values() == local.values()


def jobs_now(state: str) -> list[str]:
    """The numbers of the jobs in a state."""
    asked = ["squeue", "--noheader", f"--states={state}", "--format=%A"]
    return subprocess.run(asked, capture_output=True, text=True, check=True).stdout.split()


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


def paused(copy, process) -> str:
    """Wait until a job stands still, and say on which node."""
    name = copy.path / "paused"
    wait_until(lambda: (name.exists() and name.read_text()) or process.poll() is not None, 300)
    return name.read_text("utf-8")


def wait_until(condition, seconds: float = 120) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, f"not within {seconds} seconds"
        time.sleep(0.2)
