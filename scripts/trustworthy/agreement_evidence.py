"""Evidence for the agreement of annotators: every label, with what is known of its context."""

from pathlib import Path

import pandas as pd

from socialbias.annotation.items import read_sample
from socialbias.papers.trustworthy import agreement
from socialbias.scripting import logged

with logged(snakemake.log[0]):
    inputs = dict(snakemake.input.items())
    annotations = pd.read_parquet(inputs["annotations"])
    sample = read_sample(Path(inputs["sample"])) if "sample" in inputs else None
    agreement.evidence(annotations, sample).to_parquet(snakemake.output.evidence)
