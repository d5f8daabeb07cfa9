"""Evidence from text: contexts of targets with groups, by document."""

from pathlib import Path

from socialbias.corpora.prepared import Corpus
from socialbias.papers.trustworthy import text
from socialbias.papers.trustworthy.inputs import text_targets
from socialbias.scripting import logged
from socialbias.word_lists import read_word_lists

with logged(snakemake.log[0]) as say:
    settings = snakemake.params.settings
    lists = read_word_lists(Path(snakemake.input.word_lists))
    evidence = text.evidence(
        Corpus.load(Path(snakemake.input.report).parent),
        text_targets(lists, dict(snakemake.input.items())),
        {variant: lists["gender"][variant] for variant in settings["word_lists"]},
        **settings["contexts"],
    )
    evidence.to_parquet(snakemake.output.evidence)
    say(f"{evidence['target'].nunique()} targets in {evidence['document'].nunique():,} documents")
