"""Evidence that a paper declares, by the function that it names."""

from pathlib import Path

from socialbias.pipeline.job import function_of, job_of
from socialbias.scripting import logged
from socialbias.sources.atomic_write import aside

with logged(snakemake.log[0]) as say:
    settings = snakemake.params.settings
    measure = function_of(settings["function"])
    output = Path(snakemake.output.evidence)
    table = measure(job_of(dict(snakemake.input.items()), settings, say, output))
    with aside(output) as path:
        table.to_parquet(path)
