"""The bias of every profession by every measure, for reading."""

from pathlib import Path

from socialbias.errors import UserError
from socialbias.papers.trustworthy import professions
from socialbias.reporting.values import write_csv
from socialbias.scripting import logged
from socialbias.word_lists import read_word_lists

with logged(snakemake.log[0]) as say:
    settings, inputs = snakemake.params.settings, dict(snakemake.input.items())
    lists = read_word_lists(Path(snakemake.input.word_lists))["gender"][settings["word_list"]]
    found, employment = professions.read(inputs, settings, lists)
    if not found:
        raise UserError(f"professions: no census, or nothing to measure: {settings['missing']}")
    table = professions.each(found, employment)
    write_csv(table, Path(snakemake.output.table))
    say(f"{table['profession'].nunique()} professions, {table['measure'].nunique()} measures")
