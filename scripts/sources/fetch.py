"""Fetch one source."""

import os
from pathlib import Path

from socialbias.config import Config
from socialbias.scripting import logged
from socialbias.sources.binding import Places
from socialbias.sources.fetch import fetch
from socialbias.sources.manifest import write_manifest
from socialbias.sources.registry import load_registry

with logged(snakemake.log[0]) as say:
    config = Config.model_validate(snakemake.config)
    mirror = config.mirror or os.environ.get("SOCIALBIAS_MIRROR")
    places = Places(Path(config.data), Path(mirror) if mirror else None, tuple(config.locators))
    source = load_registry(Path("resources/sources.yaml"))[snakemake.params.settings["source"]]
    write_manifest(fetch(source, places, say), Path(snakemake.output.manifest))
