"""Contexts for people to read: the sentences behind a number, with its words marked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from pathlib import Path

import pandas as pd

from socialbias.corpora.contexts import contexts_of, match
from socialbias.corpora.prepared import Corpus
from socialbias.measures.datasets.census import GENDER
from socialbias.measures.text import show
from socialbias.papers.trustworthy.inputs import first_gender_list
from socialbias.papers.trustworthy.text import DEFAULT_LENGTH, NEITHER
from socialbias.pipeline.job import Job
from socialbias.reporting.page.items import Items
from socialbias.stats.seeding import generator

HEAD = """<!doctype html>
<html lang="en"><meta charset="utf-8"><title>Contexts behind the numbers</title>
<style>
body { font: 16px/1.5 system-ui, sans-serif; max-width: 46em; margin: 2em auto; padding: 0 1em }
mark.target { background: #cfe3f5; padding: 0 .1em }
mark.group { background: #fbdcc4; padding: 0 .1em }
small { color: #555 }
</style>
<h1>Contexts behind the numbers</h1>
<p>A random sample of the contexts of each profession: <mark class="target">the profession</mark>
and <mark class="group">words of the groups</mark>. A context counts for a group where it has
a word of that group and none of another.</p>
"""


def contexts(
    corpus: Corpus,
    index: Path,
    targets: Sequence[str],
    lists: Mapping[str, Sequence[str]],
    n: int,
    at_most: int,
    seed: int,
    limits: Mapping[str, int],
) -> pd.DataFrame:
    """Return a sample of the contexts of each target and group."""
    groups = {group: lists[group] for group in GENDER}
    lengths = {key: limits[key] for key in ("shortest", "longest")}
    matches = match(corpus, {target: [target] for target in targets}, groups, **lengths)
    last, limit = limits["keep_last"], limits["windows"] or None
    windows = contexts_of(matches, n, keep_last=last, limit=limit)
    parts = []
    for target in targets:
        for group in (*GENDER, None):
            rng = generator(seed, "contexts", target, str(group))
            part = show(index, corpus, matches, windows, target, group, limit=at_most, rng=rng)
            part.insert(0, "group", group or NEITHER)
            part.insert(0, "target", target)
            parts.append(part)
    return pd.concat(parts, ignore_index=True)


def page(table: pd.DataFrame) -> str:
    """Return the contexts as a page of HTML."""
    parts = [HEAD]
    for (target, group), part in table.groupby(["target", "group"], sort=False):
        parts.append(f"<h2>{escape(target)}, {escape(group)}</h2>\n")
        for row in part.itertuples():
            spans = [(begin, end, "target") for begin, end in row.target_spans]
            spans += [(begin, end, "group") for begin, end in row.group_spans]
            parts.append("<p>")
            at = 0
            for begin, end, kind in sorted(spans):
                if begin >= at:  # of words that overlap, the first is marked
                    word = f'<mark class="{kind}">{escape(row.text[begin:end])}</mark>'
                    parts += [escape(row.text[at:begin]), word]
                    at = end
            end_of_text, document = escape(row.text[at:]), escape(str(row.document))
            parts.append(f"{end_of_text}<br><small>{document}</small></p>\n")
    return "".join(parts)


TEXT, CORPUS = "evidence/trustworthy/text_wikipedia", "prepared/wikipedia"
COLUMN = "text-automated"
MOST_SHOWN = 8  # documents of a target
AROUND = 15  # tokens shown on either side of a target


def shown_contexts(job: Job) -> list[Items]:
    """Return the first documents in which each profession of Table 3 occurs with one gender."""
    if TEXT not in job or CORPUS not in job:
        return []
    corpus = Corpus.load(job.path(CORPUS).parent)
    variant, _ = first_gender_list(job)
    wanted = job.word_lists("trustworthy")["table3_targets"]
    chosen = [("variant", "==", variant), ("n", "==", DEFAULT_LENGTH), ("target", "in", wanted)]
    counts = pd.read_parquet(job.path(TEXT), filters=chosen)
    items = []
    for target in wanted:
        own = counts[counts["target"] == target]
        if own.empty:
            continue
        gendered = own[own[list(GENDER)].sum(axis=1) > 0].sort_values("document")
        shown = gendered.iloc[:MOST_SHOWN]
        table = shown[["document", *GENDER, NEITHER]].astype(str)
        table["text"] = [_around(target, corpus.texts(number)) for number in shown["document"]]
        note = (
            f"The first {len(shown)} of the {len(gendered):,} documents with a context of one "
            f"gender alone, of {len(own):,} that have the word; contexts of {DEFAULT_LENGTH} "
            f"sentences with words of the list {variant}, by gender. Text: around the word's first "
            "mention."
        )
        items.append(Items((f"{COLUMN} {target}",), f"{target}, in text", note, table))
    return items


def _around(target: str, words: list[str]) -> str:
    """Return the words of a document around the first mention of a target."""
    at = words.index(target)
    shown = " ".join(words[max(0, at - AROUND) : at + AROUND + 1])
    return f"{'… ' * (at > AROUND)}{shown}{' …' * (at + AROUND + 1 < len(words))}"
