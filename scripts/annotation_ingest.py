"""Read completed annotations, and label their contexts by co-occurrence."""

from pathlib import Path

from socialbias.corpora.annotation.ingest import read_annotations
from socialbias.corpora.annotation.items import read_sample
from socialbias.embeddings.words.of_papers import read_word_lists
from socialbias.files.atomic_write import write_parquet
from socialbias.papers.trustworthy import table4
from socialbias.pipeline.scripting import logged

with logged(snakemake) as say:
    settings, path = snakemake.params.settings, Path(snakemake.input.sample)
    lists = read_word_lists(Path(snakemake.input.word_lists))["gender"]
    sample = read_sample(path)
    table = read_annotations(path.parent, sample)
    for annotator, own in table.groupby("annotator"):
        counts = ", ".join(f"{n} {label}" for label, n in own["label"].value_counts().items())
        say(f"{annotator}: {len(own)} labels ({counts})")
    write_parquet(snakemake.output.labels, table4.agreement_evidence(table, sample))
    variants = {variant: lists[variant] for variant in settings["word_lists"]}
    write_parquet(snakemake.output.contexts, table4.evidence(table, sample, variants))
