"""A corpus from a fetched source: read, chosen, sampled."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from pathlib import Path

from socialbias.corpora.documents import Document, ReadReport
from socialbias.corpora.readers import read_documents
from socialbias.corpora.recipes import is_sampled
from socialbias.corpora.selection import matching, sampled, sampled_by
from socialbias.seeding import generator


def corpus_documents(
    folder: Path, manifest: dict, settings: dict, report: ReadReport
) -> Iterable[Document]:
    """The documents of a corpus.

    Args:
        folder: The folder in which the source's files lie.
        manifest: The source's manifest.
        settings: What `recipe` gives, and `corpus`; for a random sample (`per_group`, or a number
            of `documents`) also `seed`.
        report: Where the reader counts; everything that it has read, also what is left out here.

    Returns:
        Documents, taken one by one.

    Raises:
        UserError: the source cannot be read so.
    """

    def again(report: ReadReport | None = None) -> Iterable[Document]:
        file, options = settings.get("file"), settings.get("options", {})
        choice = {key: settings[key] for key in ("where", "shortest", "breaks") if key in settings}
        read = read_documents(folder, manifest, report or ReadReport(), file=file, **options)
        return matching(read, **choice)

    if not is_sampled(settings):
        return again(report)
    rng = generator(settings["seed"], "documents", settings["corpus"])
    if settings.get("per_group"):
        twice = _counted_once(again, report)
        return sampled_by(twice, settings["group"], settings["per_group"], rng)
    return sampled(_counted_once(again, report), settings["documents"], rng)


def _counted_once(again, report: ReadReport):
    """Reading again without counting again."""
    readings = iter([partial(again, report)])
    return lambda: next(readings, again)()
