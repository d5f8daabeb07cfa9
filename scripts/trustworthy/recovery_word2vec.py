"""Evidence for recovery: measures on word vectors that are trained on the planted corpus."""

from pathlib import Path

import numpy as np

from socialbias.corpora.prepared import Corpus
from socialbias.embeddings.train import Options, train
from socialbias.papers.validation import recovery
from socialbias.scripting import logged
from socialbias.seeding import generator

with logged(snakemake.log[0]) as say:
    settings = snakemake.params.settings
    corpus = Corpus.load(Path(snakemake.input.report).parent)
    seed = int(generator(settings["seed"], "recovery", "word2vec").integers(2**31))
    options = Options(**settings["options"])
    model = train(corpus, np.arange(corpus.size), options, seed, name="planted", log=say)
    evidence = recovery.vector_evidence(
        model.vectors,
        recovery.DESIGN,
        "word2vec",
        [*recovery.DIRECTED, *recovery.MAGNITUDES],
        settings["divisions"],
        settings["seed"],
    )
    evidence.to_parquet(snakemake.output.evidence)
