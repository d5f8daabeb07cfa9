"""Snakemake is killed alone (-9), as for want of memory: its jobs live on."""

import os
import signal
import subprocess
import sys

import pytest

from socialbias.pipeline.failures import reasons
from tests.paths import REPOSITORY
from tests.reliability import fault
from tests.waiting import PATIENCE, until

# A job that writes in place, as libraries do, when it is told to go on.
JOB = """\
import os, sys, time
from pathlib import Path
from types import SimpleNamespace
from socialbias.pipeline.scripting import logged

log, output = sys.argv[1:]
with logged(SimpleNamespace(log=[log], input=[], output=[output])) as say:
    with Path(output).open("a") as file:
        file.write("begun ")
        file.flush()
        while not Path("go").exists():
            time.sleep(0.01)
        file.write("ended\\n")
    say("done")
"""


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "job.py").write_text(JOB)
    return tmp_path


def start(folder, *command):
    environment = os.environ | {"PYTHONPATH": str(REPOSITORY / "src")}
    return subprocess.Popen(
        [sys.executable, *command], cwd=folder, env=environment, stderr=subprocess.PIPE, text=True
    )


@fault("the same job twice at once", "the second waits until the first has ended")
def test_a_second_job_waits_for_the_first(folder):
    first = start(folder, "job.py", "a.log", "out")
    until(lambda: (folder / "out").exists())
    second = start(folder, "job.py", "a.log", "out")
    assert f"process {first.pid} is still at work on this job" in second.stderr.readline()
    assert (folder / "out").read_text() == "begun "
    (folder / "go").touch()
    assert first.wait(PATIENCE) == second.wait(PATIENCE) == 0
    assert (folder / "out").read_text() == "begun ended\n" * 2
    assert sorted(p.name for p in folder.glob("*.log")) == ["a.log"]


@fault("a job that was killed itself (-9)", "nothing waits for it: its lock ends with it")
def test_a_job_that_is_dead_is_not_waited_for(folder):
    first = start(folder, "job.py", "a.log", "out")
    until(lambda: (folder / "out").exists())
    first.send_signal(signal.SIGKILL)
    first.wait(PATIENCE)
    (folder / "go").touch()
    second = start(folder, "job.py", "a.log", "out")
    assert second.wait(PATIENCE) == 0
    assert "still at work" not in second.stderr.read()
    assert not (folder / ".a.log.lock").exists()


@fault("a run of which jobs fail", "the reason of each stands in the last lines, with its log")
def test_the_last_lines_say_why(tmp_path):
    logs = {name: tmp_path / f"{name}.log" for name in ("broken", "same", "killed", "never")}
    logs["broken"].write_text("Traceback\n  File x\n\nfailed: a.txt, line 3: no word: put one\n")
    logs["same"].write_text("failed: not this\n\nfailed: a.txt, line 3: no word: put one\n")
    logs["killed"].write_text("read 5 documents\n")
    ends = "(check log file(s) for error details)\n"
    said = (f"Error in rule x:\n    jobid: 1\n    log: {log} {ends}" for log in logs.values())
    (tmp_path / "snakemake.log").write_text("".join(said))
    assert reasons([str(tmp_path / "snakemake.log")]) == [
        f"{logs['broken']}: a.txt, line 3: no word: put one",
        f"{logs['killed']}: the job was killed by another program or by a person",
        f"{logs['never']}: there is no log: the job was killed before it started, or the disk is "
        "full",
    ]
    assert reasons([]) == []
    _, killed, _ = reasons([str(tmp_path / "snakemake.log")], had_no_memory=True)
    assert "this machine ran out of memory at that time" in killed


STEP = "slurmstepd-one: error: *** STEP 4.0 ON one CANCELLED AT 2026-11-23T04:06:07"


@pytest.mark.parametrize(
    ("status", "of_cluster", "cause"),
    [
        ("TIMEOUT", f"{STEP} DUE TO TIME LIMIT ***", "it reached its time limit"),
        ("", f"{STEP} DUE TO TIME LIMIT ***", "it reached its time limit"),
        ("OUT_OF_MEMORY", "", "it used more memory than it requested"),
        ("FAILED", "slurmstepd: error: Exceeded job memory limit", "it used more memory"),
        ("FAILED", "Detected 1 oom_kill event in StepId=3.0", "it used more memory"),
        ("PREEMPTED", f"{STEP} DUE TO PREEMPTION ***", "a more urgent job took its place"),
        ("NODE_FAIL", f"{STEP} DUE TO NODE FAILURE, SEE SLURMCTLD LOG ***", "its node failed"),
        ("CANCELLED", f"{STEP} ***", "it was cancelled by a person or by the cluster"),
        ("FAILED", "", "by another program or by a person"),
    ],
)
def test_a_job_that_a_cluster_ended_says_what_ended_it(tmp_path, status, of_cluster, cause):
    own, theirs = tmp_path / "job.log", tmp_path / "slurm_logs/rule_x/4.log"
    theirs.parent.mkdir(parents=True)
    own.write_text("read 5 documents\n")
    theirs.write_text(f"Building DAG of jobs...\n{of_cluster}\n")
    ends = "(check log file(s) for error details)\n"
    if status:
        told = (
            f"Error in rule x:\n    message: SLURM-job '4' failed, SLURM status is: '{status}'. "
            f"Detailed\n    jobid: 1\n    log: {own}, {theirs} {ends}"
        )
    else:  # in a group, which is told of twice
        told = (
            f"    message: Error in group short1\n    log: {theirs} {ends}    jobs:\n"
            f"        rule x:\n            jobid: 1\n            log: {own} {ends}"
            f"    Error in rule x:\n        message: None\n        log: {own} {ends}"
        )
    (tmp_path / "snakemake.log").write_text(told)
    [line] = reasons([str(tmp_path / "snakemake.log")])
    assert line.startswith(f"{own}: the job was killed")
    assert cause in line
