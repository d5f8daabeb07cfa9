"""The specification curve, and the table that sums it up."""

from pathlib import Path

from socialbias.artefacts.drawing import Drawn, draw
from socialbias.artefacts.figures_multiverse import specification_curve
from socialbias.scripting import logged


def plot(drawn: Drawn):
    return specification_curve(drawn.evidence, drawn.artefact, drawn.style)


with logged(snakemake.log[0]):
    inputs, picture = dict(snakemake.input.items()), Path(snakemake.output.picture)
    draw(inputs, picture, snakemake.params.settings, plot)
