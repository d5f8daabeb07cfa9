"""Worlds of a few words, documents and items that tests share, and how values are read."""

from tests.worlds.corpora import corpus, manifest, prepared
from tests.worlds.jobs import job_with, parquet, summarised
from tests.worlds.numbers import cells, numbers, printed
from tests.worlds.vectors import vectors

__all__ = [
    "cells", "corpus", "job_with", "manifest", "numbers", "parquet", "prepared", "printed",
    "summarised", "vectors",
]  # fmt: skip
