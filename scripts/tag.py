"""Parts of speech of a corpus's words, from a sample of its documents."""

from pathlib import Path

import numpy as np

from socialbias.corpora.shards import INDEX, read_selected
from socialbias.corpora.tagging import count_tags, sample, tagger, usual_tags
from socialbias.scripting import logged
from socialbias.seeding import generator
from socialbias.sources.atomic_write import write_parquet
from socialbias.sources.manifest import read_manifest

with logged(snakemake) as say:
    settings = snakemake.params.settings
    lengths = np.diff(np.load(snakemake.input.offsets, mmap_mode="r"))
    rng = generator(settings["seed"], "tags", settings["corpus"])
    numbers = sample(lengths, settings["words"], rng)
    texts = (d.text for _, d in read_selected(Path(snakemake.input.documents) / INDEX, numbers))
    with tagger(*read_manifest(Path(snakemake.input.model))) as nlp:
        table = usual_tags(count_tags(nlp, texts, settings["lower"] == "before"))
    total = table.groupby("word")["total"].first().sum()
    say(f"{settings['corpus']}: tagged {total:,} words in {len(numbers):,} documents")
    write_parquet(snakemake.output.tags, table, index=False)
