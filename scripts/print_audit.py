"""The print audit: printed values of the papers that do not agree with each other."""

from pathlib import Path

from socialbias.papers.print_audit import audit, checks_table
from socialbias.pipeline.scripting import logged
from socialbias.reporting.values import write_csv

with logged(snakemake) as say:
    table = checks_table(audit(Path(snakemake.input.published[0]).parent))
    write_csv(table, Path(snakemake.output.audit))
    disagree = (table["verdict"] == "does not agree").sum()
    say(f"{len(table)} checks of print, {disagree} do not agree")
