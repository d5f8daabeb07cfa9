"""Read completed annotations, and label their contexts by co-occurrence.

Where the configuration names no folder there is no sample, and both tables are empty.
"""

from pathlib import Path

import pandas as pd

from socialbias.annotation.ingest import COLUMNS, read_annotations
from socialbias.annotation.items import read_sample
from socialbias.papers.trustworthy import agreement, table4
from socialbias.scripting import logged
from socialbias.word_lists import read_word_lists

with logged(snakemake.log[0]) as say:
    settings, inputs = snakemake.params.settings, dict(snakemake.input.items())
    lists = read_word_lists(Path(inputs["word_lists"]))["gender"]
    table, sample = pd.DataFrame(columns=COLUMNS), None
    if "sample" in inputs:
        path = Path(inputs["sample"])
        sample = read_sample(path)
        table = read_annotations(path.parent, sample)
    for annotator, own in table.groupby("annotator"):
        counts = ", ".join(f"{n} {label}" for label, n in own["label"].value_counts().items())
        say(f"{annotator}: {len(own)} labels ({counts})")
    agreement.evidence(table, sample).to_parquet(snakemake.output.labels)
    variants = {variant: lists[variant] for variant in settings["word_lists"]}
    table4.evidence(table, sample, variants).to_parquet(snakemake.output.contexts)
