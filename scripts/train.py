"""Train word vectors on one bootstrap sample of a corpus."""

from pathlib import Path

import pandas as pd

from socialbias.corpora.prepared import Corpus
from socialbias.embeddings.intrinsic import checks
from socialbias.embeddings.options import Options
from socialbias.embeddings.train import bootstrap, train
from socialbias.files.atomic_write import write_parquet
from socialbias.pipeline.scripting import logged
from socialbias.sources.manifest import read_manifest
from socialbias.stats.seeding import generator

with logged(snakemake) as say:
    settings = snakemake.params.settings
    name, replicate, seed = settings["corpus"], settings["replicate"], settings["seed"]
    corpus = Corpus.load(Path(snakemake.input.report).parent)
    # So many of the documents that the sample has about so many words.
    share = min(1.0, settings["words"] / len(corpus.tokens)) if settings["words"] else 1.0
    documents = max(1, round(share * corpus.size))
    model = train(
        corpus,
        bootstrap(corpus.size, seed, name, replicate, documents),
        Options(**settings["options"]),
        int(generator(seed, "word2vec", name, replicate).integers(2**31)),
        name=f"{name}, replicate {replicate}",
        log=say,
    )
    say(f"{name}, replicate {replicate}: {len(model.vectors.words):,} words have a vector")
    model.save(Path(snakemake.output.vectors).parent)
    inputs = dict(snakemake.input.items())
    kinds = inputs.keys() & {"analogies", "similarity"}
    sets = {kind: read_manifest(Path(inputs[kind])) for kind in sorted(kinds)}
    rows = [{"replicate": replicate} | row for row in checks(model.vectors, sets)]
    columns = ["replicate", "kind", "set", "value", "known", "of"]
    table = pd.DataFrame(rows, columns=columns)
    write_parquet(snakemake.output.checks, table, index=False)
