"""The bias of every profession by every measure, for reading."""

from pathlib import Path

from socialbias.errors import UserError
from socialbias.papers.trustworthy import professions
from socialbias.pipeline.job import job_of
from socialbias.pipeline.scripting import logged
from socialbias.reporting.values import write_csv

with logged(snakemake) as say:
    settings = snakemake.params.settings
    measured, employment = professions.read(job_of(dict(snakemake.input.items()), settings, say))
    if not measured:
        raise UserError(f"professions: no census, or nothing to measure: {settings['missing']}")
    table = professions.each(measured, employment)
    write_csv(table, Path(snakemake.output.table))
    say(f"{table['profession'].nunique()} professions, {table['measure'].nunique()} measures")
