"""Audit a list of seeds in a corpus: frequency, coherence, alternatives, warnings."""

from pathlib import Path

from socialbias.embeddings.words.files import read_word_list
from socialbias.papers.bad_seeds.inputs import read_corpora, read_sets, seed_sets
from socialbias.papers.bad_seeds.seed_audit import (
    audit_sets,
    audit_text,
    audit_words,
    published_pairings,
    write_audit,
)
from socialbias.pipeline.job import job_of
from socialbias.pipeline.scripting import logged

with logged(snakemake) as say:
    job = job_of(dict(snakemake.input.items()), snakemake.params.settings, say)
    [corpus] = read_corpora(job).values()
    published = seed_sets(read_sets(job))
    pairings = published_pairings(job.word_lists("bad_seeds"), published)
    sets = read_word_list(job.path("seeds"))
    words = audit_words(sets, corpus)
    summary = audit_sets(sets, corpus, published, job.level, pairings, job.seed)
    write_audit(words, summary, Path(snakemake.output.text).with_suffix(""))
    say(audit_text(words, summary))
