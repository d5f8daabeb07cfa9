"""Fail when a cell is empty or of another fidelity than its inputs."""

from pathlib import Path

from socialbias.files.atomic_write import write_text
from socialbias.pipeline.scripting import logged
from socialbias.reporting.values import read_values
from socialbias.reporting.write_artefact import check_complete

with logged(snakemake) as say:
    cells = snakemake.params.settings["cells"]
    tables = {
        target: read_values(Path(path))
        for target, path in zip(cells, snakemake.input.values, strict=True)
    }
    report = check_complete(cells, tables)
    write_text(Path(snakemake.output.report), report + "\n")
    say(report)
