"""One of several jobs that share a training: it hands its checkpoint on to the next."""

import shutil
from pathlib import Path

import socialbias.system.one_thread  # noqa: F401, before any numerical library
from socialbias.pipeline.job import function_of, job_of, parts_of
from socialbias.pipeline.scripting import logged

with logged(snakemake) as say:
    settings = snakemake.params.settings
    train = function_of(settings["function"])
    inputs, output = dict(snakemake.input.items()), Path(snakemake.output.checkpoint)
    parts = parts_of(output, inputs, (settings, snakemake.params.code))
    parts.mkdir(parents=True, exist_ok=True)
    job = job_of(inputs, settings, say, parts, snakemake.threads)
    train(job, tuple(settings["share"]), parts / output.name)
    (parts / output.name).replace(output)
    shutil.rmtree(parts.parent)
