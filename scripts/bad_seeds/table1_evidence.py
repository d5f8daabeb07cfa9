"""Evidence for Table 1: examples of seeds."""

from pathlib import Path

from socialbias.papers.bad_seeds import table1
from socialbias.papers.bad_seeds.inputs import read_corpora
from socialbias.scripting import logged
from socialbias.word_lists import read_word_lists

with logged(snakemake.log[0]):
    settings, inputs = snakemake.params.settings, dict(snakemake.input.items())
    lists = read_word_lists(Path(inputs["word_lists"]))
    corpora = read_corpora(inputs, settings["about"])
    evidence = table1.evidence(corpora, lists)
    evidence.to_parquet(snakemake.output.evidence)
