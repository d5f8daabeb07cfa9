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
from socialbias.reporting.page.write import write_pages
from socialbias.reporting.record import RunRecord, write_record
from socialbias.reporting.version import code_version


def write_run(
    page: Path,
    inputs: Mapping[str, Any],
    settings: Mapping[str, Any],
    config: Mapping[str, Any],
    say: Callable[[str], None],
) -> None:
    """Write the pages of a run and its record, `run.json`."""
    # Not among the settings: the page would be out of date with every commit and machine.
    machine = f"{os.cpu_count()} cores of {platform.machine()} under {platform.system()}"
    record = RunRecord(
        run=settings["run"]["name"],
        seed=settings["run"]["seed"],
        command=settings["run"]["command"],
        machine=machine,
        version=code_version(),
        written=datetime.now(UTC).isoformat(timespec="seconds"),
        config=config,
        inputs={
            role: {"manifest": inputs[role]} | bound for role, bound in settings["inputs"].items()
        },
        missing=settings["missing"],
        code=settings["code"],
    )
    write_again(page, inputs, settings, record, say)
    write_record(record, page.parent)


def write_again(
    page: Path,
    inputs: Mapping[str, Any],
    settings: Mapping[str, Any],
    record: RunRecord,
    say: Callable[[str], None],
) -> None:
    """Write the pages of a run whose record is known; see `write_run`."""
    write_pages(
        page,
        artefacts=[Artefact(**artefact) for artefact in settings["artefacts"]],
        resources=Path(settings["resources"]),
        record=record,
        models=[Path(path) for path in inputs["models"]],
        items={
            paper: function_of(step["function"])(job_of(inputs, step, say))
            for paper, step in settings["behind"].items()
        },
        drawn=[f"{path.parent.name}_{path.stem}" for path in map(Path, inputs["pictures"])],
    )
