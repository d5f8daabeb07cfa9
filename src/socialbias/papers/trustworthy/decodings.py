"""Supplement to Table 6: bias in published samples of GPT-2, by size and by decoding."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pandas as pd

from socialbias.corpora.documents import ReadReport
from socialbias.corpora.prepare import prepare
from socialbias.corpora.prepared import Corpus
from socialbias.corpora.readers import read_documents
from socialbias.measurement.texts import FEWEST_CONTEXTS
from socialbias.measures.datasets.census import GENDER
from socialbias.papers.inputs import concat
from socialbias.papers.trustworthy import text
from socialbias.papers.trustworthy.directed import (
    UNIFORM,
    cells,
    directed,
    means,
    references,
    sizes,
)
from socialbias.papers.trustworthy.inputs import (
    EVERY,
    census_words,
    contexts_options,
    first_gender_list,
    read_employment,
    text_targets,
)
from socialbias.pipeline.job import Job
from socialbias.reporting.values import value
from socialbias.sources.manifest import read_manifest

SOURCE, EVIDENCE = "gpt2_decodings", "evidence/trustworthy/decodings"
# The texts of each source, of which a run takes one.
SIZES = ("small-117M", "medium-345M", "large-762M", "xl-1542M")
TEXTS = {
    "gpt2-output-test": ("webtext", *SIZES, *(f"{size}-k40" for size in SIZES)),
    "gpt2-samples-1558m": ("unconditional", "unconditional-topk40", "unconditional-t07"),
}
COLUMNS = ("mean", "mean@base", "mean@employment", "size", "pooled", "pooled@base")


def measure(job: Job) -> pd.DataFrame:
    """Contexts of each target by document and group, in single sentences, for each text."""
    variant, lists = first_gender_list(job)
    targets = text_targets(job.word_lists("trustworthy"), census_words(job))
    folder, source = read_manifest(job.path(SOURCE))
    parts = []
    for file in source["files"]:
        name = Path(file["path"]).name.split(".")[0]
        if name.startswith("conditional"):
            continue  # they continue a text that somebody wrote
        with TemporaryDirectory() as scratch:
            report = ReadReport()
            prepare(read_documents(folder, source, report, file=file["path"]), Path(scratch))
            corpus = Corpus.load(Path(scratch))
            table = text.evidence(corpus, targets, {variant: lists}, **contexts_options(job))
        parts.append(table[table["n"] == 1].assign(text=name))
        job.say(f"{name}: {report.line()}")
    return concat(parts, [*text.COLUMNS, "text"])


def summarise(job: Job) -> Iterator[dict]:
    """Mean, size and pooled bias of the professions that all texts mention often enough."""
    if EVIDENCE not in job:
        return
    table, level = job.table(EVIDENCE), job.level
    census = read_employment(job, job.settings["trustworthy.census_year"]).get("gender")
    counts = dict(list(table.groupby("text")))
    texts = {name: directed(part, level, name) for name, part in counts.items()}
    often = [
        {t for t, n in zip(d.targets, d.n, strict=True) if n >= FEWEST_CONTEXTS and t != EVERY}
        for d in texts.values()
    ]
    shared = sorted(set.intersection(*often)) if often else []
    for name, biases in texts.items():
        if shared:
            chosen = biases.of(shared)
            yield from means(name, chosen, references(biases, census, shared), level)
            yield from sizes(name, "size", chosen, None, job)
        words = counts[name][counts[name]["target"] != EVERY]
        together = words.groupby("document", as_index=False)[list(GENDER)].sum()
        pooled = directed(together.assign(target="all"), level, name)
        for kind, reference in ({"": UNIFORM} | references(biases, None, ["all"])).items():
            column = f"pooled@{kind}" if kind else "pooled"
            [record] = cells(column, pooled, level, reference)
            yield record | {"row": name}
    yield from of_other_sources(set(table["text"]))


def of_other_sources(present: Collection[str]) -> list[dict]:
    """Return empty cells for texts that the run's source does not have; they name one that does."""
    return [
        value(
            row, column, float("nan"),
            note=f"this text is one of {source}: name that in inputs.{SOURCE}",
        )
        for source, rows in TEXTS.items()
        for row in rows
        for column in COLUMNS
        if row not in present
    ]  # fmt: skip
