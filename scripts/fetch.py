"""Fetch one source."""

from pathlib import Path

from socialbias.config import Config
from socialbias.paths import resources
from socialbias.pipeline.scripting import logged
from socialbias.sources.binding import places_of
from socialbias.sources.fetch import fetch
from socialbias.sources.manifest import write_manifest
from socialbias.sources.registry import load_registry
from socialbias.sources.subjects import fetch_subject, subject_sources

with logged(snakemake) as say:
    config, name = Config.model_validate(snakemake.config), snakemake.params.settings["source"]
    registry = load_registry(resources() / "sources.yaml")
    subjects = {key: subject.model_dump() for key, subject in config.subjects.items()}
    own = subject_sources(subjects, registry)
    places = places_of(config)
    if name in own and not config.subjects[name].source:
        manifest = fetch_subject(own[name], places.data)
        say(f"{name}: {len(manifest['files'])} files of your own")
    else:
        manifest = fetch((registry | own)[name], places, say)
    write_manifest(manifest, Path(snakemake.output.manifest))
