"""Analogies and judgements of similarity, for every model of a corpus."""

from pathlib import Path

import pandas as pd

from socialbias.embeddings.intrinsic import checks
from socialbias.embeddings.vectors import WordVectors
from socialbias.scripting import logged
from socialbias.sources.manifest import read_manifest

with logged(snakemake.log[0]):
    inputs = dict(snakemake.input.items())
    sets = {kind: read_manifest(Path(inputs[kind])) for kind in ("analogies", "similarity")}
    rows = [
        {"replicate": replicate} | row
        for replicate, path in enumerate(snakemake.input.vectors)
        for row in checks(WordVectors.load(Path(path).parent), sets)
    ]
    pd.DataFrame(rows).to_parquet(snakemake.output.checks, index=False)
