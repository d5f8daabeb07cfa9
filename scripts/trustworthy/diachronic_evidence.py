"""Evidence for Table 5's diachronic columns: bias in vectors and in employment by decade."""

from pathlib import Path

from socialbias.papers.trustworthy import diachronic
from socialbias.papers.trustworthy.inputs import read_decades, read_employment
from socialbias.scripting import logged
from socialbias.word_lists import read_word_lists

with logged(snakemake.log[0]):
    settings, inputs = snakemake.params.settings, dict(snakemake.input.items())
    lists = read_word_lists(Path(snakemake.input.word_lists))
    decades = read_decades(inputs)
    shares = {year: read_employment(inputs, year, settings["fidelity"]) for year in decades}
    gender = {variant: lists["gender"][variant] for variant in settings["word_lists"]}
    evidence = diachronic.evidence(decades, shares, gender, lists["race"])
    evidence.to_parquet(snakemake.output.evidence)
