"""Why a run failed, from the logs of the jobs that did: the last lines that it prints."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

from socialbias.scripting import FAILED

LOGS = re.compile(r"^ +log: (.+) \(check log file", re.MULTILINE)
MAX_SHOWN = 20


def reasons(logs: Iterable[str]) -> list[str]:
    """The reason of each failed job, in the order in which they failed; equal ones once.

    Args:
        logs: Snakemake's own logs of the run.

    Returns:
        Lines to print: the log of a job and what it says, or that it says nothing; at most 20 jobs.
    """
    said = "".join(Path(log).read_text("utf-8", errors="replace") for log in logs)
    names = [name for names in LOGS.findall(said) for name in names.split(", ")]
    found: dict[str, str] = {}
    for name in dict.fromkeys(names):
        found.setdefault(_reason(Path(name)), name)
    lines = [f"{name}: {reason}" for reason, name in found.items()]
    more = len(lines) - MAX_SHOWN
    return lines[:MAX_SHOWN] + [f"and {more} more: see their logs"] * (more > 0)


def _reason(log: Path) -> str:
    """What stands last in a job's log."""
    try:
        text = log.read_text("utf-8", errors="replace")
    except OSError:
        return "there is no log: the job was killed before it began, or the disk is full"
    _, mark, reason = text.rpartition(FAILED)
    if mark:
        return reason.strip()
    return "the job was killed: by a person, a cluster, or for want of memory"
