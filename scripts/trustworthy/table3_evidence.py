"""Evidence for Table 3: directed gender bias of eight professions in word embeddings."""

from pathlib import Path

from socialbias.papers.trustworthy import table3
from socialbias.papers.trustworthy.inputs import read_embeddings
from socialbias.scripting import logged
from socialbias.word_lists import read_word_lists

with logged(snakemake.log[0]):
    settings = snakemake.params.settings
    lists = read_word_lists(Path(snakemake.input.word_lists))
    evidence = table3.evidence(
        read_embeddings(dict(snakemake.input.items())),
        {variant: lists["gender"][variant] for variant in settings["word_lists"]},
        lists["table3_targets"],
        settings["draws"],
        settings["seed"],
    )
    evidence.to_parquet(snakemake.output.evidence)
