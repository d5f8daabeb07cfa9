"""Values of the agreement of annotators, and of the measure with them."""

from pathlib import Path

import pandas as pd

from socialbias.papers.trustworthy import agreement
from socialbias.reporting.finish import finish
from socialbias.scripting import logged

with logged(snakemake.log[0]):
    settings = snakemake.params.settings
    records = agreement.values(
        pd.read_parquet(snakemake.input.labels),
        pd.read_parquet(snakemake.input.contexts),
        settings["groups"],
        settings["replicates"],
        settings["level"],
        settings["seed"],
    )
    output, manifest = Path(snakemake.output.values), Path(snakemake.input.manifest)
    finish(records, output, manifest, settings["missing"], settings["seed"])
