"""What a model wrote, as documents."""

from pathlib import Path

from socialbias.corpora.documents import ReadReport
from socialbias.corpora.readers import gpt2_jsonl
from socialbias.corpora.shards import write_shards
from socialbias.scripting import logged

with logged(snakemake.log[0]) as say:
    settings, report = snakemake.params.settings, ReadReport()
    about = {"corpus": "samples"} | settings["about"]
    documents = gpt2_jsonl(Path(snakemake.input.samples), report)
    write_shards(documents, Path(snakemake.output.documents).parent, report, about)
    say(f"samples: read {report.line()}")
