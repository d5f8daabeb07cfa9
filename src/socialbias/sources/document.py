"""The page that lists all sources, `docs/sources.md`, generated from the registry."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping

from socialbias.files.text import readable_size
from socialbias.sources.checksums import UNKNOWN
from socialbias.sources.registry import FORMATS, Source

AREAS: dict[str, tuple[str, ...]] = {
    "Word vectors": (*FORMATS["vectors"], "histwords"),
    "Texts": FORMATS["corpus"],
    "Language models and taggers": (*FORMATS["model"], "spacy-model"),
    "Benchmarks, templates and labelled sets": (
        "stereoset", "stereoset-predictions", "crows-pairs", "semeval-voc", "conll2003",
        "gfm-templates", "holistic-bias", "gap",
    ),
    "Word lists, names and human judgements": (
        "json-word-lists", "gathered-seeds", "weat-json", "gfm-terms", "gfm-names",
        "restricted-pickle", "word-similarity", "word-analogies",
    ),
    "Professions": ("garg-census", "winogender"),
}  # fmt: skip
OTHER = "Other"

INTRO = """\
# Sources

All external data that the pipeline can use: {sources} sources, {files} files. This page is
generated from `resources/sources.yaml` by `make generate`; that file also has notes, formats and
expected numbers, and its [schema](../workflow/schemas/source.schema.json) explains each key.

- **Status**: *tried*, we have fetched it; *untried*, described but not fetched yet; *fragile*, may
  disappear; *gated*, needs an account or a signed licence; *dead*, no longer available. {statuses}.
- **Checked by**: what a download is verified against. *lock* means that upstream publishes no
  checksum: the first download is recorded, and every later one must match it.
- **Stands in for**: what the paper used and this source replaces. A *subset* is a part of it, a
  *substitute* is different data.
- A mirror holds a file at `<folder>/<file>`. The folder is the source's name, or another one that
  the table names beside it.
"""
HEADINGS = ("Source", "What, and what to cite", "Where", "Size", "Checked by", "Licence", "Status")
HEADINGS += ("Stands in for",)
BY_HAND = """\
## By hand

These cannot be downloaded automatically. Put the files into a folder named after the source, inside
the folder that `manual` in the configuration names or inside a mirror; they are checked like every
download.
"""


def sources_markdown(sources: Mapping[str, Source]) -> str:
    """Return the whole page; the order of the sources does not matter."""
    ordered = [sources[name] for name in sorted(sources)]
    counts = Counter(source.status for source in ordered)
    statuses = "Here: " + ", ".join(f"{counts[status]} {status}" for status in sorted(counts))
    files = sum(len(source.files) for source in ordered)
    parts = [INTRO.format(sources=len(ordered), files=files, statuses=statuses)]
    by_area: dict[str, list[Source]] = {area: [] for area in (*AREAS, OTHER)}
    for source in ordered:
        of = (area for area, formats in AREAS.items() if source.format in formats)
        by_area[next(of, OTHER)].append(source)
    for area, members in by_area.items():
        if members:
            lines = [HEADINGS, ("---",) * len(HEADINGS), *map(_row, members)]
            table = "\n".join(f"| {' | '.join(line)} |" for line in lines)
            parts.append(f"## {area}\n\n{table}\n")
    parts.append(BY_HAND)
    for source in ordered:
        steps = enumerate(filter(str.strip, source.steps.splitlines()), 1)
        if lines := [f"{number}. {_plain(step)}" for number, step in steps]:
            parts.append("\n".join([f"### Getting {source.id}\n", *lines, ""]))
    return "\n".join(parts)


def _row(source: Source) -> tuple[str, ...]:
    sizes = [file.bytes for file in source.files]
    checks = {"lock" if file.sha256 == UNKNOWN else "sha256": None for file in source.files}
    replaced = f"{source.stands_in_for} ({source.fidelity})" if source.stands_in_for else ""
    return (
        source.id + (f" (mirror: `{source.folder}`)" if source.folder else ""),
        f"{_plain(source.title)}. {_plain(source.citation)}",
        ", ".join(dict.fromkeys(_place(x) for file in source.files for x in file.locators)),
        readable_size(sum(filter(None, sizes)), sizes.count(None)),
        ", ".join(checks),
        _plain(source.licence),
        source.status,
        replaced,
    )


def _place(locator: str) -> str:
    """Return the name of a locator's place."""
    kind, _, path = locator.partition("://")
    parts = path.split("/")
    if kind in ("http", "https"):
        return parts[0]
    if kind in ("pypi", "npm"):
        return f"{kind} `{'/'.join(parts[:2]) if path.startswith('@') else parts[0]}`"
    return {"hf": "Hugging Face", "manual": "[by hand](#by-hand)"}[kind]


def _plain(text: str) -> str:
    """Return text escaped for Markdown, including tables."""
    text = re.sub(r"&(?=#?\w+;)", "&amp;", " ".join(text.split())).replace("<", "&lt;")
    return re.sub(r"([\\|*`])", r"\\\1", text)
