"""Values of Table 3."""

from pathlib import Path

import pandas as pd

from socialbias.papers.trustworthy import table3, table4
from socialbias.papers.trustworthy.inputs import read_tables
from socialbias.reporting.finish import finish
from socialbias.scripting import logged
from socialbias.word_lists import read_word_lists

with logged(snakemake.log[0]):
    settings = snakemake.params.settings
    targets = read_word_lists(Path(snakemake.input.word_lists))["table3_targets"]
    records = table3.values(pd.read_parquet(snakemake.input.evidence), settings["level"])
    tables = read_tables(dict(snakemake.input.items()), settings["about"])
    records += table3.counted_values(tables, targets, settings["level"])
    annotations = pd.read_parquet(snakemake.input.annotations)
    if len(annotations):
        records += table4.table3_values(annotations, ["female", "male"], settings["level"])
    output, manifest = Path(snakemake.output.values), Path(snakemake.input.manifest)
    finish(records, output, manifest, settings["missing"], settings["seed"])
