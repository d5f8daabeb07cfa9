"""Evidence for Table 3: where seeds come from."""

from pathlib import Path

from socialbias.papers.bad_seeds import table3
from socialbias.papers.bad_seeds.inputs import read_sets
from socialbias.scripting import logged
from socialbias.word_lists import read_word_lists

with logged(snakemake.log[0]):
    settings, inputs = snakemake.params.settings, dict(snakemake.input.items())
    lists = read_word_lists(Path(inputs["word_lists"]))
    versions = {"": read_sets(inputs, settings["about"], lists, "gathered_seeds")}
    if "gathered_seeds_newest" in inputs:
        newest = read_sets(inputs, settings["about"], lists, "gathered_seeds_newest")
        versions["newest"] = newest
    evidence = table3.evidence(versions)
    evidence.to_parquet(snakemake.output.evidence)
