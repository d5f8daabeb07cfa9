"""What a run would fetch and cost: `python -m socialbias.sources.plan [--configfile OVERLAY]...`.

Nothing is fetched and no server is asked.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import yaml

from socialbias.config import Config, load_config, paper_sources
from socialbias.errors import UserError
from socialbias.pipeline.costs import Costs
from socialbias.pipeline.declarations import Declarations, for_models, load_declarations
from socialbias.pipeline.plan import SUBJECT, Plan
from socialbias.pipeline.surroundings import check_surroundings
from socialbias.pipeline.told import costs_told, gains_told
from socialbias.sources.binding import (
    Binding,
    Places,
    bind,
    location_of,
    locator_kind,
    places_of,
)
from socialbias.sources.checksums import UNKNOWN
from socialbias.sources.registry import Source, SourceFile, load_registry
from socialbias.sources.subjects import subject_sources
from socialbias.yaml_files import read_yaml

REGISTRY = Path("resources/sources.yaml")
PAPERS = Path(__file__).parents[1] / "papers"
MADE = "made in the run"
LOCAL = ("data", "mirror", "cache", "manual")


@dataclass(frozen=True)
class Row:
    """One source that a run needs.

    Attributes:
        source: The source's id; "" for a role that no source plays.
        roles: The roles that it plays.
        where: Where its files come from; "" for a role that no source plays.
        bytes: Bytes still to fetch, as far as sizes are known.
        unknown: Number of files of unknown size still to fetch.
        download: Whether they come over the network.
        step: What the user has to do or to know; "" for nothing. A role without a source and
            without a step is filled by the run itself.
    """

    source: str
    roles: tuple[str, ...]
    where: str
    bytes: int
    unknown: int
    download: bool
    step: str


@dataclass(frozen=True)
class Setup:
    """A configuration with its registry, places and bindings, as `plan` and `doctor` use it.

    What the run itself makes has a binding to no source, of which nothing is missing.
    """

    config: Config
    registry: Mapping[str, Source]
    places: Places
    bindings: Mapping[str, Binding]


def load_setup(overlays: Sequence[Path] = (), environ: Mapping[str, str] = os.environ) -> Setup:
    """Read config.yaml with its overlays as Snakemake does, and bind the roles.

    Args:
        overlays: Files passed with --configfile; later ones take precedence.
        environ: May name a mirror and a cache; see `places_of`.

    Raises:
        UserError: a file is missing or invalid, or a folder is not what the configuration says; one
            line per problem.
    """
    raw: dict[str, Any] = {}
    for path in (Path("config.yaml"), *overlays):
        raw = merged(raw, _read_yaml(path))
    registry = load_registry(REGISTRY)
    # The style of figures does not matter here: accept any artefact's name.
    artefacts = list((raw.get("figures") or {}).get("overrides") or {})
    config = load_config(raw, list(registry), artefacts)
    subjects = {name: subject.model_dump() for name, subject in config.subjects.items()}
    registry |= subject_sources(subjects, registry)
    places = places_of(config, environ)
    check_surroundings(places)
    roles = config.inputs.model_dump() | {f"{SUBJECT}{name}": [name] for name in config.own_models}
    bindings = bind(roles, registry, places, paper_sources())
    run = Plan(config, bindings, Declarations({}, {}, {}))
    bindings = {
        role: replace(binding, missing="; ".join(run.missing(role)))
        for role, binding in bindings.items()
    }
    return Setup(config, registry, places, bindings)


def plan_of(setup: Setup) -> Plan:
    """What a run with this setup reads and makes.

    Raises:
        UserError: a declaration is wrong; one line per problem.
    """
    declarations = for_models(load_declarations(PAPERS), setup.config.own_models)
    return Plan(setup.config, setup.bindings, declarations)


def merged(below: Mapping[str, Any], above: Mapping[str, Any]) -> dict[str, Any]:
    """Merge two configurations as Snakemake does: mappings by key, anything else is replaced."""
    result = dict(below)
    for key, value in above.items():
        both = isinstance(value, Mapping) and isinstance(result.get(key), Mapping)
        result[key] = merged(result[key], value) if both else value
    return result


def plan(
    bindings: Mapping[str, Binding], registry: Mapping[str, Source], places: Places
) -> list[Row]:
    """What would be fetched, and what a user has to do first.

    Args:
        bindings: The source of each role.
        registry: All sources by id.
        places: Where to look for sources.

    Returns:
        One row for each source that is not completely in the data folder, and one for each role
        that no source plays, in the order of the roles.
    """
    roles: dict[str, list[str]] = {}
    for binding in bindings.values():
        if binding.source:
            roles.setdefault(binding.source, []).append(binding.role)
    rows = [_row(registry[name], tuple(played), places) for name, played in roles.items()]
    rows = [row for row in rows if row.where != "data"]
    return rows + [
        Row("", (b.role,), "", 0, 0, False, b.missing) for b in bindings.values() if not b.source
    ]


def _row(source: Source, roles: tuple[str, ...], places: Places) -> Row:
    """What is still to be fetched from one source."""
    locations = [(f, location_of(source, f, places)) for f in source.files]
    pending = [(f, place) for f, place in locations if place != "data"]
    return Row(
        source=source.id,
        roles=roles,
        where=", ".join(dict.fromkeys(_from(f, place) for f, place in pending)) or "data",
        bytes=sum(f.bytes or 0 for f, _ in pending),
        unknown=sum(f.bytes is None for f, _ in pending),
        download=any(place not in LOCAL for _, place in pending),
        step=_step(pending),
    )


def _from(file: SourceFile, place: str) -> str:
    """A place in one word: the server of a download, else the kind of place."""
    locator = next((x for x in file.locators if locator_kind(x) == place), "")
    if place == "https":
        return locator.split("/")[2]
    return place


def _step(pending: list[tuple[SourceFile, str]]) -> str:
    """What a user should know before it is fetched."""
    unknown = [f.name for f, _ in pending if f.sha256 == UNKNOWN]
    text = "checksum unknown, recorded at the first download"
    return f"{text}: {', '.join(unknown)}" if unknown else ""


def render(rows: list[Row], run: str) -> str:
    """The plan as a plain-text table, with the total below it."""
    lines = [f"run {run!r}: what has to be fetched"]
    fetched = [row for row in rows if row.source]
    cells = [
        [row.source, row.where, size(row.bytes, row.unknown), ", ".join(row.roles), row.step]
        for row in fetched
    ]
    lines += table(["source", "from", "size", "for", ""], cells) if cells else ["  nothing"]
    downloads = [row for row in fetched if row.download]
    total = size(sum(r.bytes for r in downloads), sum(r.unknown for r in downloads))
    lines.append(f"to download: {total if downloads else 'nothing'}")
    unbound = [row for row in rows if not row.source]
    lines += [f"{MADE}: {row.roles[0]}" for row in unbound if not row.step]
    lines += [f"no input for {row.roles[0]}: {row.step}" for row in unbound if row.step]
    return "\n".join(lines)


def size(known: int, unknown: int) -> str:
    """A readable size, with the number of files of unknown size."""
    text = f"{known} B"
    for unit, factor in (("kB", 10**3), ("MB", 10**6), ("GB", 10**9)):
        if known >= factor:
            text = f"{known / factor:.1f} {unit}"
    if not unknown:
        return text
    files = f"{unknown} file{'s' * (unknown > 1)} of unknown size"
    return f"{text} and {files}" if known else files


def table(head: Sequence[str], cells: Sequence[Sequence[str]]) -> list[str]:
    """Rows of text in aligned columns."""
    rows = [list(head), *map(list, cells)]
    widths = [max(len(row[i]) for row in rows) for i in range(len(head))]
    return [
        "  " + "  ".join(cell.ljust(w) for cell, w in zip(row, widths, strict=True)).rstrip()
        for row in rows
    ]


def arguments(description: str) -> argparse.ArgumentParser:
    """The options that `plan` and `doctor` share."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument(
        "--configfile",
        action="append",
        default=[],
        type=Path,
        metavar="OVERLAY",
        help="a configuration that overrides keys of config.yaml; repeatable",
    )
    return parser


def _read_yaml(path: Path) -> dict[str, Any]:
    """A configuration file.

    Raises:
        UserError: it is missing, or is not a YAML mapping.
    """
    try:
        content = read_yaml(path)
    except OSError as error:
        raise UserError(f"{path}: {error.strerror}: run this in the repository's folder") from None
    except yaml.YAMLError as error:
        raise UserError(f"{path}: {' '.join(str(error).split())}") from None
    if not isinstance(content or {}, dict):
        raise UserError(f"{path}: must be a mapping of keys to values")
    return content or {}


def main() -> None:
    """Print the plan."""
    options = arguments("What a run would fetch and cost. Nothing is fetched.").parse_args()
    try:
        setup = load_setup(options.configfile)
        rows = plan(setup.bindings, setup.registry, setup.places)
        print(render(rows, setup.config.run))
        run = plan_of(setup)
        print(*costs_told(Costs.of(run, setup.registry)), sep="\n")
        print(*gains_told(run, paper_sources()), sep="\n")
    except UserError as error:
        sys.exit(str(error))


if __name__ == "__main__":
    main()
