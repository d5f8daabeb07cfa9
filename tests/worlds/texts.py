"""Corpora of a few texts, prepared as a run prepares them."""

from pathlib import Path

from socialbias.corpora.documents import Document, ReadReport
from socialbias.corpora.prepare import prepare
from socialbias.corpora.prepared import Corpus
from socialbias.corpora.shards import read_shards, write_shards


def documents_of(texts: tuple[str, ...]) -> list[Document]:
    return [Document(f"d{i}", text) for i, text in enumerate(texts)]


def prepared(folder: Path, *texts: str, **options) -> Corpus:
    prepare(documents_of(texts), folder, **options)
    return Corpus.load(folder)


def sharded(folder: Path, *texts: str, **options) -> tuple[Path, Corpus]:
    """The index of the shards of these texts, and the corpus that is prepared from them."""
    write_shards(documents_of(texts), folder / "documents", ReadReport())
    index = folder / "documents/documents.json"
    prepare(read_shards(index), folder / "prepared", **options)
    return index, Corpus.load(folder / "prepared")
