"""Fetch one source."""

from socialbias.config import Config
from socialbias.files.paths import resources
from socialbias.pipeline.scripting import logged
from socialbias.sources.binding import places_of
from socialbias.sources.fetch import fetch_or_link
from socialbias.sources.registry import load_registry
from socialbias.sources.subjects import subject_sources

with logged(snakemake) as say:
    config, name = Config.model_validate(snakemake.config), snakemake.params.settings["source"]
    registry = load_registry(resources() / "sources.yaml")
    subjects = {key: subject.model_dump() for key, subject in config.subjects.items()}
    own = subject_sources(subjects, registry)
    fetch_or_link((registry | own)[name], places_of(config), say)
