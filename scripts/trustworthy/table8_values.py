"""Values of Table 8."""

from pathlib import Path

import pandas as pd

from socialbias.papers.trustworthy import table8
from socialbias.reporting.finish import finish
from socialbias.scripting import logged

with logged(snakemake.log[0]):
    settings = snakemake.params.settings
    evidence = pd.read_parquet(snakemake.input.evidence)
    records = table8.values(evidence, settings["level"], settings["targets"])
    output, manifest = Path(snakemake.output.values), Path(snakemake.input.manifest)
    finish(records, output, manifest, settings["missing"], settings["seed"])
