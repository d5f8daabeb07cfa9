"""Evidence for Table 4: each annotated context, by people and by co-occurrence."""

from pathlib import Path

import pandas as pd

from socialbias.annotation.items import read_sample
from socialbias.papers.trustworthy import table4
from socialbias.scripting import logged
from socialbias.word_lists import read_word_lists

with logged(snakemake.log[0]):
    settings, inputs = snakemake.params.settings, dict(snakemake.input.items())
    lists = read_word_lists(Path(inputs["word_lists"]))["gender"]
    annotations = pd.read_parquet(inputs["annotations"])
    sample = read_sample(Path(inputs["sample"])) if "sample" in inputs else None
    variants = {variant: lists[variant] for variant in settings["word_lists"]}
    evidence = table4.evidence(annotations, sample, variants)
    evidence.to_parquet(snakemake.output.evidence)
