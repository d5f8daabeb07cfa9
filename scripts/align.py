"""Take the words that are asked for out of one source of word vectors, a folder a word set."""

from pathlib import Path

from socialbias.embeddings.readers import read_word_vectors
from socialbias.papers.word_sets import most_frequent, words_of
from socialbias.pipeline.inputs import WITH_MOST_FREQUENT
from socialbias.pipeline.job import job_of
from socialbias.pipeline.scripting import logged
from socialbias.sources.manifest import read_manifest

with logged(snakemake) as say:
    settings = snakemake.params.settings
    job = job_of(dict(snakemake.input.items()), settings, say)
    folder, manifest = read_manifest(job.path("vectors"))
    leading = most_frequent(job, settings["leading"])
    wanted = {name: words_of(job, name) for name in settings["words"]}
    vectors = read_word_vectors(folder, manifest, {*leading}.union(*wanted.values()))
    for name, words in wanted.items():
        first = leading if name in WITH_MOST_FREQUENT else []
        own = vectors.only(sorted(words.union(first))).with_first(first)
        own.save(Path(snakemake.output.folder, name))
        found = len(vectors.known(words))
        say(f"{name}: {found} of {len(words)} words found in {manifest['source']}")
