"""Let a causal model write."""

from pathlib import Path

from socialbias.contextual.generation import Options, generate
from socialbias.contextual.models import load_model, model_folder
from socialbias.scripting import logged

with logged(snakemake.log[0]) as say:
    settings, model_at = snakemake.params.settings, Path(snakemake.input.model)
    folder = model_folder(model_at) if model_at.name == "manifest.json" else model_at.parent
    generate(
        load_model(folder, "causal", device=settings["device"], dtype=settings["dtype"]),
        Path(snakemake.output.samples),
        settings["samples"],
        Options(),
        settings["seed"],
        say,
    )
