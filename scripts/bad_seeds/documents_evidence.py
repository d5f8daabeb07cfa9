"""Evidence for the regression on documents: models of a sample, and of it without some."""

from pathlib import Path

import pandas as pd

from socialbias.corpora.prepared import Corpus
from socialbias.corpora.shards import read_selected
from socialbias.embeddings.train import Options
from socialbias.papers.bad_seeds import documents
from socialbias.papers.bad_seeds.inputs import joined, read_sets, seed_sets
from socialbias.scripting import logged
from socialbias.seeding import generator
from socialbias.word_lists import read_word_lists

with logged(snakemake.log[0]) as say:
    settings, inputs = snakemake.params.settings, dict(snakemake.input.items())
    lists = read_word_lists(Path(inputs["word_lists"]))
    sets = read_sets(inputs, settings["about"], lists, "gathered_seeds")
    if "sampled_report" in inputs:
        corpus = Corpus.load(Path(inputs["sampled_report"]).parent)
        about = settings["about"][documents.CORPUS]
        rng = generator(settings["seed"], "documents", "sample")
        chosen = documents.sampled(corpus, settings["words"], rng)
        texts = read_selected(Path(inputs["sampled_documents"]), chosen.tolist())
        pairs = documents.pairs_of(lists, seed_sets(sets))
        evidence = documents.evidence(
            corpus,
            chosen,
            [documents.name_of(text) for _, text in texts],
            pairs,
            Options(**settings["options"]),
            settings["replicates"],
            settings["removals"],
            joined([about["source"], sets.source]),
            about["fidelity"],
            settings["seed"],
            say,
        )
    else:
        evidence = pd.DataFrame(columns=documents.COLUMNS)
    evidence.to_parquet(snakemake.output.evidence)
