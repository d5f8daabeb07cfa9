"""Values of WEAT 1 to 10."""

from pathlib import Path

import pandas as pd

from socialbias.papers.trustworthy import weat
from socialbias.reporting.finish import finish
from socialbias.scripting import logged

with logged(snakemake.log[0]):
    settings = snakemake.params.settings
    how = (settings["replicates"], settings["level"], settings["seed"])
    records = weat.values(pd.read_parquet(snakemake.input.evidence), *how)
    output, manifest = Path(snakemake.output.values), Path(snakemake.input.manifest)
    finish(records, output, manifest, settings["missing"], settings["seed"])
