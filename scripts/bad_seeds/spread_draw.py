"""The spread over corpora and seed sets, and its table."""

from pathlib import Path

from socialbias.artefacts.drawing import Drawn, draw
from socialbias.papers.bad_seeds import figures
from socialbias.scripting import logged


def plot(drawn: Drawn):
    return figures.spread_plot(drawn.evidence, drawn.values, drawn.style)


with logged(snakemake.log[0]):
    inputs, picture = dict(snakemake.input.items()), Path(snakemake.output.picture)
    draw(inputs, picture, snakemake.params.settings, plot)
