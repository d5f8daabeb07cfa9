"""Evidence for Table 5: bias of professions in word vectors and in employment."""

from pathlib import Path

from socialbias.papers.trustworthy import table5
from socialbias.papers.trustworthy.inputs import read_embeddings, read_employment
from socialbias.scripting import logged
from socialbias.word_lists import read_word_lists

with logged(snakemake.log[0]):
    settings = snakemake.params.settings
    inputs = dict(snakemake.input.items())
    lists = read_word_lists(Path(snakemake.input.word_lists))
    evidence = table5.evidence(
        read_embeddings(inputs),
        read_employment(inputs, settings["census_year"], settings["fidelity"]),
        {variant: lists["gender"][variant] for variant in settings["word_lists"]},
        lists["race"],
    )
    evidence.to_parquet(snakemake.output.evidence)
