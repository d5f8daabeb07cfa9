"""Fail when a cell is absent or below its least fidelity."""

from pathlib import Path

from socialbias.reporting.catalogue import completeness
from socialbias.reporting.values import read_csv
from socialbias.scripting import logged

with logged(snakemake.log[0]) as say:
    report = completeness(
        read_csv(Path(snakemake.input.manifest)),
        [Path(path) for path in snakemake.input.values],
        snakemake.params.settings["kind"],
    )
    Path(snakemake.output.report).write_text(report + "\n", "utf-8")
    say(report)
