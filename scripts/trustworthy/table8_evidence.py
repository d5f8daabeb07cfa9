"""Evidence for Table 8: bias under perturbed parameters, in word embeddings."""

from pathlib import Path

from socialbias.papers.trustworthy import table8
from socialbias.papers.trustworthy.inputs import read_embeddings
from socialbias.scripting import logged
from socialbias.word_lists import read_word_lists

with logged(snakemake.log[0]):
    settings = snakemake.params.settings
    lists = read_word_lists(Path(snakemake.input.word_lists))
    evidence = table8.evidence(
        read_embeddings(dict(snakemake.input.items())),
        lists["gender"][settings["word_list"]],
        lists["table3_targets"],
        settings["sizes"],
        settings["draws"],
        settings["seed"],
    )
    evidence.to_parquet(snakemake.output.evidence)
