"""Values of Table 7."""

from pathlib import Path

import pandas as pd

from socialbias.papers.trustworthy import table7
from socialbias.reporting.finish import finish
from socialbias.reporting.values import read_csv
from socialbias.scripting import logged

with logged(snakemake.log[0]):
    settings = snakemake.params.settings
    published = read_csv(Path(snakemake.input.published))
    records = table7.values(pd.read_parquet(snakemake.input.evidence), published)
    output, manifest = Path(snakemake.output.values), Path(snakemake.input.manifest)
    finish(records, output, manifest, settings["missing"], settings["seed"])
