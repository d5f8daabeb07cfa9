"""Draw contexts for people to label, and write the files that they are handed out in."""

from pathlib import Path

from socialbias.corpora.annotation.export import write_export
from socialbias.corpora.annotation.sample import candidates, distinct, draw, make_sample
from socialbias.corpora.contexts import contexts_of, match
from socialbias.corpora.prepared import Corpus
from socialbias.corpora.shards import INDEX
from socialbias.embeddings.words.of_papers import read_word_lists
from socialbias.pipeline.scripting import logged

with logged(snakemake) as say:
    settings = snakemake.params.settings
    lists = read_word_lists(Path(snakemake.input.word_lists))
    corpus = Corpus.load(Path(snakemake.input.report).parent)
    targets = {word: [word] for word in lists["table3_targets"]}
    groups = lists["gender"][settings["word_list"]]
    n = settings["sentences"]
    bounds = {"shortest": settings["shortest"], "longest": settings["longest"]}
    matches = match(corpus, targets, dict(sorted(groups.items())), max_window=n, **bounds)
    table = distinct(candidates(matches, contexts_of(matches, n)), n, matches, corpus)
    drawn = draw(table, n, settings["contexts"], settings["shared"], settings["seed"])
    for target in targets:
        own, found = (drawn["target"] == target).sum(), (table["target"] == target).sum()
        say(f"{target}: {own} contexts of {found:,}")
    about = {"source": corpus.report["source"], "settings": settings}
    sample = make_sample(drawn, n, matches, corpus, Path(snakemake.input.documents) / INDEX, about)
    folder = Path(snakemake.output.sample).parent
    write_export(sample, folder)
    say(f"{len(sample.items):,} contexts to label: see {folder / 'instructions.md'}")
