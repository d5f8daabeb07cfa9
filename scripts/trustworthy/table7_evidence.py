"""Evidence for Table 7: bias before and after debiasing, in every setting."""

from pathlib import Path

from socialbias.papers.trustworthy import table7
from socialbias.papers.trustworthy.inputs import read_embeddings
from socialbias.papers.trustworthy.methods import gn_glove, methods, read_bolukbasi
from socialbias.scripting import logged
from socialbias.sources.manifest import read_manifest
from socialbias.word_lists import read_word_lists

with logged(snakemake.log[0]):
    settings, inputs = snakemake.params.settings, dict(snakemake.input.items())
    lists, debiasing = (read_word_lists(Path(path)) for path in snakemake.input.word_lists)
    bolukbasi = None
    if "bolukbasi_lists" in inputs:
        bolukbasi = read_bolukbasi(*read_manifest(Path(inputs["bolukbasi_lists"])))
    rows = methods(lists, debiasing, bolukbasi, settings["word_list"])
    found = read_embeddings(inputs)
    published = {}
    if {"gn_glove", "gn_glove_baseline"} <= found.keys():
        method = gn_glove(lists, settings["word_list"])
        published[method.row] = (method, found["gn_glove_baseline"], found["gn_glove"])
    evidence = table7.evidence(
        found.get("word2vec"), rows, published, settings["level"], settings["seed"]
    )
    evidence.to_parquet(snakemake.output.evidence)
