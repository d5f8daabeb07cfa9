"""Lines printed before a run starts: its cost, and what will be missing."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence

from socialbias.pipeline.messages import spent
from socialbias.pipeline.requests import Need, Requests

Waits = Mapping[str, Collection[str]]  # by job, those that it waits for
HOUR = 3600
FETCH = "fetch/"
START, EACH = 6, 0.4  # seconds of Snakemake itself: to plan, and for a job
CORES = 16  # of a node


def cost_lines(requests: Requests, waits: Waits) -> list[str]:
    """Return what jobs take, in lines: by rule and in all, least times, and what does not fit."""
    needs = {job: requests.need(job) for job in waits}
    by_rule: dict[str, list[Need]] = {}
    for job, need in sorted(needs.items(), key=lambda x: -x[1].seconds):
        by_rule.setdefault(job.partition("/")[0], []).append(need)
    rows = [["", "jobs", "on CPU cores", "on a GPU", "longest job", "GB memory"]]
    rows += [_row(rule, of_rule) for rule, of_rule in by_rule.items()]
    rows.append(_row("in all", list(needs.values())))
    lines = ["estimated from measured jobs (resources/requests.yaml):", *aligned(rows, right=True)]
    sources = [job.removeprefix(FETCH) for job in waits if job.startswith(FETCH)]
    disk = f"disk: {sum(map(requests.gigabytes, sources)):.2g} GB of sources"
    if "page" in waits:
        bound = {binding.source for binding in requests.plan.bindings.values() if binding.source}
        results = requests.table["results_gb"] * sum(map(requests.gigabytes, bound))
        disk += f" and {results:.2g} GB of results"
    lines.append(f"{disk}; Snakemake itself: {spent(START + EACH * len(waits))}")
    gpus = ((0, ""),)
    if any(need.gpu for need in needs.values()):
        gpus = ((1, " with a GPU"), (4, " with 4 GPUs"))
    for number, name in gpus:
        times = {n: spent(least_time(needs, waits, n, number)) for n in (2, 8, CORES)}
        on_cores = ", ".join(f"{time} on {n} cores" for n, time in times.items())
        lines.append(f"at least{name}: {on_cores} (without downloads and queues)")
    if len(gpus) > 1 and any(job.startswith("represent") for job in waits):
        lines.append("a job with a GPU has one CPU core; to represent words, it may wait for it")
    limit = requests.plan.config.planning.job_hours
    if long := [f"{job} ({spent(x.wall)})" for job, x in needs.items() if x.wall > limit * HOUR]:
        more = f" and {len(long) - 3} more" * (len(long) > 3)
        lines.append(
            f"over the time limit of a job ({limit:g} h, planning.job_hours): "
            f"{', '.join(long[:3])}{more}: use a partition with a higher limit or more "
            "`trustworthy.shards`; a training that reaches it goes on when it is run again"
        )
    return lines


def price_lines(requests: Requests, waits: Waits, targets: Sequence[str]) -> list[str]:
    """Return what each of several tables and figures would take without the others, in a table."""
    if len(targets) < 2:
        return []
    rows = [["", "jobs", "GB to fetch", "on CPU cores", "on a GPU"]]
    for target in targets:
        behind, open_ = set(), [f"{rule}/{target}" for rule in ("values", "figure")]
        while open_:
            if (job := open_.pop()) in waits and job not in behind:
                behind.add(job)
                open_ += waits[job]
        fetched = sum(requests.gigabytes(x.removeprefix(FETCH)) for x in behind if FETCH in x)
        seconds = [0.0, 0.0]
        for job in behind:
            need = requests.need(job)
            seconds[need.gpu] += need.seconds
        rows.append([target, str(len(behind)), f"{fetched:.2f}", *map(_spent, seconds)])
    return ["each of these without the others:", *aligned(rows, right=True)]


def _row(name: str, needs: list[Need]) -> list[str]:
    seconds = [sum(x.seconds for x in needs if x.gpu == n) for n in (0, 1)]
    times = map(_spent, seconds)
    longest, memory = spent(max(x.wall for x in needs)), max(x.mb for x in needs) / 1000
    return [name, str(len(needs)), *times, longest, f"{memory:.1f}"]


def _spent(seconds: float) -> str:
    return spent(seconds) if seconds else "-"


def least_time(needs: Mapping[str, Need], waits: Waits, cores: int, gpus: int) -> float:
    """Seconds that jobs take at least: on all cores, on all GPUs, and one after the other.

    Downloads take none, since their time is the network's, and a job takes as many cores as it can.
    """
    needs = {job: Need() if job.startswith(FETCH) else need for job, need in needs.items()}
    ends: dict[str, float] = {}

    def end(job: str) -> float:
        if job not in ends:
            before = max((end(other) for other in waits[job] if other in needs), default=0)
            ends[job] = before + needs[job].seconds / min(needs[job].cores, cores)
        return ends[job]

    on_cores, on_gpus = (sum(x.seconds for x in needs.values() if x.gpu == n) for n in (0, 1))
    return max(on_cores / cores, on_gpus / max(gpus, 1), *map(end, needs), 0)


def question(seconds: float, limit: float, cores: int, gpus: int) -> str:
    """Return the question whether to start a run beyond the limit; "" for any other run."""
    if seconds <= limit * HOUR:
        return ""
    machine = f"{cores} cores and {gpus} GPUs" if gpus else f"{cores} cores without a GPU"
    return (
        f"This run is planned to take at least {spent(seconds)} on {machine}, which is more than "
        f"{limit:g} h (planning.run_hours). Nothing was started. `make plan` shows the time of "
        "each rule. To run it anyway, add this value to `--config`: "
        f"'planning={{run_hours: {math.ceil(seconds / HOUR)}}}'"
    )


def aligned(rows: Sequence[Sequence[str]], *, right: bool = False) -> list[str]:
    """Rows of text in columns, to the left, or all but the first to the right."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = []
    for row in rows:
        first, *others = zip(row, widths, strict=True)
        cells = [cell.rjust(w) if right else cell.ljust(w) for cell, w in others]
        lines.append("  ".join(["", first[0].ljust(first[1]), *cells]).rstrip())
    return lines
