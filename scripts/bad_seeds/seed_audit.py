"""Audit a list of seeds in a corpus: frequency, coherence, alternatives, warnings."""

from pathlib import Path

from socialbias.errors import UserError
from socialbias.papers.bad_seeds.inputs import read_corpora, read_sets, seed_sets
from socialbias.papers.bad_seeds.seed_audit import audit, audit_text, write_audit
from socialbias.scripting import logged
from socialbias.word_lists import read_word_lists

with logged(snakemake.log[0]) as say:
    settings, inputs = snakemake.params.settings, dict(snakemake.input.items())
    if why := settings["missing"].get("corpus"):
        raise UserError(f"seed_audit: no corpus to measure the seeds in: {why}")
    lists = read_word_lists(Path(inputs["word_lists"]))
    [corpus] = read_corpora(inputs, settings["about"]).values()
    sets = seed_sets(read_sets(inputs, settings["about"], lists, "gathered_seeds"))
    words, summary = audit(Path(inputs["seeds"]), corpus, sets, settings["level"])
    write_audit(words, summary, Path(snakemake.output.text).with_suffix(""))
    say(audit_text(words, summary))
