"""Values of Table 6."""

from pathlib import Path

from socialbias.papers.trustworthy import table6
from socialbias.papers.trustworthy.inputs import read_tables
from socialbias.reporting.finish import finish
from socialbias.scripting import logged
from socialbias.word_lists import read_word_lists

with logged(snakemake.log[0]):
    settings = snakemake.params.settings
    found = read_tables(dict(snakemake.input.items()), settings["about"])
    targets = read_word_lists(Path(snakemake.input.word_lists))["table3_targets"]
    levels = table6.levels(found, settings["word_list"], settings["level"])
    records = table6.values(levels, targets)
    output, manifest = Path(snakemake.output.values), Path(snakemake.input.manifest)
    finish(records, output, manifest, settings["missing"], settings["seed"])
