"""The contexts that people label, the file that stores them, and the folder that comes back.

`sample.json` is written together with the files for annotators and belongs with the completed ones:
it defines the items, so that annotations outlive the run, the corpus and the code.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path

from socialbias.errors import UserError
from socialbias.files.atomic_write import write_text
from socialbias.files.json_files import parse_json

NONE = "N/A"  # the label of a context that associates the target with no group, or with several
SAMPLE = "sample.json"
GAP = "[...]"  # marks omitted sentences, which are too short or too long
READABLE = ".csv"
UNREADABLE = (".xlsx", ".xlsm", ".xlsb", ".xls", ".ods", ".numbers")  # they may have labels
UNREADABLE += (".tsv", ".txt", ".json", ".jsonl", ".zip")


@dataclass(frozen=True)
class Item:
    """A context of one target, as seen by people and by the automated measure."""

    item: str  # its name, such as `nurse-3f9a1c0b`
    target: str
    document: int
    text: str  # what people read, on one line
    spans: list[tuple[int, int]]  # of the target's words: first character, and one past the last
    sentences: list[list[str]]  # lower-cased tokens
    everyone: bool  # whether all annotators label it, so that their agreement can be measured


@dataclass(frozen=True)
class Sample:
    """Items by name, in the order in which annotators see them, and where they come from."""

    groups: tuple[str, ...]
    items: Mapping[str, Item]
    provenance: dict = field(default_factory=dict)

    @property
    def labels(self) -> list[str]:
        """The labels that an annotator can choose from."""
        return [*self.groups, NONE]


def compose(
    pieces: Sequence[tuple[str, Sequence[tuple[int, int]]]], adjacent: Sequence[bool]
) -> tuple[str, list[tuple[int, int]]]:
    """Sentences joined into one line, with `[...]` where some are left out, and the spans in it.

    `pieces` has the text of each sentence with the spans of the target's words; `adjacent` says
    whether it directly follows the one before, which does not count for the first.
    """
    text, spans = "", []
    for (sentence, sentence_spans), follows in zip(pieces, adjacent, strict=True):
        if text:
            text += " " if follows else f" {GAP} "
        spans += [(len(text) + start, len(text) + end) for start, end in sentence_spans]
        text += "".join(" " if c.isspace() else c for c in sentence)  # keeps the spans right
    return text, spans


def item_name(target: str, document: int, text: str) -> str:
    """Return the name of an item, which reveals neither its label nor its place in the corpus."""
    digest = hashlib.sha256(f"{target}\x1f{document}\x1f{text}".encode()).hexdigest()
    return f"{target}-{digest[:10]}"


def write_sample(sample: Sample, path: Path) -> None:
    """Write a sample as JSON."""
    items = [asdict(item) for item in sample.items.values()]
    content = {"about": sample.provenance, "groups": list(sample.groups), "items": items}
    write_text(path, json.dumps(content, ensure_ascii=False, indent=1) + "\n")


def read_sample(path: Path) -> Sample:
    """Return a sample; UserError if the file is missing or was not written by `write_sample`."""
    if not path.is_file():
        raise UserError(f"{path}: missing: put back the one written with the annotators' files")
    try:
        content = parse_json(path.read_text("utf-8"))
        items = [Item(**entry) for entry in content["items"]]
        items = [replace(item, spans=[(start, end) for start, end in item.spans]) for item in items]
        groups, provenance = tuple(content["groups"]), content["about"]
    except (ValueError, KeyError, TypeError) as error:
        raise UserError(
            f"{path}: not a sample: restore the original file ({type(error).__name__}: {error})"
        ) from None
    return Sample(groups, {item.item: item for item in items}, provenance)


def completed_files(folder: Path) -> list[Path]:
    """Return all files in a folder and its subfolders that may contain labels, sorted."""
    paths = (p for p in folder.rglob("*") if p.suffix.lower() in (READABLE, *UNREADABLE))
    return sorted(path for path in paths if path.name != SAMPLE and path.is_file())


def check_folder(folder: Path, results: Path) -> None:
    """Raise UserError for a folder without a sample, or in `results`, where runs write."""
    key, problem = "config: trustworthy.annotations.folder", ""
    if folder.resolve().is_relative_to(results.resolve()):
        problem = f"is in {results}, where a run would overwrite it: copy it, and name the copy"
    elif not (folder / SAMPLE).is_file():
        problem = f"has no {SAMPLE}: put the one that was drawn beside the completed files"
    if problem:
        raise UserError(f"{key}: {folder} {problem}")
