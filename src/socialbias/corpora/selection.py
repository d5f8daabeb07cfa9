"""Which documents of a source make up a corpus: by metadata, by length, and by seeded samples.

A sample is drawn by number: the documents are gone through twice, once to count them and once to
take them, so that no text is kept. They come in the order of the file.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping

import numpy as np

from socialbias.corpora.documents import Document
from socialbias.errors import UserError

Again = Callable[[], Iterable[Document]]


def matching(
    documents: Iterable[Document],
    *,
    where: Mapping[str, str] | None = None,
    shortest: int = 0,
    breaks: str = "",
) -> Iterator[Document]:
    """The documents that belong to a corpus.

    Args:
        documents: All.
        where: Values that the metadata must have.
        shortest: Characters that a text must have at least, blanks at its ends not counted.
        breaks: What stands for a line's end in the texts, such as `<br />`.

    Yields:
        Documents.

    Raises:
        UserError: a document's metadata has no such key.
    """
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


def sampled(again: Again, n: int, rng: np.random.Generator) -> Iterator[Document]:
    """A random n of the documents, or all where there are no more.

    Args:
        again: Gives the documents anew each time it is called.
        n: How many to take.
        rng: Decides which.

    Yields:
        Documents, in their order.
    """
    size = sum(1 for _ in again())
    chosen = _chosen(size, min(n, size), rng)
    return (document for i, document in enumerate(again()) if chosen[i])


def sampled_by(again: Again, key: str, n: int, rng: np.random.Generator) -> Iterator[Document]:
    """A random n documents of each group that has so many; smaller groups are left out.

    So Bad Seeds samples Goodreads (appendix): 500 reviews a book, books with fewer removed. We
    count the reviews that are long enough, so that every book that is kept has 500.

    Args:
        again: Gives the documents anew each time it is called.
        key: The key of the metadata that names a document's group, such as `book_id`.
        n: How many to take of each.
        rng: Decides which. It is asked group by group in alphabetical order.

    Yields:
        Documents, in their order.

    Raises:
        UserError: a document has no such key, or no group has so many documents.
    """
    sizes = Counter(_group(document, key) for document in again())
    chosen = {name: _chosen(sizes[name], n, rng) for name in sorted(sizes) if sizes[name] >= n}
    if not chosen:
        raise UserError(f"no {key} has {n} documents; the largest has {max(sizes.values())}")
    return _taken(again(), key, chosen)


def _taken(
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
    """Which of so many are taken, as truth values."""
    chosen = np.zeros(size, bool)
    chosen[rng.choice(size, n, replace=False)] = True
    return chosen
