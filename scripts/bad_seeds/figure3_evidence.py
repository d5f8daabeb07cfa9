"""Evidence for Figure 3: ordered and shuffled pairs."""

from pathlib import Path

from socialbias.papers.bad_seeds import figure3
from socialbias.papers.bad_seeds.inputs import read_corpora, read_sets, seed_sets
from socialbias.scripting import logged
from socialbias.word_lists import read_word_lists

with logged(snakemake.log[0]):
    settings, inputs = snakemake.params.settings, dict(snakemake.input.items())
    lists = read_word_lists(Path(inputs["word_lists"]))
    corpora = read_corpora(inputs, settings["about"])
    sets = read_sets(inputs, settings["about"], lists, "gathered_seeds")
    wanted = figure3.panels(lists, seed_sets(sets), sets.source)
    evidence = figure3.evidence(corpora, wanted, settings["draws"], settings["seed"])
    evidence.to_parquet(snakemake.output.evidence)
