"""Values of recovery, and the evidence of all measures in one table."""

from pathlib import Path

import pandas as pd

from socialbias.papers.validation import recovery
from socialbias.reporting.finish import finish
from socialbias.scripting import logged

with logged(snakemake.log[0]):
    settings = snakemake.params.settings
    evidence = pd.concat(map(pd.read_parquet, snakemake.input.evidence), ignore_index=True)
    evidence.to_parquet(snakemake.output.evidence)
    records = recovery.values(
        evidence,
        pd.read_parquet(snakemake.input.replicated),
        settings["bootstraps"],
        settings["level"],
        settings["seed"],
    )
    output, manifest = Path(snakemake.output.values), Path(snakemake.input.manifest)
    finish(records, output, manifest, settings["missing"], settings["seed"])
