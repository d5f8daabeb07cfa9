"""The pages of a run, from what its job has read."""

from __future__ import annotations

import os
import platform
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from socialbias.pipeline.job import function_of, job_of
from socialbias.reporting.artefact import Artefact
from socialbias.reporting.exports.record import RunRecord, write_record
from socialbias.reporting.page.write import Run, write_pages
from socialbias.reporting.summary import MissingInput
from socialbias.reporting.version import code_version


def write_run(
    page: Path,
    inputs: Mapping[str, Any],
    settings: Mapping[str, Any],
    config: Mapping[str, Any],
    say: Callable[[str], None],
) -> None:
    """Write the pages of a run and its record, `run.json`.

    Args:
        page: The first page.
        inputs: Files by name: what the pages and the items behind numbers are made of.
        settings: Of the rule `page`.
        config: The configuration of the run, for the record.
        say: Writes a line to the log.
    """
    # Not among the settings: the page would be out of date with every commit and machine.
    machine = f"{os.cpu_count()} cores of {platform.machine()} under {platform.system()}"
    now, fidelity = datetime.now(UTC), settings["fidelity"]
    run = Run(**settings["run"], machine=machine, version=code_version(), written=now)
    write_pages(
        page,
        artefacts=[Artefact(**artefact) for artefact in settings["artefacts"]],
        resources=Path(settings["resources"]),
        manifests={role: Path(inputs[role]) for role in fidelity},
        fidelity=fidelity,
        missing=[MissingInput(**one) for one in settings["missing"]],
        run=run,
        models=[Path(path) for path in inputs["models"]],
        items={
            paper: function_of(step["function"])(job_of(inputs, step, say))
            for paper, step in settings["behind"].items()
        },
    )
    roles = {role: {"manifest": inputs[role], "fidelity": how} for role, how in fidelity.items()}
    record = RunRecord(
        run=run.name,
        seed=run.seed,
        command=run.command,
        machine=run.machine,
        version=run.version,
        written=now.isoformat(timespec="seconds"),
        config=config,
        inputs=roles,
        missing=settings["missing"],
        models=settings["models"],
    )
    write_record(record, page.parent)
