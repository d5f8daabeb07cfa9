"""Values of Table 5."""

from pathlib import Path

import pandas as pd

from socialbias.artefacts.catalogue import manifest_cells
from socialbias.artefacts.values import complete, values_table, write_values
from socialbias.papers.trustworthy import table5
from socialbias.scripting import logged

with logged(snakemake.log[0]):
    settings = snakemake.params.settings
    evidence = pd.read_parquet(snakemake.input.evidence)
    records = table5.values(evidence, settings["replicates"], settings["level"], settings["seed"])
    cells = manifest_cells(Path(snakemake.input.manifest), "trustworthy", "table5")
    records = complete(records, cells, settings["missing"])
    table = values_table("table5", records, settings["seed"])
    write_values(table, Path(snakemake.output.values))
