"""A corpus with planted associations: documents in parquet shards, and as integers."""

from pathlib import Path

from socialbias.corpora.documents import ReadReport, counted
from socialbias.corpora.prepare import prepare
from socialbias.corpora.shards import INDEX, read_shards, write_shards
from socialbias.files.atomic_write import aside
from socialbias.papers.validation.planted_corpus import write
from socialbias.papers.validation.recovery import DESIGN
from socialbias.pipeline.scripting import logged
from socialbias.stats.seeding import generator

with logged(snakemake) as say:
    settings, report = snakemake.params.settings, ReadReport()
    written = write(DESIGN, settings["tokens"], generator(settings["seed"], "recovery", "corpus"))
    about = {"corpus": "planted", "source": "planted", "fidelity": "exact"}
    documents = Path(snakemake.output.documents)
    write_shards(counted(written.texts(), report), documents, report, about)
    made = prepare(
        read_shards(documents / INDEX),
        Path(snakemake.output.report).parent,
        tokenizer="whitespace",
        lower="never",
        read=report,
        provenance=about,
        log=say,
    )
    with aside(Path(snakemake.output.truth)) as part:
        DESIGN.targets.to_csv(part, index=False)
    say(f"planted: {made['tokens']:,} tokens, {made['vocabulary']:,} words")
