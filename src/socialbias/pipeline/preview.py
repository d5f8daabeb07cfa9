"""What a run would fetch and cost: `make plan`.

`python -m socialbias.pipeline.preview [--configfile OVERLAY...] [-- TARGET...]` does the same. The
jobs are those of a dry run, which prints what they fetch and cost. No server is asked.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from socialbias.errors import UserError
from socialbias.files.text import readable_size
from socialbias.pipeline.plan_lines import aligned
from socialbias.pipeline.setup import load_setup
from socialbias.sources.binding import LOCAL, Binding, Places, location_of, locator_kind
from socialbias.sources.checksums import UNKNOWN
from socialbias.sources.lock import pinned
from socialbias.sources.registry import Source
from socialbias.system.piping import reader_may_leave

MADE = "made in the run"


class Row(NamedTuple):
    """One source that a run needs, and what is still to be fetched of it."""

    source: str
    roles: tuple[str, ...]
    where: str
    bytes: int  # as far as sizes are known
    unknown: int  # number of files of unknown size
    unpinned: int  # number of files of unknown checksum
    download: bool  # whether they come over the network


def fetched(
    bindings: Mapping[str, Binding],
    registry: Mapping[str, Source],
    places: Places,
    sources: Collection[str] | None = None,
) -> list[Row]:
    """Return a row for each of these (or all) sources not completely in the data folder."""
    roles: dict[str, list[str]] = {}
    for binding in bindings.values():
        if binding.source and (sources is None or binding.source in sources):
            roles.setdefault(binding.source, []).append(binding.role)
    rows = []
    for name, played in roles.items():
        located = [(f, location_of(registry[name], f, places)) for f in registry[name].files]
        pending = [(f, place) for f, place in located if place != "data"]
        if not pending:
            continue
        servers: dict[str, None] = {}  # of a download its server, else the kind of place
        for f, place in pending:
            urls = (x for x in f.locators if locator_kind(x) == place == "https")
            servers[next((url.split("/")[2] for url in urls), place)] = None
        row = Row(
            source=name,
            roles=tuple(played),
            where=", ".join(servers),
            bytes=sum(f.bytes or 0 for f, _ in pending),
            unknown=sum(f.bytes is None for f, _ in pending),
            unpinned=sum(pinned(name, f, places.lock_path).sha256 == UNKNOWN for f, _ in pending),
            download=any(place not in LOCAL for _, place in pending),
        )
        rows.append(row)
    return rows


def render(rows: Sequence[Row]) -> str:
    """Return what has to be fetched as a plain-text table, with the total below it."""
    cells = [
        [row.source, row.where, readable_size(row.bytes, row.unknown), ", ".join(row.roles)]
        for row in rows
    ]
    lines = ["what has to be fetched:"]
    lines += aligned([["source", "from", "size", "for"], *cells]) if cells else ["  nothing"]
    downloads = [row for row in rows if row.download]
    total = readable_size(sum(r.bytes for r in downloads), sum(r.unknown for r in downloads))
    lines.append(f"to download: {total if downloads else 'nothing'}")
    if unpinned := sum(row.unpinned for row in rows):
        lines.append(
            f"files without a published checksum: {unpinned} (the first download is recorded in "
            "sources.lock of the data folder, and later ones must match)"
        )
    return "\n".join(lines)


def without_source(bindings: Mapping[str, Binding]) -> list[str]:
    """Return a line for each role that no source plays: what the run makes, and what is missing."""
    unbound = [binding for binding in bindings.values() if not binding.source]
    lines = [f"{MADE}: {binding.role}" for binding in unbound if not binding.missing]
    return lines + [f"no input for {x.role}: {x.missing}" for x in unbound if x.missing]


def arguments(description: str) -> argparse.ArgumentParser:
    """Return the options that `plan` and `doctor` share."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument(
        "--configfile",
        action="extend",
        nargs="+",
        default=[],
        type=Path,
        metavar="OVERLAY",
        help="configurations that override keys of config.yaml, the last first",
    )
    return parser


@reader_may_leave()
def main() -> None:
    """Print the plan."""
    parser = arguments("What a run would fetch and cost. Nothing is fetched.")
    parser.add_argument(
        "--gpu", default="", help="Number of GPUs (default: those of this machine)."
    )
    parser.add_argument("target", nargs="*", help="Targets (default: the whole run).")
    options = parser.parse_args()
    try:
        setup = load_setup(options.configfile)
    except UserError as error:
        sys.exit(str(error))
    command = [sys.executable, "-m", "snakemake", "--dry-run", "--forceall", "--cores", "1"]
    command += ["--quiet", "host", "progress", "rules", "reason"]
    command += ["--resources", f"gpu={options.gpu}"] if options.gpu else []
    command += ["--configfile", *map(str, options.configfile)] if options.configfile else []
    ended = subprocess.run([*command, "--", *options.target], capture_output=True, text=True)
    if ended.returncode:
        sys.exit(ended.stderr.rstrip())
    # What Snakemake says itself comes before.
    print(ended.stdout[ended.stdout.rfind(f"run {setup.config.run!r}: ") :], end="")
    if not options.target:
        print(*without_source(setup.bindings), sep="\n")


if __name__ == "__main__":
    main()
