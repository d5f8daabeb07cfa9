"""The figure of figure1, and its table."""

from pathlib import Path

import pandas as pd

from socialbias.artefacts.catalogue import load_catalogue
from socialbias.artefacts.figures import save_figure
from socialbias.artefacts.tables import reading_table, write_tables
from socialbias.artefacts.values import read_csv, read_values
from socialbias.papers.bad_seeds import figures
from socialbias.scripting import logged

with logged(snakemake.log[0]):
    style = snakemake.params.settings["style"]
    artefact = load_catalogue(Path(snakemake.input.catalogue))["bad_seeds_figure1"]
    evidence = pd.read_parquet(snakemake.input.evidence)
    values = read_values(Path(snakemake.input.values))
    published = read_csv(Path(snakemake.input.published))
    stem = Path(snakemake.output.picture).with_suffix("")
    write_tables(*reading_table(values, published, artefact), artefact, stem)
    save_figure(figures.figure1_plot(evidence, style), stem, style["dpi"])
