"""The seeds that Google News is asked for."""

from pathlib import Path

import yaml

from socialbias.papers.bad_seeds.inputs import read_sets, seed_sets
from socialbias.papers.bad_seeds.wanted import seed_words
from socialbias.scripting import logged
from socialbias.word_lists import read_word_lists

with logged(snakemake.log[0]) as say:
    settings, inputs = snakemake.params.settings, dict(snakemake.input.items())
    lists = read_word_lists(Path(inputs["word_lists"]))
    sets = read_sets(inputs, settings["about"], lists, "gathered_seeds")
    words = seed_words(lists, seed_sets(sets))
    text = yaml.safe_dump({"seeds": words}, allow_unicode=True)
    Path(snakemake.output.words).write_text(text, "utf-8", newline="\n")
    say(f"{len(words)} words")
