"""`python -m tests.rehearsal.failing_hosts`: what comes out of the paper run if a host fails.

Each host of the paper run fails in four ways. Every source with a place there is really fetched,
from hosts that this machine plays, and the next run is planned without those that did not come. A
row has the number of sources that came all the same, what roles have instead of the others, how
many artefacts and cells are left, and the exit status of that run and, if it fails, of the next.
"""

from __future__ import annotations

import argparse
import shutil
import tempfile
from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from urllib.parse import urlsplit

from socialbias.config import Config, paper_sources
from socialbias.errors import UserError
from socialbias.pipeline.declarations import for_models
from socialbias.pipeline.messages import replaced
from socialbias.pipeline.plan import Plan
from socialbias.sources import hub
from socialbias.sources.binding import Places, bind, locator_kind
from socialbias.sources.copies import copies
from socialbias.sources.fetch import fetch_or_link
from socialbias.sources.registry import Source, load_registry
from socialbias.sources.request import Timeouts
from socialbias.sources.unavailable import read_unavailable
from tests.declared import DECLARATIONS
from tests.rehearsal.generate import generate, write_registry
from tests.rehearsal.hosts import FAULTS, INDEX, STORE, WEIGHTS, Hosts
from tests.rehearsal.variants import environment

HASTE = Timeouts(connect=2, read=2, attempts=1, stall=1, min_rate=1000)
# Several at once: what a country or a company blocks.
TOGETHER = {
    "all of the Hub": ("huggingface.co", "hf-mirror.com"),
    "GitHub and its copies": (
        "raw.githubusercontent.com", "github.com", "cdn.jsdelivr.net",
        "archive.softwareheritage.org",
    ),
    "all of Stanford": ("nlp.stanford.edu", "snap.stanford.edu"),
    "the Hub and WikiText's author": ("huggingface.co", "hf-mirror.com", "wikitext.smerity.com"),
}  # fmt: skip


def hosts_of(source: Source) -> set[str]:
    """The hosts that may be asked for a source."""
    found = set()
    for file in source.files:
        for locator in [*file.locators, *copies(file)]:
            kind = locator_kind(locator)
            if kind == "https":
                found.add(urlsplit(locator).hostname)
            elif kind == "hf":
                found |= {urlsplit(hub.address(locator)).hostname}
                found |= {STORE} if Path(file.name).suffix in WEIGHTS else set()
            elif kind == "pypi":
                found.add(INDEX)
    return found


def cells_left(plan: Plan) -> dict[str, int]:
    """The cells of each artefact that can be computed."""
    return {
        target: sum(not plan.reason(declared, cell) for cell in declared.cells())
        for target, declared in plan.declarations.artefacts.items()
    }


def rows(folder: Path, chosen: Iterable[str]) -> Iterable[list[str]]:
    """Yield a row for each host that fails, and how; all hosts if none is chosen."""
    counts = generate(folder / "origin")
    write_registry(folder / "origin", counts, folder / "sources.yaml")
    registry = load_registry(folder / "sources.yaml")
    config = Config()
    inputs, data = config.inputs.model_dump(), folder / "data"
    places = Places(data, None, ("https", "hf", "pypi"), timeouts=HASTE)
    plan_of = partial(Plan, config, declarations=for_models(DECLARATIONS, []))
    bindings = bind(inputs, registry, places, paper_sources())
    before = cells_left(plan_of(bindings))
    bound = {b.source: registry[b.source] for b in bindings.values() if b.source}
    alone = sorted({host for source in bound.values() for host in hosts_of(source)})
    failing: Mapping[str, tuple[str, ...]] = {host: (host,) for host in alone} | TOGETHER
    hosts = Hosts(folder)
    hosts.publish({name: registry[name] for name in counts}, folder / "origin")
    with hosts, environment({"PATH": "/usr/bin:/bin", "HOME": str(folder)} | hosts.environment):
        for name in [*chosen] or failing:
            needed = [s for s in bound.values() if hosts_of(s) & {*failing[name]}]
            for fault in FAULTS:
                shutil.rmtree(data, ignore_errors=True)
                hosts.faults = dict.fromkeys(failing[name], fault)
                came = [source.id for source in needed if comes(source, places)]
                failed = tuple(read_unavailable(data))
                after = bind(inputs, registry, replace(places, unavailable=failed), paper_sources())
                left = cells_left(plan_of(after))
                whole = sum(left[target] == before[target] for target in before)
                part = sum(0 < left[target] < before[target] for target in before)
                yield [
                    name,
                    fault,
                    f"{len(came)} of {len(needed)}",
                    ", ".join(replaced(failed, inputs, after).values()) or "-",
                    f"{whole} whole, {part} in part, {len(before) - whole - part} empty",
                    f"{sum(left.values()):,} of {sum(before.values()):,}",
                    "1, then 0" if failed else "0",
                ]


def comes(source: Source, places: Places) -> bool:
    """Fetch a source; return whether it came."""
    try:
        fetch_or_link(source, places, lambda line: None)
    except UserError:
        return False
    return True


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description="The paper run with hosts that fail.")
    parser.add_argument("host", nargs="*", help="Hosts that fail, one after the other.")
    options = parser.parse_args()
    heads = "host", "it is", "sources that came", "roles", "artefacts", "cells", "exit status"
    print("| " + " | ".join(heads) + " |", "|" + "---|" * len(heads), sep="\n")
    with tempfile.TemporaryDirectory() as folder:
        for row in rows(Path(folder), options.host):
            print(f"| {' | '.join(row)} |", flush=True)


if __name__ == "__main__":
    main()
