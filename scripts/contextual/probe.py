"""Probes and their controls on represented words."""

import json
from pathlib import Path

import numpy as np
import pandas as pd

from socialbias.contextual.probe import Settings
from socialbias.errors import UserError
from socialbias.papers.trustworthy import probing
from socialbias.scripting import logged

with logged(snakemake.log[0]) as say:
    settings = snakemake.params.settings
    given, random = Path(snakemake.input.given).parent, Path(snakemake.input.random).parent
    examples = pd.read_parquet(given / "examples.parquet")
    if not examples.equals(pd.read_parquet(random / "examples.parquet")):
        raise UserError(f"{given} and {random}: not the same examples: remove both and run again")
    evidence = probing.evidence(
        np.load(given / "features.npy"),
        np.load(random / "features.npy"),
        examples,
        Settings(**settings["options"]),
        settings["replicates"],
        settings["seed"],
        json.loads((given / "info.json").read_text("utf-8"))["documents"],
    )
    evidence.to_parquet(snakemake.output.evidence)
    say(f"{len(examples):,} examples of {examples['target'].nunique()} targets")
