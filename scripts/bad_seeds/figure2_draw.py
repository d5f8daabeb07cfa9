"""Figure 2 and its table."""

from pathlib import Path

from socialbias.artefacts.drawing import Drawn, draw
from socialbias.papers.bad_seeds import figures
from socialbias.scripting import logged
from socialbias.word_lists import read_word_lists


def plot(drawn: Drawn):
    lists = read_word_lists(Path(snakemake.input.word_lists))
    words = {entry["id"]: entry["words"] for entry in lists["sets"]}
    sets = {name: words[name] for name in lists["figure2"]}
    return figures.figure2_plot(drawn.evidence, sets, drawn.style)


with logged(snakemake.log[0]):
    inputs, picture = dict(snakemake.input.items()), Path(snakemake.output.picture)
    draw(inputs, picture, snakemake.params.settings, plot)
