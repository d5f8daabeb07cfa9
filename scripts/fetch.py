"""Fetch one source."""

from pathlib import Path

from socialbias.config import Config
from socialbias.scripting import logged
from socialbias.sources.binding import places_of
from socialbias.sources.fetch import fetch
from socialbias.sources.manifest import write_manifest
from socialbias.sources.registry import load_registry

with logged(snakemake.log[0]) as say:
    config = Config.model_validate(snakemake.config)
    source = load_registry(Path("resources/sources.yaml"))[snakemake.params.settings["source"]]
    write_manifest(fetch(source, places_of(config), say), Path(snakemake.output.manifest))
