"""The recovery curves, and the table that sums them up."""

from pathlib import Path

from socialbias.papers.validation.recovery_figure import recovery_curves
from socialbias.reporting.drawing import Drawn, draw
from socialbias.scripting import logged


def plot(drawn: Drawn):
    return recovery_curves(drawn.evidence, drawn.values, drawn.artefact, drawn.style)


with logged(snakemake.log[0]):
    inputs, picture = dict(snakemake.input.items()), Path(snakemake.output.picture)
    draw(inputs, picture, snakemake.params.settings, plot)
