"""Values of an artefact, their comparison with the paper, and its tables."""

from pathlib import Path

from socialbias.reporting.make_values import make_values
from socialbias.scripting import logged

with logged(snakemake) as say:
    inputs, output = dict(snakemake.input.items()), Path(snakemake.output.values)
    make_values(inputs, snakemake.params.settings, output, say)
