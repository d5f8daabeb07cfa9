"""Evidence for Table 3: directed gender bias of eight professions in vectors."""

from pathlib import Path

import pandas as pd

from socialbias.papers.trustworthy import table3
from socialbias.papers.trustworthy.inputs import read_embeddings, read_reduction
from socialbias.scripting import logged
from socialbias.word_lists import read_word_lists

with logged(snakemake.log[0]):
    settings, inputs = snakemake.params.settings, dict(snakemake.input.items())
    word_lists = read_word_lists(Path(snakemake.input.word_lists))
    lists = {variant: word_lists["gender"][variant] for variant in settings["word_lists"]}
    targets = word_lists["table3_targets"]
    evidence = table3.evidence(
        read_embeddings(inputs), lists, targets, settings["draws"], settings["seed"]
    )
    reduced = read_reduction(inputs, settings["about"])
    if reduced:
        parts = [evidence, table3.reduction_evidence(reduced, lists, targets)]
        evidence = pd.concat(parts, ignore_index=True)
    evidence.to_parquet(snakemake.output.evidence)
