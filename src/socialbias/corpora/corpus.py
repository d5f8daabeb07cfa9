"""The documents of a corpus: read from a fetched source, selected, sampled."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path

from socialbias.corpora.documents import Document, ReadReport
from socialbias.corpora.readers import read_documents
from socialbias.corpora.recipes import is_sampled
from socialbias.corpora.selection import matching, sampled, sampled_by
from socialbias.errors import UserError
from socialbias.stats.seeding import generator

FEW_DOCUMENTS = 20  # below which an interval over documents says little


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

    if settings.get("per_group"):
        return sampled_by(reread, settings["group"], settings["per_group"], rng)
    return sampled(reread, settings["documents"], rng)


def check_documents(name: str, documents: int, log: Callable[[str], None]) -> None:
    """Refuse a corpus of one document, and say where there are few.

    Intervals and bootstrap samples draw documents: of one, each draw is the same text.
    """
    advice = "split it into more: for a text, `options: {unit: paragraph}` or `{unit: line}`"
    if documents == 1:
        raise UserError(f"{name}: only one document, but intervals resample documents: {advice}")
    if documents < FEW_DOCUMENTS:
        log(f"{name}: only {documents} documents, and intervals resample them: {advice}")
