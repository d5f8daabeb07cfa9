"""Evidence for Table 8: bias under perturbed parameters, in vectors, text and probes."""

from pathlib import Path

import pandas as pd

from socialbias.corpora.prepared import Corpus
from socialbias.papers.trustworthy import table8
from socialbias.papers.trustworthy.inputs import (
    Input,
    read_embeddings,
    read_reduction,
    read_tables,
    resting_on,
)
from socialbias.scripting import logged
from socialbias.word_lists import read_word_lists

with logged(snakemake.log[0]):
    settings, inputs = snakemake.params.settings, dict(snakemake.input.items())
    word_lists, about = read_word_lists(Path(snakemake.input.word_lists)), settings["about"]
    lists, targets = word_lists["gender"][settings["word_list"]], word_lists["table3_targets"]
    vectors = {f"emb {role}": found for role, found in read_embeddings(inputs).items()}
    reduced = read_reduction(inputs, about)
    if reduced:
        found = Input(reduced.data.vectors, reduced.source, reduced.fidelity)
        vectors["cr-reduction bert"] = found
    how = [settings["sizes"], settings["draws"], settings["seed"]]
    parts = [table8.evidence(vectors, lists, targets, *how)]
    if "report" in inputs:
        corpus = Corpus.load(Path(inputs["report"]).parent)
        found = Input(corpus, *resting_on(["wikipedia"], about))
        parts.append(table8.text_evidence(found, lists, targets, *how, settings["contexts"]))
    tables = read_tables(inputs, about)
    if "probe_bert" in tables:
        parts.append(table8.probe_evidence(tables["probe_bert"], settings["word_list"], targets))
    pd.concat(parts, ignore_index=True).to_parquet(snakemake.output.evidence)
