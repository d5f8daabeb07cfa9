"""Verdicts on one artefact: its values against print."""

from pathlib import Path

from socialbias.reporting.compare import compare
from socialbias.reporting.values import read_csv, read_values, write_csv
from socialbias.scripting import logged

with logged(snakemake.log[0]):
    cells, columns = compare(
        read_values(Path(snakemake.input.values)),
        read_csv(Path(snakemake.input.published)),
        snakemake.params.settings["seed"],
    )
    write_csv(cells, Path(snakemake.output.comparison))
    write_csv(columns, Path(snakemake.output.columns))
