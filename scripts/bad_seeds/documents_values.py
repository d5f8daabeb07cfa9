"""Values of documents."""

from pathlib import Path

import pandas as pd

from socialbias.artefacts.finish import finish
from socialbias.papers.bad_seeds import documents
from socialbias.scripting import logged

with logged(snakemake.log[0]):
    settings = snakemake.params.settings
    evidence = pd.read_parquet(snakemake.input.evidence)
    records = documents.values(evidence, settings["level"])
    output, manifest = Path(snakemake.output.values), Path(snakemake.input.manifest)
    finish(records, output, manifest, settings["missing"], settings["seed"])
