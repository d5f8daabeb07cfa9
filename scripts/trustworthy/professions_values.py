"""Values of every profession that a text mentions often enough."""

from pathlib import Path

from socialbias.papers.trustworthy import professions
from socialbias.reporting.finish import finish
from socialbias.scripting import logged
from socialbias.seeding import generator
from socialbias.word_lists import read_word_lists

with logged(snakemake.log[0]):
    settings, inputs = snakemake.params.settings, dict(snakemake.input.items())
    lists = read_word_lists(Path(snakemake.input.word_lists))["gender"][settings["word_list"]]
    found, employment = professions.read(inputs, settings, lists)
    rng = generator(settings["seed"], "professions")
    how = (settings["replicates"], settings["level"], rng)
    records = professions.values(found, employment, *how) if employment else []
    output, manifest = Path(snakemake.output.values), Path(snakemake.input.manifest)
    finish(records, output, manifest, settings["missing"], settings["seed"])
