"""The documents that make a number, and their table."""

from pathlib import Path

from socialbias.artefacts.drawing import Drawn, draw
from socialbias.papers.bad_seeds import figures
from socialbias.scripting import logged


def plot(drawn: Drawn):
    return figures.documents_plot(drawn.evidence, list(drawn.artefact.rows), drawn.style)


with logged(snakemake.log[0]):
    inputs, picture = dict(snakemake.input.items()), Path(snakemake.output.picture)
    draw(inputs, picture, snakemake.params.settings, plot)
