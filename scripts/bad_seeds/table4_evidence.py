"""Evidence for Table 4: pairs of seed sets by coherence."""

from pathlib import Path

from socialbias.papers.bad_seeds import table4
from socialbias.papers.bad_seeds.inputs import read_corpora, read_sets, seed_sets
from socialbias.scripting import logged
from socialbias.word_lists import read_word_lists

with logged(snakemake.log[0]):
    settings, inputs = snakemake.params.settings, dict(snakemake.input.items())
    lists = read_word_lists(Path(inputs["word_lists"]))
    corpora = read_corpora(inputs, settings["about"])
    sets = read_sets(inputs, settings["about"], lists, "gathered_seeds")
    evidence = table4.evidence(
        corpora,
        lists,
        seed_sets(sets),
        sets.source,
        "noun",
        (settings["rarest"], settings["commonest"]),
        settings["pairs"],
        settings["seed"],
    )
    evidence.to_parquet(snakemake.output.evidence)
