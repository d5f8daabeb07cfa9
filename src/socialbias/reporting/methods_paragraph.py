"""Words for a paper: a paragraph for the methods section, and BibTeX of what it cites."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path

from socialbias.embeddings.words.lists import GIVEN
from socialbias.files.escaping import for_bibtex, for_markdown
from socialbias.files.paths import resources

CITED = re.compile(r"\b([A-Z][^\W\d_]*[a-zé][^\W\d_]*)\b[^\d.;()]*? (\d{4})\b")
MAX_WORDS_LISTED = 15  # words that a paragraph lists; of more it gives their number
SAID_OF_SUBJECT = {  # what is said of a subject, in this order
    "dimensions": "{:,} dimensions",
    "words in lower case": "{:,} words found in lower case",
    "layer": "layer {}",
    "layer chosen": "{}",
    "documents": "{:,} documents",
    "tokens": "{:,} tokens",
    "periods": "{}",
    "strata": "{}",
    "sentences of a context": "sentences per context: {}",
}
CONTEXTS = (
    "A context is a window of consecutive sentences of 5 to 40 tokens with the target and with "
    "words of one group only"
)
SUBJECTS = ("vectors", "corpus", "model", "predictions")


def details(entry: Mapping) -> list[str]:
    """Return what was read of a subject."""
    said = [text.format(entry[key]) for key, text in SAID_OF_SUBJECT.items() if key in entry]
    return said + ([f"commit {entry['commit'][:12]}"] if "commit" in entry else [])


def paragraph(results: Sequence, provenance: Sequence[Mapping], more: Sequence[str] = ()) -> str:
    """Return a paragraph on how results of the same targets were measured; "" without provenance.

    `more` are sentences on what was done with them.
    """
    if not provenance:
        return ""
    by_role: dict[str, list[Mapping]] = {}
    for entry in provenance:
        by_role.setdefault(entry["role"], []).append(entry)
    [software] = by_role["software"]
    first = results[0]
    read = [
        f"{entry['name']} ({', '.join(details(entry))})" if details(entry) else entry["name"]
        for role in SUBJECTS
        for entry in by_role.get(role, [])
    ]
    measures = dict.fromkeys(f"{r.measure} ({r.citation}): {r.unit}" for r in results)
    sentences = [
        f"We measured {listed(read)}",
        *(
            f"The {role} were {listed([_words(entry) for entry in by_role[role]])}"
            for role in ("targets", "groups")
            if role in by_role
        ),
        f"The measure was {'; and '.join(measures)}",
        CONTEXTS if "corpus" in by_role else "",
        *(f"Scoring of {line}" for line in scored(provenance)),
        *_left_out(results),
        f"Intervals have a nominal coverage of {100 * first.level:g} % and resample "
        f"{', or '.join(dict.fromkeys(result.resampled for result in results))}",
        *_baseline(results),
        *more,
        f"We used socialbias {software['version']} with random seed {software['seed']}",
    ]
    return " ".join(f"{sentence.rstrip('.')}." for sentence in sentences if sentence)


def scored(provenance: Sequence[Mapping]) -> list[str]:
    """Return by which convention sentences were scored, each with the models that it is of."""
    models: dict[str, list[str]] = {}
    for entry in provenance:
        if "scoring" in entry:
            (_, scoring), *more = entry["scoring"].items()
            convention = "; ".join([scoring, *(": ".join(part) for part in more)])
            models.setdefault(convention, []).append(entry["name"])
    return [f"{listed([*dict.fromkeys(names)])}: {how}" for how, names in models.items()]


def listed(parts: Sequence[str]) -> str:
    """Return parts with commas, and `and` before the last."""
    *most, last = parts or ["none"]
    return f"{', '.join(most)} and {last}" if most else last


def _words(entry: Mapping) -> str:
    """Return a list's name and source, or the user's words."""
    sets = entry["words"]
    if entry["source"] != GIVEN:
        counts = ", ".join(f"{len(words)} {name}".rstrip() for name, words in sets.items())
        return f"the list {entry['name']} ({counts} words; {entry['source']})"
    texts = []
    for name, words in sets.items():
        text = ", ".join(words) if len(words) <= MAX_WORDS_LISTED else f"{len(words)} words"
        texts.append(f"{name}: {text}" if name else text)
    given = "our own" if entry["name"] == "given" else Path(entry["name"]).stem
    return f"{given} ({'; '.join(texts)})"


def _left_out(results: Sequence) -> list[str]:
    """Return sentences on words that were missing, and targets that were too rare."""
    missing = {word for result in results for words in result.missing.values() for word in words}
    rare = {row.target for result in results for row in result.rows if row.note}
    where = " in at least one subject" if len(results) > 1 else ""
    parts = {f"Words without data{where}": missing}
    parts["Reported but not judged where data were too few"] = rare
    return [
        f"{what}: "
        + (f"{len(words)} words" if len(words) > MAX_WORDS_LISTED else listed(sorted(words)))
        for what, words in parts.items()
        if words
    ]


def _baseline(results: Sequence) -> list[str]:
    """Return a sentence on the words that targets were compared with."""
    sizes = sorted({len(result.random_words) for result in results if result.random_words})
    if not sizes:
        return []
    many = f"{sizes[0]:,}" if len(sizes) == 1 else f"{sizes[0]:,} to {sizes[-1]:,}"
    sets = dict.fromkeys(each.among for result in results for each in result.answers[:1])
    tested = f", and together with {next(iter(sets))} of these" if sets else ""
    return [f"Targets were compared with {many} random words{tested}"]


@cache
def references() -> dict[str, str]:
    """Return the packaged BibTeX entries by key, such as `bommasani2022`."""
    entries = (resources() / "references.bib").read_text("utf-8").strip().split("\n\n")
    return {entry.partition("{")[2].partition(",")[0]: entry for entry in entries}


def keys(text: str) -> list[str]:
    """Return the keys of the works that a text cites by author and year."""
    found = (f"{name}{year}" for name, year in CITED.findall(text))
    plain = (unicodedata.normalize("NFKD", key).encode("ascii", "ignore").decode() for key in found)
    return list(dict.fromkeys(key.lower() for key in plain if key.lower() in references()))


def with_references(text: str, provenance: Sequence[Mapping]) -> str:
    """Return a text in Markdown, and BibTeX of the software, the data, and the works it cites."""
    entries = []
    for entry in provenance:
        key = re.sub(r"\W+", "-", entry["name"]).strip("-").lower()
        if entry["role"] == "software":
            fields = {"title": "{socialbias}", "author": "{The socialbias developers}"}
            fields["note"] = f"Version {entry['version']}"
            entries.insert(0, _entry("misc", "socialbias", fields))
        elif entry["role"] in SUBJECTS:
            # Of a model's files, the weights: others are the same in models that differ.
            largest = max(entry.get("files") or [entry], key=lambda file: file.get("bytes", 0))
            note = f"SHA-256 {largest.get('sha256', '')}"
            fields = {"title": f"{{{for_bibtex(entry['name'])}}}", "note": note}
            if "repository" in entry:
                fields["note"] = f"Revision {entry['commit']}"
                fields["url"] = f"https://huggingface.co/{entry['repository']}"
            entries.append(_entry("misc", f"data-{key}", fields))
    entries += [references()[key] for key in keys(text)]
    return "\n\n".join([for_markdown(text), *entries]) + "\n"


def _entry(kind: str, key: str, fields: Mapping[str, str]) -> str:
    body = ",\n".join(f"  {name} = {{{value}}}" for name, value in fields.items())
    return f"@{kind}{{{key},\n{body}\n}}"
