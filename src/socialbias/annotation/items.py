"""The contexts that people label, and the file that stores them.

`sample.json` is written together with the files for annotators and belongs with the completed ones:
it defines the items, so that annotations outlive the run, the corpus and the code.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path

from socialbias.errors import UserError
from socialbias.files.atomic_write import write_text
from socialbias.files.json_files import parse_json

NONE = "N/A"  # the label of a context that associates the target with no group, or with several
SAMPLE = "sample.json"
GAP = "[...]"  # marks omitted sentences, which are too short or too long


@dataclass(frozen=True)
class Item:
    """A context of one target, as seen by people and by the automated measure.

    Attributes:
        item: Its name, such as `nurse-3f9a1c0b`.
        target: The target's name.
        document: Number of the document.
        text: What people read, on one line.
        spans: Positions of the target's words in `text`: first character, and one past the last.
        sentences: Lower-cased tokens, sentence by sentence.
        everyone: Whether all annotators label it, so that their agreement can be measured.
    """

    item: str
    target: str
    document: int
    text: str
    spans: list[tuple[int, int]]
    sentences: list[list[str]]
    everyone: bool


@dataclass(frozen=True)
class Sample:
    """Items in the order in which annotators see them.

    Attributes:
        groups: Names of the groups, which with `N/A` are the labels.
        items: Items by name.
        provenance: Where they come from: `source`, `seed` and the like.
    """

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
    """Join sentences into one line of text.

    Args:
        pieces: Text of each sentence, and the spans of the target's words in it.
        adjacent: For each sentence, whether it directly follows the previous one; ignored for
            the first.

    Returns:
        The text, with `[...]` where sentences are omitted, and the spans in it.
    """
    text, spans = "", []
    for (sentence, sentence_spans), follows in zip(pieces, adjacent, strict=True):
        if text:
            text += " " if follows else f" {GAP} "
        spans += [(len(text) + start, len(text) + end) for start, end in sentence_spans]
        text += "".join(" " if c.isspace() else c for c in sentence)  # keeps the spans right
    return text, spans


def item_name(target: str, document: int, text: str) -> str:
    """The name of an item, which reveals neither its label nor its place in the corpus."""
    digest = hashlib.sha256(f"{target}\x1f{document}\x1f{text}".encode()).hexdigest()
    return f"{target}-{digest[:10]}"


def write_sample(sample: Sample, path: Path) -> None:
    """Write a sample as JSON."""
    content = {
        "about": sample.provenance,
        "groups": list(sample.groups),
        "items": [asdict(item) for item in sample.items.values()],
    }
    write_text(path, json.dumps(content, ensure_ascii=False, indent=1) + "\n")


def read_sample(path: Path) -> Sample:
    """Read a sample.

    Raises:
        UserError: the file is missing or was not written by `write_sample`.
    """
    if not path.is_file():
        raise UserError(f"{path}: missing: put back the one written with the annotators' files")
    try:
        content = parse_json(path.read_text("utf-8"))
        items = [
            Item(**(entry | {"spans": [(start, end) for start, end in entry["spans"]]}))
            for entry in content["items"]
        ]
        groups, provenance = tuple(content["groups"]), content["about"]
    except (ValueError, KeyError, TypeError) as error:
        reason = f"{type(error).__name__}: {error}"
        raise UserError(f"{path}: not a sample: restore the original file ({reason})") from None
    return Sample(groups, {item.item: item for item in items}, provenance)
