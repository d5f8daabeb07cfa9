"""Corpora of a few words, prepared as a run prepares them, and what a source's folder says."""

import json
from collections.abc import Iterable
from pathlib import Path

from socialbias.corpora.documents import Document
from socialbias.corpora.prepare import prepare
from socialbias.corpora.prepared import Corpus


def prepared(folder: Path, texts: Iterable[str], **options) -> Path:
    """Prepare a corpus of these texts, whose words stand between spaces; the path of its report."""
    documents = (Document(str(number), text) for number, text in enumerate(texts))
    prepare(documents, folder, **{"tokenizer": "whitespace"} | options)
    return folder / "report.json"


def corpus(folder: Path, texts: Iterable[str], **options) -> Corpus:
    return Corpus.load(prepared(folder, texts, **options).parent)


def manifest(folder: Path, source: str, *files: str, **about) -> Path:
    """Write what a fetched source says of itself, and return its path."""
    listed = {"source": source, "files": [{"path": name} for name in files]}
    (folder / "manifest.json").write_text(json.dumps(listed | about))
    return folder / "manifest.json"
