"""Evidence for recovery: the text measure on the planted corpus and on many small ones."""

from pathlib import Path

from socialbias.corpora.prepared import Corpus
from socialbias.papers.validation import recovery
from socialbias.scripting import logged

with logged(snakemake.log[0]):
    settings = snakemake.params.settings
    corpus = Corpus.load(Path(snakemake.input.report).parent)
    evidence = recovery.text_evidence(corpus, recovery.DESIGN, settings["level"], "text")
    evidence.to_parquet(snakemake.output.evidence)
    replicated = recovery.replicated_evidence(
        settings["replicates"], settings["replicate_tokens"], settings["level"], settings["seed"]
    )
    replicated.to_parquet(snakemake.output.replicated)
