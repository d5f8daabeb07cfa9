"""Values of every profession that a text mentions often enough."""

from pathlib import Path

from socialbias.artefacts.finish import finish
from socialbias.papers.trustworthy import professions
from socialbias.papers.trustworthy.inputs import (
    read_embeddings,
    read_employment,
    read_reduction,
    read_tables,
)
from socialbias.scripting import logged
from socialbias.seeding import generator
from socialbias.word_lists import read_word_lists

with logged(snakemake.log[0]):
    settings, inputs = snakemake.params.settings, dict(snakemake.input.items())
    variant = settings["word_list"]
    lists = read_word_lists(Path(snakemake.input.word_lists))["gender"][variant]
    employment = read_employment(inputs, settings["census_year"], settings["fidelity"])
    records = []
    if "gender" in employment:
        found = professions.measured(
            read_tables(inputs, settings["about"]),
            read_embeddings(inputs),
            read_reduction(inputs, settings["about"]),
            (variant, lists),
            settings["replicates"],
            settings["level"],
            settings["seed"],
        )
        records = professions.values(
            found,
            employment["gender"],
            settings["replicates"],
            settings["level"],
            generator(settings["seed"], "professions"),
        )
    output, manifest = Path(snakemake.output.values), Path(snakemake.input.manifest)
    finish(records, output, manifest, settings["missing"], settings["seed"])
