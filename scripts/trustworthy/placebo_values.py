"""Values of the placebo."""

from pathlib import Path

import pandas as pd

from socialbias.papers.validation import placebo
from socialbias.reporting.finish import finish
from socialbias.scripting import logged

with logged(snakemake.log[0]):
    settings = snakemake.params.settings
    records = placebo.values(pd.read_parquet(snakemake.input.evidence), settings["level"])
    output, manifest = Path(snakemake.output.values), Path(snakemake.input.manifest)
    finish(records, output, manifest, settings["missing"], settings["seed"])
