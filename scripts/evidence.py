"""Evidence that a paper declares, by the function that it names."""

import shutil
from pathlib import Path

import socialbias.system.one_thread  # noqa: F401, before any numerical library

# isort: split
import pandas as pd

from socialbias.files.atomic_write import write_parquet
from socialbias.models.loaded_models import LOADED
from socialbias.pipeline.job import function_of, job_of, joined, parts_of
from socialbias.pipeline.scripting import logged

with logged(snakemake) as say:
    settings = snakemake.params.settings
    measure = function_of(settings["function"])
    inputs, output = dict(snakemake.input.items()), Path(snakemake.output.evidence)
    parts = parts_of(output, inputs, (settings, snakemake.params.code))
    if "parts" in inputs:
        table = joined([pd.read_parquet(path) for path in snakemake.input.parts])
    else:
        table = measure(job_of(inputs, settings, say, parts, snakemake.threads))
    if LOADED:
        table.attrs["ran_on"] = LOADED  # pandas writes it into the file's metadata
    write_parquet(output, table)
    shutil.rmtree(parts.parent, ignore_errors=True)
