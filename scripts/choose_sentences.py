"""The sentences that a model reads in shards, and the words in them that count."""

from pathlib import Path

from socialbias.papers.trustworthy.representing import chosen
from socialbias.pipeline.scripting import logged

with logged(snakemake) as say:
    choice = chosen(dict(snakemake.input.items()), snakemake.params.settings, say)
    choice.save(Path(snakemake.output.mentions).parent)
    say(f"{choice.mentions['sentence'].nunique():,} sentences with {len(choice.words)} words")
