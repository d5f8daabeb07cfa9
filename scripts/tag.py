"""Parts of speech of a corpus's words, from a sample of its documents."""

from collections import Counter
from pathlib import Path

import socialbias.system.one_thread  # noqa: F401, before any numerical library

# isort: split
import numpy as np

from socialbias.corpora.shards import INDEX, read_selected
from socialbias.corpora.tagging import count_tags, parts, sample, tagger, usual_tags
from socialbias.files.atomic_write import write_parquet
from socialbias.pipeline.scripting import logged
from socialbias.sources.manifest import read_manifest
from socialbias.stats.seeding import generator
from socialbias.system.processes import in_processes

with logged(snakemake) as say:
    settings, index = snakemake.params.settings, Path(snakemake.input.documents) / INDEX
    lengths = np.diff(np.load(snakemake.input.offsets, mmap_mode="r"))
    rng = generator(settings["seed"], "tags", settings["corpus"])
    numbers = sample(lengths, settings["words"], rng)
    with tagger(*read_manifest(Path(snakemake.input.model))) as nlp:

        def count(part: list[int]) -> Counter:
            texts = (document.text for _, document in read_selected(index, part))
            return count_tags(nlp, texts, settings["lower"] == "before")

        counts = Counter()
        for counted in in_processes(count, parts(lengths, numbers), snakemake.threads):
            counts.update(counted)
    table = usual_tags(counts)
    total = table.groupby("word")["total"].first().sum()
    say(f"{settings['corpus']}: tagged {total:,} words in {len(numbers):,} documents")
    write_parquet(snakemake.output.tags, table, index=False)
