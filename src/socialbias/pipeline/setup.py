"""A checked configuration with its roles bound: where the workflow and `make plan` begin."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

from socialbias.config import Config, Inputs, kind_of, paper_sources
from socialbias.config.checks import load_config, read_config
from socialbias.errors import UserError
from socialbias.files.paths import resources
from socialbias.pipeline.declarations import Declarations, for_models, load_declarations
from socialbias.pipeline.folder import RUNS
from socialbias.pipeline.plan import SUBJECT, Plan
from socialbias.sources.binding import Binding, Places, bind, places_of
from socialbias.sources.registry import FORMATS, Source, load_registry
from socialbias.sources.subjects import subject_sources

REVIEWS = ("csv", "imdb-json", "imdb-parquet")
# Formats that a role takes beside those of its default sources.
ALSO = {
    "census_gender": ("winogender",),
    "reviews": REVIEWS,
    "fairness_templates": ("holistic-bias",),
    "fairness_terms": ("holistic-bias",),
    "semeval_binary": REVIEWS,
    "semeval_valence": REVIEWS,
}
PAPERS = Path(__file__).parents[1] / "papers"


@dataclass(frozen=True)
class Setup:
    """A configuration with all that follows from it before any declaration is read."""

    config: Config  # the checked configuration
    registry: Mapping[str, Source]  # by id, the sources of the project and the user's own subjects
    places: Places  # where files of sources are looked for
    bindings: Mapping[str, Binding]  # by role, the source that plays it, or what is missing


def setup_of(
    raw: Mapping[str, Any],
    registry: Mapping[str, Source],
    artefacts: Sequence[str],
    environ: Mapping[str, str] = os.environ,
) -> Setup:
    """Check a merged configuration and bind its roles, without the network."""
    config = load_config(raw, list(registry), list(artefacts))
    subjects = {name: subject.model_dump() for name, subject in config.subjects.items()}
    try:
        registry = {**registry, **subject_sources(subjects, registry)}
        places = places_of(config, environ)
        check_surroundings(places)
    except OSError as error:  # a name that is too long, or a folder that may not be looked into
        raise UserError(f"config: {error.filename}: {error.strerror}") from None
    problems = []
    for role, names in config.inputs.model_dump().items():
        kind = kind_of(role)
        usual = {registry[name].format for name in Inputs.model_fields[role].default}
        formats = FORMATS.get(kind) or sorted(usual.union(ALSO.get(role, ())))
        for name in names:
            own = name in config.subjects and kind not in FORMATS
            found = registry[name].format
            if found not in formats or own:
                takes = kind if own or kind in FORMATS else " or ".join(formats)
                found = found or "of no format (`format` in resources/sources.yaml)"
                problems.append(f"config: inputs.{role}: {name!r} is {found}, not {takes}")
    if problems:
        raise UserError("\n".join(problems))
    roles = config.inputs.model_dump() | {f"{SUBJECT}{name}": [name] for name in config.own_models}
    return Setup(config, registry, places, bind(roles, registry, places, paper_sources()))


def check_surroundings(places: Places) -> None:
    """Refuse folders that are not there: without its mirror, a run would take substitutes."""

    def is_there(path: Path) -> bool:
        return path.exists() or path.is_symlink()

    problems = []
    for folder, what in (
        (places.mirror, "`mirror`, or the variable SOCIALBIAS_MIRROR,"),
        (places.manual, "`manual`"),
    ):
        if folder is not None and not folder.is_dir():
            kind = "is no folder" if is_there(folder) else "is not there"
            problems.append(f"{folder} {kind}: {what} must name a folder, or nothing")
    if is_there(places.data) and not places.data.is_dir():
        place = "must name one, or a place where one can be made"
        problems.append(f"{places.data} is no folder: `data` {place}")
    both = [folder for folder in (places.mirror, places.data) if folder and folder.is_dir()]
    if len(both) == 2 and both[0].samefile(both[1]):
        problem = "is both `data` and `mirror`: a run writes into the first alone"
        problems.append(f"{places.mirror} {problem}")
    if problems:
        raise UserError("\n".join(problems))


def load_setup(overlays: Sequence[Path] = (), environ: Mapping[str, str] = os.environ) -> Setup:
    """Read config.yaml with its overlays as Snakemake does, and bind the roles.

    A role that the run itself fills has a binding without a source, of which nothing is missing.
    """
    raw: dict[str, Any] = {}
    for path in (Path("config.yaml"), *overlays):
        raw = merged(raw, read_config(path))
    return raw_setup(raw, environ)


def raw_setup(raw: Mapping[str, Any], environ: Mapping[str, str] = os.environ) -> Setup:
    """Return the same of a configuration that is merged already."""
    registry = load_registry(resources() / "sources.yaml")
    # The style of figures does not matter here: accept any artefact's name.
    artefacts = list((raw.get("figures") or {}).get("overrides") or {})
    setup = setup_of(raw, registry, artefacts, environ)
    run = Plan(setup.config, setup.bindings, Declarations({}, {}, {}))
    bindings = {
        role: replace(binding, missing="; ".join(run.missing(role)))
        for role, binding in setup.bindings.items()
    }
    return replace(setup, bindings=bindings)


def plan_of(setup: Setup, command: str = "snakemake --cores 2") -> Plan:
    """Return what a run with this setup reads and makes."""
    declarations = for_models(declared(), setup.config.own_models)
    return Plan(setup.config, setup.bindings, declarations, resources().parent, command)


@cache
def declared() -> Declarations:
    """Return what the papers declare, read once for all plans of a process."""
    return load_declarations(PAPERS)


def command_of(config: Config, overlays: Sequence[str | Path]) -> str:
    """Return what a person types to make one target of a run, without its name."""
    paths, parts = [os.path.relpath(path) for path in overlays], ["snakemake --cores 2"]
    profiles = [x for x, run in RUNS.items() if (paths, config.run) == ([f"config.{x}.yaml"], run)]
    if profiles:
        parts.append(f"--profile profiles/{profiles[0]}")
    elif paths:
        parts.append(f"--configfile {' '.join(paths)}")
    if config.run not in (*RUNS.values(), "paper"):
        parts.append(f"--config run={config.run} --")
    return " ".join(parts)


def merged(below: Mapping[str, Any], above: Mapping[str, Any]) -> dict[str, Any]:
    """Merge two configurations as Snakemake does: mappings by key, anything else is replaced."""
    result = dict(below)
    for key, value in above.items():
        both = isinstance(value, Mapping) and isinstance(result.get(key), Mapping)
        result[key] = merged(result[key], value) if both else value
    return result
