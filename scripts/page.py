"""The page: every artefact with its numbers, verdicts, inputs and the command that re-makes it."""

from pathlib import Path

from socialbias.reporting.artefact import Artefact
from socialbias.reporting.page import write_page
from socialbias.scripting import logged

with logged(snakemake.log[0]):
    inputs, settings = dict(snakemake.input.items()), snakemake.params.settings
    write_page(
        Path(snakemake.output.page),
        artefacts=[Artefact(**artefact) for artefact in settings["artefacts"]],
        resources=Path(settings["resources"]),
        manifests={role: Path(inputs[role]) for role in settings["fidelity"]},
        fidelity=settings["fidelity"],
        missing={role: "; ".join(reasons) for role, reasons in settings["missing"].items()},
        run=settings["run"],
        seed=settings["seed"],
        command=settings["command"],
    )
