"""The specification curve, and the table that sums it up."""

from pathlib import Path

from socialbias.papers.validation.multiverse_figure import specification_curve
from socialbias.reporting.drawing import Drawn, draw
from socialbias.scripting import logged


def plot(drawn: Drawn):
    return specification_curve(drawn.evidence, drawn.artefact, drawn.style)


with logged(snakemake.log[0]):
    inputs, picture = dict(snakemake.input.items()), Path(snakemake.output.picture)
    draw(inputs, picture, snakemake.params.settings, plot)
