"""What every reader of a corpus yields, and what it counts on the way."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Document:
    """One text of a corpus.

    Attributes:
        id: Distinct within its file wherever the file has ids; else its number, from 1.
        text: The text; paragraphs are separated by one newline.
        metadata: What else the file says about it; each reader documents its keys.
    """

    id: str
    text: str
    metadata: dict = field(default_factory=dict)


@dataclass
class ReadReport:
    """What happened while a corpus was read; nothing is dropped without being counted here.

    Attributes:
        documents: Documents that were yielded.
        empty: Documents without a visible character; they are not yielded.
        bad_bytes: Runs of bytes that are not UTF-8, and lone surrogates in JSON; those in ids and
            metadata are counted where shards are written. Each became one U+FFFD.
        truncated: Documents lost because the file stops in their middle.
        longest: Characters of the longest document.
        characters: Characters of all documents.
        notes: How often anything else happened, by what it was. Pages and rows that a reader
            leaves out on purpose are counted here.
    """

    documents: int = 0
    empty: int = 0
    bad_bytes: int = 0
    truncated: int = 0
    longest: int = 0
    characters: int = 0
    notes: Counter[str] = field(default_factory=Counter)

    def as_dict(self) -> dict:
        """The counts as plain JSON values; `ReadReport(**counts)` makes the report again."""
        return vars(self) | {"notes": dict(sorted(self.notes.items()))}

    def line(self) -> str:
        """One line for a log; what did not happen is left out."""
        parts = [f"{self.documents} documents, {self.characters} characters"]
        parts += [
            f"{n} {what}" for n, what in ((self.empty, "empty"), (self.bad_bytes, "bad bytes"))
        ]
        parts += [f"{self.truncated} truncated", *(f"{n} {what}" for what, n in self.notes.items())]
        return "; ".join(part for part in parts if not part.startswith("0 ") or "documents" in part)


def counted(documents: Iterable[Document], report: ReadReport) -> Iterator[Document]:
    """Yield the documents that hold text, and count all of them."""
    for document in documents:
        if not document.text or document.text.isspace():
            report.empty += 1
            continue
        report.documents += 1
        report.characters += len(document.text)
        report.longest = max(report.longest, len(document.text))
        yield document
