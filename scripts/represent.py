"""Words in their sentences, represented by a model: reduced to one vector each, and for probes."""

from pathlib import Path

from socialbias.corpora.prepared import Corpus
from socialbias.models.sampled_sentences import Choice
from socialbias.models.threads import one_thread
from socialbias.papers.trustworthy.representing import Shard, chosen, represented, save_shards
from socialbias.pipeline.scripting import logged

with logged(snakemake) as say, one_thread():
    settings, inputs = snakemake.params.settings, dict(snakemake.input.items())
    if "shards" in inputs:
        choice = Choice.load(Path(inputs["mentions"]).parent)
        shards = (Shard.load(Path(path)) for path in snakemake.input.shards)
    else:
        choice = chosen(inputs, settings, say)
        shards = [represented(inputs, settings, choice, say)]
    corpus = Corpus.load(Path(inputs["prepared"]).parent)
    info = {"documents": corpus.size, "layer": settings["layer"]}
    save_shards(shards, choice, Path(snakemake.output.info).parent, info)
    say(f"{len(choice.words)} words, {len(choice.examples):,} examples for the probe")
