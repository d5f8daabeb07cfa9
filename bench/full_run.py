"""Write `resources/full_run.yaml`: what the run on the papers' own inputs costs, for the pages.

    python -m bench.full_run

It asks a dry run, as `make plan` does. Write it again when plans or requests have changed.
"""

from __future__ import annotations

from collections.abc import Mapping

import yaml
from snakemake.cli import main

from socialbias.files.atomic_write import write_text
from socialbias.files.paths import resources
from socialbias.pipeline.plan_lines import FETCH, HOUR, Waits, least_time
from socialbias.pipeline.requests import Need, Requests
from socialbias.pipeline.session import Session

HEADER = """\
# What a run on the papers' own inputs costs, from its plan: whole, and by input the size of its
# source and the core hours of all jobs that depend on it. Written by
# `python -m bench.full_run`.
"""
CORES = 8


def costs(requests: Requests, waits: Waits) -> dict:
    """Return the costs of a run, whole and by input."""
    needs = {job: requests.need(job) for job in waits}
    sources = [job.removeprefix(FETCH) for job in waits if job.startswith(FETCH)]
    hours = least_time(needs, waits, CORES, 0) / HOUR
    return {
        "whole": f"The papers' own inputs are {sum(map(requests.gigabytes, sources)):.0f} GB. "
        f"A run on them is planned to take {hours:.0f} hours on {CORES} cores.",
        "inputs": {
            role: {
                "gigabytes": round(requests.gigabytes(bound.source), 3),
                "title": requests.registry[bound.source].short_name,
                "core_hours": round(_after(FETCH + bound.source, needs, waits) / HOUR, 1),
            }
            for role, bound in requests.plan.bindings.items()
            if bound.source
        },
    }


def _after(job: str, needs: Mapping[str, Need], waits: Waits) -> float:
    """Return the seconds of one core that all jobs take that wait for one, directly or not."""
    found, more = {job}, True
    while more:
        more = {name for name, before in waits.items() if found & {*before}} - found
        found |= more
    return sum(needs[name].seconds for name in found - {job})


def write(session: Session) -> None:
    """Write the file instead of the plan that a dry run prints."""
    found = costs(session.requests, session._waits(session._jobs_left()))
    text = yaml.safe_dump(found, sort_keys=False, default_flow_style=None, width=100)
    write_text(resources() / "full_run.yaml", HEADER + text)


if __name__ == "__main__":
    Session.show_plan = write
    main(["--dry-run", "--forceall", "--cores", "1", "--quiet", "all"])
