"""The pages: the result of the run, and every number of each paper."""

import os
import platform
from datetime import UTC, datetime
from pathlib import Path

from socialbias.pipeline.job import function_of, job_of
from socialbias.reporting.artefact import Artefact
from socialbias.reporting.exports.record import RunRecord, write_record
from socialbias.reporting.page import Run, write_pages
from socialbias.reporting.summary import MissingInput
from socialbias.reporting.version import code_version
from socialbias.scripting import logged

with logged(snakemake) as say:
    inputs, settings = dict(snakemake.input.items()), snakemake.params.settings
    # Not among the settings: the page would be out of date with every commit and machine.
    machine = f"{os.cpu_count()} cores of {platform.machine()} under {platform.system()}"
    now = datetime.now(UTC)
    run = Run(**settings["run"], machine=machine, version=code_version(), written=now)
    page = Path(snakemake.output.page)
    items = {
        paper: function_of(step["function"])(job_of(inputs, step, say))
        for paper, step in settings["behind"].items()
    }
    write_pages(
        page,
        artefacts=[Artefact(**artefact) for artefact in settings["artefacts"]],
        resources=Path(settings["resources"]),
        manifests={role: Path(inputs[role]) for role in settings["fidelity"]},
        fidelity=settings["fidelity"],
        missing=[MissingInput(**one) for one in settings["missing"]],
        run=run,
        models=[Path(path) for path in inputs["models"]],
        items=items,
    )
    write_record(
        RunRecord(
            run=run.name,
            seed=run.seed,
            command=run.command,
            machine=run.machine,
            version=run.version,
            written=now.isoformat(timespec="seconds"),
            config=snakemake.config,
            inputs={
                role: {"manifest": inputs[role], "fidelity": fidelity}
                for role, fidelity in settings["fidelity"].items()
            },
            missing=settings["missing"],
            models=settings["models"],
        ),
        page.parent,
    )
