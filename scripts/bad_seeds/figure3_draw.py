"""Figure 3 and its table."""

from pathlib import Path

from socialbias.artefacts.drawing import Drawn, draw
from socialbias.papers.bad_seeds import figures
from socialbias.scripting import logged


def plot(drawn: Drawn):
    measured = set(drawn.evidence["row"])
    rows = [row for row in drawn.artefact.rows if row in measured][:3]  # the panels of print
    return figures.figure3_plot(drawn.evidence, rows, drawn.style)


with logged(snakemake.log[0]):
    inputs, picture = dict(snakemake.input.items()), Path(snakemake.output.picture)
    draw(inputs, picture, snakemake.params.settings, plot)
