"""The figure of an artefact, by the function that it names."""

from pathlib import Path

from socialbias.pipeline.scripting import logged
from socialbias.reporting.make_figure import make_figure

with logged(snakemake) as say:
    inputs, output = dict(snakemake.input.items()), Path(snakemake.output.png).with_suffix("")
    make_figure(inputs, snakemake.params.settings, output, say)
