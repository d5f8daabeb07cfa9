"""The page: every artefact with its numbers, verdicts, inputs and the command that re-makes it."""

from datetime import UTC, datetime
from pathlib import Path

from socialbias.reporting.artefact import Artefact
from socialbias.reporting.page import Run, write_page
from socialbias.reporting.summary import MissingInput
from socialbias.reporting.version import code_version
from socialbias.scripting import logged

with logged(snakemake.log[0]):
    inputs, settings = dict(snakemake.input.items()), snakemake.params.settings
    # Not among the settings: the page would be out of date with every commit.
    run = Run(**settings["run"], version=code_version(), written=datetime.now(UTC))
    write_page(
        Path(snakemake.output.page),
        artefacts=[Artefact(**artefact) for artefact in settings["artefacts"]],
        resources=Path(settings["resources"]),
        manifests={role: Path(inputs[role]) for role in settings["fidelity"]},
        fidelity=settings["fidelity"],
        missing=[MissingInput(**one) for one in settings["missing"]],
        run=run,
        models=[Path(path) for path in inputs["models"]],
    )
