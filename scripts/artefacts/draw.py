"""Tables and figure of one artefact, from its values."""

from pathlib import Path

from socialbias.reporting.drawing import Drawn, draw
from socialbias.reporting.figures import dot_plot
from socialbias.scripting import logged


def plot(drawn: Drawn):
    return dot_plot(drawn.values, drawn.published, drawn.artefact, drawn.style)


with logged(snakemake.log[0]):
    inputs, picture = dict(snakemake.input.items()), Path(snakemake.output.picture)
    draw(inputs, picture, snakemake.params.settings, plot)
