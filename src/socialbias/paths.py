"""Where this library's own files are."""

from __future__ import annotations

from pathlib import Path


def resources() -> Path:
    """The folder of facts that travel with the library, from a checkout or from a wheel.

    `word_lists` has the lists of the papers (read them with `socialbias.word_lists`), `published`
    their printed numbers, `sources.yaml` where data and models come from.
    """
    return (Path(__file__).parent / "resources").resolve()
