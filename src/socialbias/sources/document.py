"""The page that lists all sources, `docs/sources.md`, generated from the registry."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping

from socialbias.sources.registry import FORMATS, Source, SourceFile

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
CHECKED = {"unknown": "lock"}  # what a file is checked by, where it is no published sha256
UNITS = ("bytes", "kB", "MB", "GB")

INTRO = """\
# Sources

All external data that the pipeline can use: {sources} sources, {files} files. This page is
generated from `resources/sources.yaml` by `make generate`; the
[schema](../workflow/schemas/source.schema.json) explains each key.

- **Status**: *tried*, we have fetched it; *untried*, described but not fetched yet; *fragile*, may
  disappear; *gated*, needs an account or a signed licence; *dead*, no longer available. {statuses}.
- **Checked by**: what a download is verified against. *lock* means that upstream publishes no
  checksum: the first download is recorded, and every later one must match it.
- **Stands in for**: what the paper used and this source replaces. A *subset* is a part of it, a
  *substitute* is different data. **Substitutes** shows the same relation from the other side.
- Where all places fail, a file with a checksum that lies on GitHub is asked of jsDelivr and of
  Software Heritage, one on the hub of hf-mirror.com: the same bytes, or they are refused.
- A mirror holds a file at `<folder>/<file>`; the folder is the source's name unless
  [the details](#details) say otherwise.
"""
HEADINGS = (
    "Source", "Title", "Where", "Size", "Checked by", "Licence", "Status", "Stands in for",
    "Substitutes",
)  # fmt: skip
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
    statuses = ", ".join(f"{count} {status}" for status, count in sorted(counts.items()))
    files = sum(len(source.files) for source in ordered)
    parts = [INTRO.format(sources=len(ordered), files=files, statuses=f"Here: {statuses}")]
    for area in (*AREAS, OTHER):
        if members := [source for source in ordered if area_of(source) == area]:
            rows = [_row(source, ordered) for source in members]
            lines = [HEADINGS, ("---",) * len(HEADINGS), *rows]
            table = "\n".join(f"| {' | '.join(line)} |" for line in lines)
            parts.append(f"## {area}\n\n{table}\n")
    parts += ["## Details\n", *map(_details, ordered)]
    parts += [BY_HAND, *(_steps(source) for source in ordered if source.steps)]
    return "\n".join(parts)


def human_bytes(size: int) -> str:
    """Return a size in decimal units with three significant digits."""
    amount, unit = float(size), 0
    while amount >= 999.5 and unit + 1 < len(UNITS):
        amount, unit = amount / 1000, unit + 1
    digits = 0 if unit == 0 or amount >= 99.95 else 1 if amount >= 9.995 else 2
    return f"{amount:.{digits}f} {UNITS[unit]}"


def area_of(source: Source) -> str:
    """Return the heading under which a source is listed."""
    return next((area for area, formats in AREAS.items() if source.format in formats), OTHER)


def _row(source: Source, sources: list[Source]) -> tuple[str, ...]:
    replaced = f"{_link(source.stands_in_for)} ({source.fidelity})" if source.stands_in_for else ""
    replacing = [
        f"{_link(other.id)} ({other.fidelity})"
        for other in sources
        if other.stands_in_for == source.id
    ]
    places = dict.fromkeys(_place(x) for file in source.files for x in file.locators)
    known = [file.bytes for file in source.files if file.bytes]
    count = f"{len(source.files)} files, " if len(source.files) > 1 else ""
    least = "" if len(known) == len(source.files) else "at least "
    size = f"{least}{human_bytes(sum(known))}" if known else "unknown"
    return (
        _link(source.id),
        _plain(source.title),
        ", ".join(places),
        f"{count}{size}",
        ", ".join(dict.fromkeys(CHECKED.get(file.sha256, "sha256") for file in source.files)),
        _plain(source.licence),
        source.status,
        replaced,
        ", ".join(replacing),
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


def _details(source: Source) -> str:
    lines = [f"- Cite: {_plain(source.citation)}"]
    if source.notes:
        lines.append(f"- Note: {_plain(source.notes)}")
    for expected in dict.fromkeys(_expected(file) for file in source.files if file.expect):
        lines.append(f"- Expected: {expected}")
    if source.folder:
        lines.append(f"- In a mirror: folder `{source.folder}`")
    if source.format:
        lines.append(f"- Format: `{source.format}`")
    names = [f"`{file.name}`" for file in source.files]
    shown = names if len(names) <= 12 else [*names[:3], f"{len(names) - 4} more", names[-1]]
    lines.append(f"- Files: {', '.join(shown)}")
    return f"### {source.id}\n\n" + "\n".join(lines) + "\n"


def _expected(file: SourceFile) -> str:
    """Return how much a file has."""
    return ", ".join(
        f"at least {number['at_least']:,} {what}"
        if isinstance(number, dict)
        else f"{number:,} {what}"
        for what, number in file.expect.items()
    )


def _steps(source: Source) -> str:
    steps = [line for line in source.steps.splitlines() if line.strip()]
    lines = [f"{number}. {_plain(step)}" for number, step in enumerate(steps, start=1)]
    return f"### Getting {source.id}\n\n" + "\n".join(lines) + "\n"


def _link(name: str) -> str:
    return f"[{name}](#{_anchor(name)})"


def _anchor(heading: str) -> str:
    """Return the anchor that Markdown renderers generate for a heading."""
    return re.sub(r"[^a-z0-9_ -]", "", heading.lower()).replace(" ", "-")


def _plain(text: str) -> str:
    """Return text escaped for Markdown, including tables."""
    text = re.sub(r"&(?=#?\w+;)", "&amp;", " ".join(text.split())).replace("<", "&lt;")
    return re.sub(r"([\\|*`])", r"\\\1", text)
