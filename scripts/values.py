"""Values of an artefact, their comparison with the paper, and its tables."""

from pathlib import Path

from socialbias.pipeline.job import function_of, job_of
from socialbias.reporting.artefact import Artefact
from socialbias.reporting.finish import finish
from socialbias.scripting import logged

with logged(snakemake.log[0]) as say:
    settings, inputs = snakemake.params.settings, dict(snakemake.input.items())
    published = Path(settings["published"])
    summarise = function_of(settings["function"])
    finish(
        summarise(job_of(inputs, settings, say)),
        Artefact(**settings["artefact"]),
        settings["cells"],
        published,
        settings["seed"],
        Path(snakemake.output.values),
    )
