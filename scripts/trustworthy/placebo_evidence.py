"""Evidence for the placebo: the correlations of Table 5 with random words instead of groups."""

from pathlib import Path

from socialbias.papers.trustworthy.inputs import read_decades, read_embeddings, read_employment
from socialbias.papers.validation import placebo
from socialbias.scripting import logged
from socialbias.word_lists import read_word_lists

with logged(snakemake.log[0]):
    settings, inputs = snakemake.params.settings, dict(snakemake.input.items())
    lists = read_word_lists(Path(snakemake.input.word_lists))
    groups = {
        "gender": [lists["gender"][settings["word_list"]][g] for g in ("female", "male")],
        "race": [lists["race"][g] for g in ("white", "hispanic", "asian")],
    }
    evidence = placebo.evidence(
        read_embeddings(inputs),
        read_decades(inputs),
        lambda year: read_employment(inputs, year, settings["fidelity"]),
        groups,
        settings["census_year"],
        settings["draws"],
        settings["seed"],
    )
    evidence.to_parquet(snakemake.output.evidence)
