"""Let a causal model write."""

from pathlib import Path

from socialbias.contextual.generation import Options, generate
from socialbias.contextual.models import load_model, model_folder
from socialbias.scripting import logged

with logged(snakemake) as say:
    settings, folder = snakemake.params.settings, model_folder(Path(snakemake.input.model))
    generate(
        load_model(folder, "causal", device=settings["device"], dtype=settings["dtype"]),
        Path(snakemake.output.samples),
        settings["samples"],
        Options(tokens=settings["tokens"], batch=settings["batch"]),
        settings["seed"],
        say,
    )
