"""A figure of the paper and its table."""

from pathlib import Path

from socialbias.papers.bad_seeds.figures import PLOTS
from socialbias.reporting.drawing import Drawn, draw
from socialbias.scripting import logged
from socialbias.word_lists import read_word_lists


def plot(drawn: Drawn):
    return PLOTS[snakemake.wildcards.artefact](drawn, lists)


with logged(snakemake.log[0]):
    inputs, picture = dict(snakemake.input.items()), Path(snakemake.output.picture)
    lists = read_word_lists(Path(inputs["word_lists"]))
    draw(inputs, picture, snakemake.params.settings, plot)
