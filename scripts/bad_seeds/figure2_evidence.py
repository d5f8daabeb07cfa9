"""Evidence for Figure 2: seeds against unpleasantness."""

from pathlib import Path

from socialbias.papers.bad_seeds import figure2
from socialbias.papers.bad_seeds.inputs import read_corpora, read_sets, seed_sets
from socialbias.scripting import logged
from socialbias.word_lists import read_word_lists

with logged(snakemake.log[0]):
    settings, inputs = snakemake.params.settings, dict(snakemake.input.items())
    lists = read_word_lists(Path(inputs["word_lists"]))
    corpora = read_corpora(inputs, settings["about"])
    sets = read_sets(inputs, settings["about"], lists, "gathered_seeds")
    by_id = seed_sets(sets)
    chosen = {name: by_id[name] for name in lists["figure2"] if name in by_id}
    evidence = figure2.evidence(corpora, chosen, lists["unpleasantness"])
    evidence.to_parquet(snakemake.output.evidence)
