"""The print audit: where the printed numbers of the papers contradict each other."""

from pathlib import Path

from socialbias.papers.print_audit import audit, checks_table
from socialbias.pipeline.scripting import logged
from socialbias.reporting.values import write_csv

with logged(snakemake) as say:
    table = checks_table(audit(Path(snakemake.input.published[0]).parent))
    write_csv(table, Path(snakemake.output.audit))
    contradictions = (table["verdict"] == "contradicts").sum()
    say(f"{len(table)} checks of print, {contradictions} contradictions")
