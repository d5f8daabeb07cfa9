"""Read a corpus from its source: documents in parquet shards."""

from pathlib import Path

from socialbias.corpora.corpus import corpus_documents
from socialbias.corpora.documents import ReadReport
from socialbias.corpora.shards import write_shards
from socialbias.scripting import logged
from socialbias.sources.manifest import read_manifest

with logged(snakemake.log[0]) as say:
    settings, report = snakemake.params.settings, ReadReport()
    folder, manifest = read_manifest(Path(snakemake.input.source))
    documents = corpus_documents(folder, manifest, settings, report)
    about = {key: settings[key] for key in ("corpus", "fidelity")}
    about["source"] = manifest["source"]
    index = write_shards(documents, Path(snakemake.output.documents).parent, report, about)
    say(f"{settings['corpus']}: read {report.line()}; took {index['documents']} documents")
