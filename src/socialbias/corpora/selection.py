"""The documents of a corpus: read, then selected by metadata and length, or sampled.

Samples are drawn by number, in two passes: one to count the documents and one to take them, so that
no text is kept in memory. They are yielded in the order of the file.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from pathlib import Path

import numpy as np

from socialbias.corpora.documents import Document, ReadReport
from socialbias.corpora.readers import read_documents
from socialbias.corpora.recipes import is_sampled
from socialbias.errors import UserError
from socialbias.stats.seeding import generator

Reader = Callable[[], Iterable[Document]]
FEW_DOCUMENTS = 20  # below which an interval over documents says little


def matching(
    documents: Iterable[Document],
    *,
    where: Mapping[str, str] | None = None,
    shortest: int = 0,
    breaks: str = "",
) -> Iterator[Document]:
    """Yield the documents that belong to a corpus."""
    where = where or {}
    for document in documents:
        if not where.keys() <= document.metadata.keys():
            missing = sorted(where.keys() - document.metadata.keys())[0]
            known = ", ".join(document.metadata) or "none"
            raise UserError(f"document {document.id}: no {missing!r} in its metadata ({known})")
        if any(str(document.metadata[key]) != value for key, value in where.items()):
            continue
        if len(document.text.strip()) < shortest:
            continue
        if breaks and breaks in document.text:
            document = Document(document.id, document.text.replace(breaks, "\n"), document.metadata)
        yield document


def sampled_by(read: Reader, key: str, n: int, rng: np.random.Generator) -> Iterator[Document]:
    """Return a random sample of n documents of each group with at least n.

    Smaller groups are left out. Bad Seeds samples Goodreads in this way (appendix): 500 reviews per
    book, without books that have fewer. Here only reviews that are long enough count, so that every
    book has 500 of them.
    """
    sizes = Counter(_group(document, key) for document in read())
    large = [name for name in sorted(sizes) if sizes[name] >= n]
    if not large:
        raise UserError(f"no {key} has {n} documents; the largest has {max(sizes.values())}")
    chosen = {}  # whether each of its documents is, in order
    for name in large:
        mask = np.zeros(sizes[name], bool)
        mask[rng.choice(sizes[name], n, replace=False)] = True
        chosen[name] = iter(mask)
    named = ((document, _group(document, key)) for document in read())
    return (document for document, name in named if name in chosen and next(chosen[name]))


def _group(document: Document, key: str) -> str:
    if key not in document.metadata:
        raise UserError(f"document {document.id}: no {key!r} in its metadata")
    return str(document.metadata[key])


def corpus_documents(
    folder: Path, manifest: dict, settings: dict, report: ReadReport
) -> Iterable[Document]:
    """Return the documents of a corpus."""

    def read(report: ReadReport | None = None) -> Iterable[Document]:
        file, options = settings.get("file"), settings.get("options", {})
        choice = {key: settings[key] for key in ("where", "shortest", "breaks") if key in settings}
        documents = read_documents(folder, manifest, report or ReadReport(), file=file, **options)
        return matching(documents, **choice)

    if not is_sampled(settings):
        return read(report)
    rng = generator(settings["seed"], "documents", settings["corpus"])
    passes = iter([partial(read, report)])  # documents are counted in the first pass alone

    def reread() -> Iterable[Document]:
        return next(passes, read)()

    return sampled_by(reread, settings["group"], settings["per_group"], rng)


def check_documents(name: str, documents: int, log: Callable[[str], None]) -> None:
    """Refuse a corpus of one document, and say where there are few.

    Intervals and bootstrap samples draw documents: of one, each draw is the same text.
    """
    advice = "split it into more: for a text, `options: {unit: paragraph}` or `{unit: line}`"
    if documents == 1:
        raise UserError(f"{name}: only one document, but intervals resample documents: {advice}")
    if documents < FEW_DOCUMENTS:
        log(f"{name}: only {documents} documents, and intervals resample them: {advice}")
