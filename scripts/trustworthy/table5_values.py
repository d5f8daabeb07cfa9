"""Values of Table 5."""

from pathlib import Path

import pandas as pd

from socialbias.papers.trustworthy import diachronic, table5
from socialbias.reporting.finish import finish
from socialbias.scripting import logged

with logged(snakemake.log[0]):
    settings = snakemake.params.settings
    how = (settings["replicates"], settings["level"], settings["seed"])
    records = table5.values(pd.read_parquet(snakemake.input.evidence), *how)
    records += diachronic.values(pd.read_parquet(snakemake.input.diachronic), *how)
    output, manifest = Path(snakemake.output.values), Path(snakemake.input.manifest)
    finish(records, output, manifest, settings["missing"], settings["seed"])
