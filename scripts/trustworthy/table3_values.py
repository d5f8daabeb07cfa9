"""Values of Table 3."""

from pathlib import Path

import pandas as pd

from socialbias.artefacts.catalogue import manifest_cells
from socialbias.artefacts.values import complete, values_table, write_values
from socialbias.papers.trustworthy import table3
from socialbias.scripting import logged

with logged(snakemake.log[0]):
    settings = snakemake.params.settings
    records = table3.values(pd.read_parquet(snakemake.input.evidence), settings["level"])
    cells = manifest_cells(Path(snakemake.input.manifest), "trustworthy", "table3")
    records = complete(records, cells, settings["missing"])
    table = values_table("table3", records, settings["seed"])
    write_values(table, Path(snakemake.output.values))
