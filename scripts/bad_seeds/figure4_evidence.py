"""Evidence for Figure 4: words along the first component."""

from pathlib import Path

from socialbias.papers.bad_seeds import figure4
from socialbias.papers.bad_seeds.inputs import Corpus, Input, read_corpora
from socialbias.reporting.values import read_csv
from socialbias.scripting import logged
from socialbias.word_lists import read_word_lists

with logged(snakemake.log[0]):
    settings, inputs = snakemake.params.settings, dict(snakemake.input.items())
    lists = read_word_lists(Path(inputs["word_lists"]))
    corpora = read_corpora(inputs, settings["about"])
    published = read_csv(Path(inputs["published"]))
    printed = {row: list(cells["column"]) for row, cells in published.groupby("row")}
    news = corpora.get("nyt", Input(Corpus(), "", "no input"))
    evidence = figure4.evidence(news, lists["pairs"], printed, settings["draws"], settings["seed"])
    evidence.to_parquet(snakemake.output.evidence)
