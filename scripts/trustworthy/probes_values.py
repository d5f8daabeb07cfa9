"""Values of the probes and their controls."""

from pathlib import Path

from socialbias.papers.trustworthy import probes
from socialbias.papers.trustworthy.inputs import read_tables
from socialbias.reporting.finish import finish
from socialbias.scripting import logged
from socialbias.seeding import generator

with logged(snakemake.log[0]):
    settings = snakemake.params.settings
    found = read_tables(dict(snakemake.input.items()), settings["about"])
    records = probes.values(
        {name.removeprefix("probe_"): table for name, table in found.items()},
        settings["word_list"],
        settings["replicates"],
        settings["level"],
        generator(settings["seed"], "probes"),
    )
    output, manifest = Path(snakemake.output.values), Path(snakemake.input.manifest)
    finish(records, output, manifest, settings["missing"], settings["seed"])
