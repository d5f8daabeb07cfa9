"""A corpus as integers: ids, borders of documents and sentences, vocabulary, counts, report."""

from pathlib import Path

from socialbias.corpora.documents import ReadReport
from socialbias.corpora.prepare import prepare
from socialbias.corpora.shards import read_index, read_shards
from socialbias.scripting import logged

with logged(snakemake.log[0]) as say:
    settings, path = snakemake.params.settings, Path(snakemake.input.documents)
    index = read_index(path)
    report = prepare(
        read_shards(path),
        Path(snakemake.output.report).parent,
        tokenizer=settings["tokenizer"],
        lower=settings["lower"],
        read=ReadReport(**index["report"]),
        provenance={key: index[key] for key in ("corpus", "source", "fidelity")},
        log=say,
    )
    say(f"{index['corpus']}: {report['tokens']:,} tokens, {report['vocabulary']:,} words")
