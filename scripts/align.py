"""Take the words that are asked for out of one source of word vectors, a folder a word set."""

from pathlib import Path

from socialbias.embeddings.readers import read_word_vectors
from socialbias.papers.word_sets import most_frequent, save_word_sets
from socialbias.pipeline.job import job_of
from socialbias.pipeline.scripting import logged
from socialbias.sources.manifest import read_manifest

with logged(snakemake) as say:
    settings = snakemake.params.settings
    job = job_of(dict(snakemake.input.items()), settings, say)
    folder, manifest = read_manifest(job.path("vectors"))
    found = save_word_sets(
        job,
        settings["words"],
        most_frequent(job, settings["leading"]),
        lambda words: read_word_vectors(folder, manifest, words),
        Path(snakemake.output.folder),
    )
    for name, (known, asked) in found.items():
        say(f"{name}: {known} of {asked} words found in {manifest['source']}")
