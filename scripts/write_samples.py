"""Let a causal model write."""

import json
from pathlib import Path

from socialbias.files.atomic_write import write_text
from socialbias.models.generation import Options, generate
from socialbias.models.loading import load_model, model_folder, ran_on
from socialbias.pipeline.scripting import logged

with logged(snakemake) as say:
    settings, folder = snakemake.params.settings, model_folder(Path(snakemake.input.model))
    model = load_model(folder, "causal", device=settings["device"], dtype=settings["dtype"])
    generate(
        model,
        Path(snakemake.output.samples),
        settings["samples"],
        Options(tokens=settings["tokens"], batch=settings["batch"]),
        settings["seed"],
        say,
    )
    info = {"ran_on": [ran_on(model)]}
    write_text(Path(snakemake.output.info), json.dumps(info) + "\n")
