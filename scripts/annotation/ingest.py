"""Read completed annotations; where the configuration names none, the table is empty."""

from pathlib import Path

import pandas as pd

from socialbias.annotation.ingest import COLUMNS, read_annotations
from socialbias.annotation.items import read_sample
from socialbias.scripting import logged

with logged(snakemake.log[0]) as say:
    folder = snakemake.params.settings["folder"]
    table = pd.DataFrame(columns=COLUMNS, dtype=str)
    if folder:
        sample = read_sample(Path(folder) / "sample.json")
        table = read_annotations(Path(folder), sample)
        for annotator, own in table.groupby("annotator"):
            counts = ", ".join(f"{n} {label}" for label, n in own["label"].value_counts().items())
            say(f"{annotator}: {len(own)} labels ({counts})")
    table.to_parquet(snakemake.output.annotations, index=False)
