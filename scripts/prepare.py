"""A corpus, from its source or as a model wrote it: documents in parquet shards, and as ids."""

from pathlib import Path

from socialbias.corpora.documents import ReadReport
from socialbias.corpora.prepare import prepare_parts
from socialbias.corpora.readers import gpt2_jsonl
from socialbias.corpora.selection import check_documents, corpus_documents
from socialbias.corpora.shards import INDEX, read_parts, write_shards
from socialbias.pipeline.scripting import logged
from socialbias.sources.manifest import read_manifest

with logged(snakemake) as say:
    settings, inputs = snakemake.params.settings, dict(snakemake.input.items())
    name, read = settings["corpus"], ReadReport()
    if "samples" in inputs:
        source = settings["source"]
        documents = gpt2_jsonl(Path(inputs["samples"]), read)
    else:
        folder, manifest = read_manifest(Path(inputs["source"]))
        source = manifest["source"]
        documents = corpus_documents(folder, manifest, settings, read)
    about = {"corpus": name, "source": source, "fidelity": settings["fidelity"]}
    index = write_shards(documents, Path(snakemake.output.documents), read, about)
    say(f"{name}: read {read.line()}; took {index['documents']} documents")
    check_documents(source, index["documents"], say)
    report = prepare_parts(
        read_parts(Path(snakemake.output.documents, INDEX), snakemake.threads),
        Path(snakemake.output.report).parent,
        cores=snakemake.threads,
        tokenizer=settings["tokenizer"],
        lower=settings["lower"],
        read=read,
        provenance=about,
        log=say,
    )
    say(f"{name}: {report['tokens']:,} tokens, {report['vocabulary']:,} words")
