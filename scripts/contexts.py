"""Contexts behind the numbers, for reading."""

from pathlib import Path

from socialbias.corpora.prepared import Corpus
from socialbias.corpora.shards import INDEX
from socialbias.embeddings.words.of_papers import read_word_lists
from socialbias.files.atomic_write import aside, write_text
from socialbias.papers.trustworthy import reading
from socialbias.pipeline.scripting import logged

with logged(snakemake) as say:
    settings = snakemake.params.settings
    lists = read_word_lists(Path(snakemake.input.word_lists))["gender"][settings["word_list"]]
    table = reading.contexts(
        Corpus.load(Path(snakemake.input.report).parent),
        Path(snakemake.input.documents) / INDEX,
        settings["targets"],
        lists,
        settings["sentences"],
        settings["at_most"],
        settings["seed"],
        settings["contexts"],
    )
    with aside(Path(snakemake.output.table)) as part:
        table.to_csv(part, index=False, encoding="utf-8", lineterminator="\n")
    write_text(Path(snakemake.output.page), reading.page(table))
    say(f"{len(table)} contexts")
