"""Jobs whose inputs are tables in memory or files, and the values that they make."""

from collections.abc import Mapping
from pathlib import Path

import pandas as pd

from socialbias.pipeline.job import Job

SETTINGS = {"seed": 1, "intervals.level": 0.95, "intervals.replicates": 50}


class InMemory(Job):
    """A job of which some inputs are tables and word lists in memory."""

    def table(self, name: str) -> pd.DataFrame:
        given = self.path(name)
        return given if isinstance(given, pd.DataFrame) else super().table(name)

    def word_lists(self, name: str) -> dict:
        given = self.path(f"word_lists/{name}")
        return given if isinstance(given, Mapping) else super().word_lists(name)


def job_with(inputs: Mapping | None = None, **settings) -> Job:
    """Return a job with these inputs by name: tables, word lists, files, or lists of files."""
    files = {
        name: item if isinstance(item, list) else [item] for name, item in (inputs or {}).items()
    }
    return InMemory(files, SETTINGS | settings, print)


def summarised(artefact, inputs: pd.DataFrame | Mapping, **settings) -> list[dict]:
    """Return the records that an artefact makes of its evidence, or of several inputs.

    It is given as its module, or as its function, such as `table3` or `summarise_factors`.
    """
    summarise, name = getattr(artefact, "summarise", artefact), artefact.__name__
    if summarise is artefact:
        name = f"{artefact.__module__.rpartition('.')[0]}.{name.removeprefix('summarise_')}"
    if not isinstance(inputs, Mapping):
        inputs = {"/".join(["evidence", *name.split(".")[-2:]]): inputs}
    return list(summarise(job_with(inputs, **settings)))


def parquet(folder: Path, **tables: pd.DataFrame) -> list[Path]:
    """Write tables, for what reads files, and return their paths."""
    paths = [folder / f"{name}.parquet" for name in tables]
    for path, table in zip(paths, tables.values(), strict=True):
        table.to_parquet(path)
    return paths
