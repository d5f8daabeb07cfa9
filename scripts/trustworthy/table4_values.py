"""Values of Table 4."""

from pathlib import Path

import pandas as pd

from socialbias.papers.trustworthy import table4
from socialbias.reporting.finish import finish
from socialbias.scripting import logged

with logged(snakemake.log[0]):
    settings = snakemake.params.settings
    records = table4.values(
        pd.read_parquet(snakemake.input.evidence),
        settings["groups"],
        settings["targets"],
        settings["replicates"],
        settings["level"],
        settings["seed"],
    )
    output, manifest = Path(snakemake.output.values), Path(snakemake.input.manifest)
    finish(records, output, manifest, settings["missing"], settings["seed"])
