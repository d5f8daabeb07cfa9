"""Evidence for Table 3: where seeds come from."""

from pathlib import Path

from socialbias.papers.bad_seeds import table3
from socialbias.papers.bad_seeds.inputs import read_versions
from socialbias.scripting import logged
from socialbias.word_lists import read_word_lists

with logged(snakemake.log[0]):
    settings, inputs = snakemake.params.settings, dict(snakemake.input.items())
    lists = read_word_lists(Path(inputs["word_lists"]))
    evidence = table3.evidence(read_versions(inputs, settings["about"], lists))
    evidence.to_parquet(snakemake.output.evidence)
