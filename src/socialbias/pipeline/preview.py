"""What a run would fetch and cost: `make plan`.

`python -m socialbias.pipeline.preview [--configfile OVERLAY]...` is the same without make.

Nothing is fetched and no server is asked.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from socialbias.config import paper_sources
from socialbias.errors import UserError
from socialbias.pipeline.costs import Costs
from socialbias.pipeline.plan_lines import aligned, cost_lines, gain_lines
from socialbias.pipeline.setup import load_setup, plan_of
from socialbias.sources.binding import Binding, Places, location_of, locator_kind
from socialbias.sources.checksums import UNKNOWN
from socialbias.sources.registry import Source
from socialbias.system.piping import reader_may_leave

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
    servers = [  # of a download its server, else the kind of place
        next((x.split("/")[2] for x in f.locators if locator_kind(x) == place == "https"), place)
        for f, place in pending
    ]
    unchecked = ", ".join(f.name for f, _ in pending if f.sha256 == UNKNOWN)
    note = f"checksum unknown, recorded at the first download: {unchecked}"
    return Row(
        source=source.id,
        roles=roles,
        where=", ".join(dict.fromkeys(servers)) or "data",
        bytes=sum(f.bytes or 0 for f, _ in pending),
        unknown=sum(f.bytes is None for f, _ in pending),
        download=any(place not in LOCAL for _, place in pending),
        step=note if unchecked else "",
    )


def render(rows: list[Row], run: str) -> str:
    """The plan as a plain-text table, with the total below it."""
    lines = [f"run {run!r}: what has to be fetched"]
    fetched = [row for row in rows if row.source]
    cells = [
        [row.source, row.where, size(row.bytes, row.unknown), ", ".join(row.roles), row.step]
        for row in fetched
    ]
    head = ["source", "from", "size", "for", ""]
    lines += aligned([head, *cells]) if cells else ["  nothing"]
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


@reader_may_leave()
def main() -> None:
    """Print the plan."""
    options = arguments("What a run would fetch and cost. Nothing is fetched.").parse_args()
    try:
        setup = load_setup(options.configfile)
        rows = plan(setup.bindings, setup.registry, setup.places)
        print(render(rows, setup.config.run))
        run = plan_of(setup)
        costs = [Costs.of(run, setup.registry, on_card) for on_card in (False, True)]
        print(*cost_lines(*costs), sep="\n")
        print(*gain_lines(run, paper_sources()), sep="\n")
    except UserError as error:
        sys.exit(str(error))


if __name__ == "__main__":
    main()
