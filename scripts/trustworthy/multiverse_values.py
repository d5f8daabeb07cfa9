"""Values of the multiverse."""

from pathlib import Path

import pandas as pd

from socialbias.papers.validation import multiverse
from socialbias.reporting.finish import finish
from socialbias.scripting import logged

with logged(snakemake.log[0]):
    settings = snakemake.params.settings
    records = multiverse.values(pd.read_parquet(snakemake.input.evidence))
    output, manifest = Path(snakemake.output.values), Path(snakemake.input.manifest)
    finish(records, output, manifest, settings["missing"], settings["seed"])
