"""Train a small GPT-2 on a text."""

from pathlib import Path

from socialbias.corpora.prepared import Corpus
from socialbias.embeddings.words.of_papers import all_words, read_word_lists
from socialbias.models.language_models import train_gpt2
from socialbias.models.objectives import Options
from socialbias.papers.trustworthy.inputs import census_words, text_targets
from socialbias.pipeline.job import job_of
from socialbias.pipeline.scripting import logged

with logged(snakemake) as say:
    settings, inputs = snakemake.params.settings, dict(snakemake.input.items())
    lists = read_word_lists(Path(inputs["word_lists"]))
    groups = [lists["gender"][variant] for variant in settings["word_lists"]]
    keep = sorted({*text_targets(lists, census_words(job_of(inputs, {}, say))), *all_words(groups)})
    options = settings["options"]
    report = train_gpt2(
        Corpus.load(Path(inputs["report"]).parent),
        Path(snakemake.output.model),
        Options(**options, passage=options["length"] - 2, keep=tuple(keep)),
        settings["seed"],
        say,
    )
    say(
        f"perplexity {report['perplexity']:.0f} on what was held out, by word frequency alone "
        f"{report['unigram_perplexity']:.0f}"
    )
