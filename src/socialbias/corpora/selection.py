"""Selecting the documents of a corpus: by metadata, by length, and by seeded samples.

Samples are drawn by number, in two passes: one to count the documents and one to take them, so that
no text is kept in memory. They are yielded in the order of the file.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping

import numpy as np

from socialbias.corpora.documents import Document
from socialbias.errors import UserError

Reader = Callable[[], Iterable[Document]]


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


def sampled(read: Reader, n: int, rng: np.random.Generator) -> Iterator[Document]:
    """Return a random sample of n documents, or all if there are fewer."""
    size = sum(1 for _ in read())
    chosen = _chosen(size, min(n, size), rng)
    return (document for i, document in enumerate(read()) if chosen[i])


def sampled_by(read: Reader, key: str, n: int, rng: np.random.Generator) -> Iterator[Document]:
    """Return a random sample of n documents of each group with at least n.

    Smaller groups are left out. Bad Seeds samples Goodreads in this way (appendix): 500 reviews per
    book, without books that have fewer. Here only reviews that are long enough count, so that every
    book has 500 of them.
    """
    sizes = Counter(_group(document, key) for document in read())
    chosen = {name: _chosen(sizes[name], n, rng) for name in sorted(sizes) if sizes[name] >= n}
    if not chosen:
        raise UserError(f"no {key} has {n} documents; the largest has {max(sizes.values())}")
    return _selected(read(), key, chosen)


def _selected(
    documents: Iterable[Document], key: str, chosen: Mapping[str, np.ndarray]
) -> Iterator[Document]:
    seen: Counter[str] = Counter()
    for document in documents:
        name = _group(document, key)
        if name in chosen:
            if chosen[name][seen[name]]:
                yield document
            seen[name] += 1


def _group(document: Document, key: str) -> str:
    if key not in document.metadata:
        raise UserError(f"document {document.id}: no {key!r} in its metadata")
    return str(document.metadata[key])


def _chosen(size: int, n: int, rng: np.random.Generator) -> np.ndarray:
    """Return which of `size` documents are chosen, as a boolean mask."""
    chosen = np.zeros(size, bool)
    chosen[rng.choice(size, n, replace=False)] = True
    return chosen
