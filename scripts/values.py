"""Values of an artefact, their comparison with the paper, and its tables."""

from pathlib import Path

from socialbias.pipeline.scripting import logged
from socialbias.reporting.make_values import make_values

with logged(snakemake) as say:
    inputs, output = dict(snakemake.input.items()), Path(snakemake.output.values)
    make_values(inputs, snakemake.params.settings, output, say)
