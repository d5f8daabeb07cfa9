"""The pages: the result of the run, and every number of each paper."""

from pathlib import Path

from socialbias.pipeline.scripting import logged
from socialbias.reporting.page.job import write_run

with logged(snakemake) as say:
    inputs, settings = dict(snakemake.input.items()), snakemake.params.settings
    write_run(Path(snakemake.output.page), inputs, settings, snakemake.config, say)
