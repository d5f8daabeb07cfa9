"""What every corpus reader yields, and what it counts."""

from __future__ import annotations

import re
from array import array
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import wraps

import numpy as np

# Documents that are read all the same, by the field of the report that counts them.
DOUBTFUL = {
    "repeated": "documents repeat an earlier one word for word",
    "tagged": "documents have HTML tags, which are read as words",
    "split": "documents have invisible characters or loose accents in words, which hide the words",
}
# A letter and a soft hyphen, a character without width or an accent that is not composed with it.
SPLIT = re.compile("\\w[\u00ad\u200b\u2060\ufeff\u0300-\u0304\u0306-\u030c\u0327]")
TAG = re.compile(r"</?(?:html|body|head|title|div|span|p|a|br|table|td|li|h[1-6])\b[^<>]*>", re.I)


@dataclass(frozen=True)
class Document:
    """One text of a corpus."""

    id: str  # unique within its file if the file has ids; otherwise its number, from 1
    text: str  # the text; paragraphs are separated by a single newline
    # Other fields of the record; each reader documents its keys.
    metadata: dict = field(default_factory=dict)


@dataclass
class ReadReport:
    """Counts of what happened while a corpus was read; nothing is dropped without being counted."""

    documents: int = 0  # documents yielded
    empty: int = 0  # documents without a visible character, which are not yielded
    # Invalid UTF-8 sequences, and lone surrogates in JSON; those in ids and metadata are counted
    # when shards are written. Each was replaced by one U+FFFD.
    bad_bytes: int = 0
    truncated: int = 0  # documents lost because the file breaks off
    repeated: int = 0  # documents with exactly the text of an earlier one
    tagged: int = 0  # documents with HTML tags, whose names count as words
    split: int = 0  # documents with characters in words that a list of words does not have
    longest: int = 0  # characters of the longest document
    characters: int = 0  # characters of all documents
    # Counts of other events, by description, including pages and rows that a reader skips on
    # purpose.
    notes: Counter[str] = field(default_factory=Counter)

    def as_dict(self) -> dict:
        """Return the counts as plain JSON values; `ReadReport(**counts)` restores the report."""
        return vars(self) | {"notes": dict(sorted(self.notes.items()))}

    def line(self) -> str:
        """Return one line for a log, without counts of zero."""
        parts = [f"{self.documents} documents, {self.characters} characters"]
        parts += [
            f"{n} {what}" for n, what in ((self.empty, "empty"), (self.bad_bytes, "bad bytes"))
        ]
        parts += [f"{getattr(self, key)} {what}" for key, what in DOUBTFUL.items()]
        parts += [f"{self.truncated} truncated", *(f"{n} {what}" for what, n in self.notes.items())]
        return "; ".join(parts[:1] + [part for part in parts[1:] if not part.startswith("0 ")])


def counted(documents: Iterable[Document], report: ReadReport) -> Iterator[Document]:
    """Yield the documents that contain text, and count all of them."""
    texts = array("q")  # eight bytes a document: a collision in a billion is no matter
    for document in documents:
        if not document.text or document.text.isspace():
            report.empty += 1
            continue
        report.documents += 1
        report.characters += len(document.text)
        report.longest = max(report.longest, len(document.text))
        report.tagged += "<" in document.text and TAG.search(document.text) is not None
        report.split += not document.text.isascii() and SPLIT.search(document.text) is not None
        texts.append(hash(document.text))
        yield document
    report.repeated += len(texts) - len(np.unique(texts))


def reader(find: Callable[..., Iterable[Document]]) -> Callable[..., Iterator[Document]]:
    """Return a reader of a format, which yields the documents with text, and counts all of them."""

    @wraps(find)
    def read(path, report: ReadReport | None = None, **options) -> Iterator[Document]:
        report = report or ReadReport()
        return counted(find(path, report, **options), report)

    return read
