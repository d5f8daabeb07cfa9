"""The values of an artefact from its inputs, as the rule `values` makes them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from socialbias.embeddings.intrinsic import weakness
from socialbias.embeddings.samples import drawn, m_out_of_n
from socialbias.files.atomic_write import write_parquet
from socialbias.pipeline.job import function_of, job_of
from socialbias.reporting.artefact import Artefact
from socialbias.reporting.write_artefact import finish, with_checks


def make_values(
    inputs: Mapping[str, Any],
    settings: Mapping[str, Any],
    output: Path,
    say: Callable[[str], None],
) -> None:
    """Write an artefact's values and all that lies beside them (`finish`)."""
    summarise, job = function_of(settings["function"]), job_of(inputs, settings, say)
    cells = settings["cells"]
    checks = sorted({name for cell in cells for name in cell["checks"]})
    weaknesses = {name: weakness(job.files[name]) for name in checks}
    notes = {name: m_out_of_n(job.files[drawn(name)]) for name in checks}
    finish(
        with_checks(summarise(job), cells, weaknesses, notes),
        Artefact(**settings["artefact"]),
        cells,
        Path(settings["published"]),
        settings["seed"],
        output,
        settings["run"],
    )


def make_evidence(
    inputs: Mapping[str, Any],
    settings: Mapping[str, Any],
    output: Path,
    say: Callable[[str], None],
) -> None:
    """Write the evidence of a step; arguments as above, settings of `Plan.settings_of`."""
    output.parent.mkdir(parents=True, exist_ok=True)
    write_parquet(output, function_of(settings["function"])(job_of(inputs, settings, say)))


def silent(line: str) -> None:
    """Drop a line of a job's log."""
