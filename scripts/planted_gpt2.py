"""Evidence for recovery: a GPT-2 trained on the planted corpus, probed, and its samples."""

from dataclasses import replace
from pathlib import Path

import pandas as pd

from socialbias.corpora.prepared import Corpus
from socialbias.files.atomic_write import write_parquet
from socialbias.models.generation import Options, generate
from socialbias.models.language_models import train_gpt2
from socialbias.models.loading import load_model
from socialbias.papers.validation import recovery_contextual as contextual
from socialbias.papers.validation.planted_table6 import of_text
from socialbias.papers.validation.recovery import DESIGN
from socialbias.pipeline.scripting import logged

with logged(snakemake) as say:
    settings = snakemake.params.settings
    corpus = Corpus.load(Path(snakemake.input.report).parent)
    folder, seed = Path(snakemake.output.model), settings["seed"]
    options = replace(contextual.GPT2, epochs=settings["epochs"])
    learnt = train_gpt2(corpus, folder, options, seed, say)
    better, plain = learnt["perplexity"], learnt["unigram_perplexity"]
    say(f"gpt2: perplexity {better:.1f}, of words' frequencies {plain:.1f}")
    model, samples = load_model(folder, "causal", device="cpu"), Path(snakemake.output.samples)
    generate(model, samples, settings["samples"], Options(batch=256), seed, say)
    most, level = settings["sentences"], settings["level"]
    parts = [
        contextual.probe_evidence(model, corpus, DESIGN, "gpt2 probe", most, level, seed),
        contextual.samples_evidence(samples, DESIGN, "gpt2 samples", level),
    ]
    write_parquet(snakemake.output.evidence, pd.concat(parts, ignore_index=True))
    random = load_model(folder, "causal", device="cpu", seed=seed)
    how = (DESIGN, most, settings["replicates"], seed)
    write_parquet(snakemake.output.probe, contextual.controlled_probes(model, random, corpus, *how))
    with contextual.corpus_of_samples(samples) as written:
        write_parquet(snakemake.output.counts, of_text(written, DESIGN))
