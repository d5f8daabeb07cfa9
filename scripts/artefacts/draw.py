"""Tables and figure of one artefact, from its values."""

from pathlib import Path

from socialbias.artefacts.catalogue import load_catalogue
from socialbias.artefacts.figures import dot_plot, save_figure
from socialbias.artefacts.tables import reading_table, write_tables
from socialbias.artefacts.values import read_csv, read_values
from socialbias.scripting import logged

with logged(snakemake.log[0]):
    settings = snakemake.params.settings
    artefact = load_catalogue(Path(snakemake.input.catalogue))[settings["artefact"]]
    values = read_values(Path(snakemake.input.values))
    published = read_csv(Path(snakemake.input.published))
    stem = Path(snakemake.output.picture).with_suffix("")
    write_tables(*reading_table(values, published, artefact), artefact, stem)
    figure = dot_plot(values, published, artefact, settings["style"])
    save_figure(figure, stem, settings["style"]["dpi"])
