"""Evidence for Table 2: corpora."""

from pathlib import Path

from socialbias.papers.bad_seeds import table2
from socialbias.papers.bad_seeds.inputs import read_corpora
from socialbias.scripting import logged
from socialbias.word_lists import read_word_lists

with logged(snakemake.log[0]):
    settings, inputs = snakemake.params.settings, dict(snakemake.input.items())
    lists = read_word_lists(Path(inputs["word_lists"]))
    corpora = read_corpora(inputs, settings["about"])
    evidence = table2.evidence(corpora, settings["min_count"])
    evidence.to_parquet(snakemake.output.evidence)
