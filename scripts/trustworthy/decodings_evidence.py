"""Evidence from published samples of GPT-2: contexts of professions with groups, by sample."""

from pathlib import Path

from socialbias.papers.trustworthy import decodings
from socialbias.papers.trustworthy.inputs import text_targets
from socialbias.scripting import logged
from socialbias.word_lists import read_word_lists

with logged(snakemake.log[0]) as say:
    settings, inputs = snakemake.params.settings, dict(snakemake.input.items())
    lists = read_word_lists(Path(inputs["word_lists"]))
    evidence = decodings.evidence(
        Path(inputs["gpt2_decodings"]) if "gpt2_decodings" in inputs else None,
        text_targets(lists, inputs),
        {settings["word_list"]: lists["gender"][settings["word_list"]]},
        settings["contexts"],
        say,
    )
    evidence.to_parquet(snakemake.output.evidence)
