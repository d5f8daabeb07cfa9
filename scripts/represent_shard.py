"""A shard of the sentences that a model reads: what adds up to the vectors of words."""

from pathlib import Path

from socialbias.models.sampled_sentences import Choice
from socialbias.models.threads import one_thread
from socialbias.papers.trustworthy.representing import represented
from socialbias.pipeline.scripting import logged

with logged(snakemake) as say, one_thread():
    settings, inputs = snakemake.params.settings, dict(snakemake.input.items())
    choice = Choice.load(Path(inputs["mentions"]).parent)
    part = {"number": settings["shard"], "of": settings["shards"]}
    represented(inputs, settings, choice, say, **part).save(Path(snakemake.output.shard))
