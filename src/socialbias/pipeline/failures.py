"""Why a run failed, from the logs of the jobs that did: the last lines that it prints."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

from socialbias.pipeline.scripting import FAILED

# How Snakemake reports a failed job, or a group of jobs, whose first log is the cluster's.
FAILURE = re.compile(r"(?:Error in rule |message: Error in group )")
MESSAGE = re.compile(r"^ +message: (.+)", re.MULTILINE)
LOGS = re.compile(r"^ +log: (.+) \(check log file", re.MULTILINE)
OF_CLUSTER = "slurm_logs"
MAX_SHOWN = 20
# Why a job was killed and what to do, by what Slurm and Snakemake write; the first match counts.
GOES_ON = "the same command continues from its finished parts"
CAUSES = {
    r"'PREEMPTED'|DUE TO PREEMPTION": f"a more urgent job took its place: {GOES_ON}",
    r"'NODE_FAIL'|DUE TO NODE FAILURE": f"its node failed: {GOES_ON}",
    r"'TIMEOUT'|DUE TO TIME LIMIT": "it reached its time limit: "
    f"`--set-resources RULE:runtime=MINUTES` requests more, and {GOES_ON}",
    r"'OUT_OF_MEMORY'|[Ee]xceeded (?:job|step) memory limit|oom[-_ ]kill": "it used more memory "
    "than it requested: `--set-resources RULE:mem_mb=MEGABYTES` requests more",
    r"'(?:BOOT_FAIL|DEADLINE)'": "Slurm could not run it: ask the cluster's administrators",
    r"'CANCELLED'|CANCELLED AT": "it was cancelled by a person or by the cluster",
}


def reasons(logs: Iterable[str], had_no_memory: bool = False) -> list[str]:
    """Return the reason of each failed job, in the order in which they failed; equal ones once."""
    text = "".join(Path(log).read_text("utf-8", errors="replace") for log in logs)
    failed: dict[Path, str] = {}  # by log, what a cluster says of the job: of its last attempt
    for block in FAILURE.split(text):
        names = [Path(name) for names in LOGS.findall(block) for name in names.split(", ")]
        of_cluster = [_text(name) for name in names if OF_CLUSTER in name.parts]
        status = [message for message in MESSAGE.findall(block) if message != "None"]
        for name in names:
            if OF_CLUSTER not in name.parts:
                # Snakemake reports a job of a group twice, the second time without the reason.
                failed[name] = "\n".join(status + of_cluster) or failed.get(name, "")
    logs_by_reason: dict[str, Path] = {}
    for log, cluster in failed.items():
        logs_by_reason.setdefault(_reason(log, cluster, had_no_memory), log)
    lines = [f"{log}: {reason}" for reason, log in logs_by_reason.items()]
    more = len(lines) - MAX_SHOWN
    return lines[:MAX_SHOWN] + [f"and {more} more: see their logs"] * (more > 0)


def processes_killed() -> int:
    """Return how many processes the system has killed for want of memory since it started."""
    try:
        counters = Path("/proc/vmstat").read_text()
    except OSError:
        return 0
    return int((re.findall(r"^oom_kill (\d+)", counters, re.MULTILINE) or [0])[0])


def _reason(log: Path, cluster: str, had_no_memory: bool) -> str:
    """Return the error at the end of a job's log or, if the job was killed, what killed it."""
    text = _text(log)
    _, mark, reason = text.rpartition(FAILED)
    if mark:
        return reason.strip()
    for signs, cause in CAUSES.items():
        if re.search(signs, cluster):
            return f"the job was killed: {cause}"
    if not log.exists():
        return "there is no log: the job was killed before it started, or the disk is full"
    if had_no_memory:
        return (
            "the job was killed, and this machine ran out of memory at that time: run fewer jobs "
            "at once (`--resources mem_mb=MEGABYTES`), or on a larger machine"
        )
    return "the job was killed by another program or by a person"


def _text(log: Path) -> str:
    try:
        return log.read_text("utf-8", errors="replace")
    except OSError:
        return ""
