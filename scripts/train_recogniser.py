"""Fine-tune an encoder on CoNLL-2003 to recognise named entities."""

from pathlib import Path

from socialbias.papers.fairness.recognisers import train
from socialbias.pipeline.scripting import logged

with logged(snakemake) as say:
    inputs = {name: Path(path) for name, path in snakemake.input.items()}
    train(inputs, Path(snakemake.output.model), say=say, **snakemake.params.settings)
