"""Evidence for Figure 1: the gathered seed sets."""

from pathlib import Path

from socialbias.papers.bad_seeds import figure1
from socialbias.papers.bad_seeds.inputs import read_versions
from socialbias.scripting import logged
from socialbias.word_lists import read_word_lists

with logged(snakemake.log[0]):
    settings, inputs = snakemake.params.settings, dict(snakemake.input.items())
    lists = read_word_lists(Path(inputs["word_lists"]))
    evidence = figure1.evidence(read_versions(inputs, settings["about"], lists))
    evidence.to_parquet(snakemake.output.evidence)
