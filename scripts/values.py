"""Values of an artefact, their comparison with the paper, and its tables."""

from pathlib import Path

from socialbias.embeddings.intrinsic import weakness
from socialbias.embeddings.samples import drawn, m_out_of_n
from socialbias.pipeline.job import function_of, job_of
from socialbias.reporting.artefact import Artefact
from socialbias.reporting.finish import finish, gated, lowered, with_notes
from socialbias.scripting import logged

with logged(snakemake) as say:
    settings, inputs = snakemake.params.settings, dict(snakemake.input.items())
    published = Path(settings["published"])
    summarise = function_of(settings["function"])
    job = job_of(inputs, settings, say)
    cells = settings["cells"]
    checks = sorted({name for cell in cells for name in cell["checks"]})
    records = gated(summarise(job), cells, {name: weakness(job.files[name]) for name in checks})
    notes = {name: m_out_of_n(job.files[drawn(name)]) for name in checks}
    finish(
        lowered(with_notes(records, cells, notes), cells),
        Artefact(**settings["artefact"]),
        cells,
        published,
        settings["seed"],
        Path(snakemake.output.values),
        settings["run"],
    )
