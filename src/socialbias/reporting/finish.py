"""The last step of every values rule: complete, check, write."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from socialbias.reporting.catalogue import manifest_cells
from socialbias.reporting.values import complete, values_table, write_values


def finish(
    records: list[dict], output: Path, manifest: Path, missing: Mapping[str, str], seed: int
) -> None:
    """Write an artefact's values, with a `no input` row for every cell that was not computed.

    Args:
        records: What was computed.
        output: `.../<paper>/<artefact>.values.csv`.
        manifest: `resources/manifest.csv`, which says what cells there must be.
        missing: By column (or, failing that, by row), what is missing and how to get it.
        seed: The configuration's seed.
    """
    paper, artefact = output.parent.name, output.name.removesuffix(".values.csv")
    records = complete(records, manifest_cells(manifest, paper, artefact), dict(missing))
    write_values(values_table(artefact, records, seed), output)
