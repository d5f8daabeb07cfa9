"""Values of GPT-2 in several sizes and decodings."""

from pathlib import Path

import pandas as pd

from socialbias.papers.trustworthy import decodings
from socialbias.papers.trustworthy.inputs import Input
from socialbias.reporting.finish import finish
from socialbias.scripting import logged

with logged(snakemake.log[0]):
    settings = snakemake.params.settings
    records = []
    if "gpt2_decodings" in settings["about"]:
        about = settings["about"]["gpt2_decodings"]
        evidence = pd.read_parquet(snakemake.input.evidence)
        found = Input(evidence, about["source"], about["fidelity"])
        records = decodings.values(
            found, settings["replicates"], settings["level"], settings["seed"]
        )
    output, manifest = Path(snakemake.output.values), Path(snakemake.input.manifest)
    finish(records, output, manifest, settings["missing"], settings["seed"])
