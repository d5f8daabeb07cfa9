"""Evidence for recovery: a BERT trained on the planted corpus, reduced to vectors and probed."""

from dataclasses import replace
from pathlib import Path

import pandas as pd

from socialbias.corpora.prepared import Corpus
from socialbias.files.atomic_write import write_parquet
from socialbias.models.language_models import train_bert
from socialbias.models.loading import load_model
from socialbias.papers.validation import recovery_contextual as contextual
from socialbias.papers.validation.recovery import DESIGN
from socialbias.pipeline.scripting import logged

with logged(snakemake) as say:
    settings = snakemake.params.settings
    corpus = Corpus.load(Path(snakemake.input.report).parent)
    folder, seed = Path(snakemake.output.model), settings["seed"]
    options = replace(contextual.BERT, epochs=settings["epochs"])
    learnt = train_bert(corpus, folder, options, seed, say)
    better, plain = learnt["perplexity"], learnt["unigram_perplexity"]
    say(f"bert: perplexity {better:.1f}, of words' frequencies {plain:.1f}")
    model = load_model(folder, "encoder", device="cpu")
    most, draws, level = (settings[name] for name in ("sentences", "divisions", "level"))
    parts = [
        contextual.reduction_evidence(model, corpus, DESIGN, "bert", most, draws, seed),
        contextual.probe_evidence(model, corpus, DESIGN, "bert probe", most, level, seed),
    ]
    write_parquet(snakemake.output.evidence, pd.concat(parts, ignore_index=True))
    random = load_model(folder, "encoder", device="cpu", seed=seed)
    how = (DESIGN, most, settings["replicates"], seed)
    write_parquet(snakemake.output.probe, contextual.controlled_probes(model, random, corpus, *how))
