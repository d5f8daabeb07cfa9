"""Values of an artefact: `values` of its module."""

from importlib import import_module
from pathlib import Path

import pandas as pd

from socialbias.reporting.finish import finish
from socialbias.scripting import logged

with logged(snakemake.log[0]):
    settings = snakemake.params.settings
    module = import_module(f"socialbias.papers.bad_seeds.{snakemake.wildcards.artefact}")
    records = module.values(pd.read_parquet(snakemake.input.evidence), settings["level"])
    output, manifest = Path(snakemake.output.values), Path(snakemake.input.manifest)
    finish(records, output, manifest, settings["missing"], settings["seed"])
