"""Small files of public repositories, fetched before a run is planned: `make public-files`.

`python -m socialbias.pipeline.public_files [--configfile OVERLAY...]` is the same without make.

A run is planned without the network, and the quickstart downloads from package registries alone. So
what public repositories have for it is fetched before, into the data folder, where the plan finds
it. It is no error if the hosts do not answer.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import islice
from threading import Thread
from urllib.parse import urlsplit

from socialbias.errors import UserError
from socialbias.files.text import readable_size
from socialbias.pipeline.preview import arguments
from socialbias.pipeline.setup import load_setup
from socialbias.sources.binding import PUBLIC_BYTES, Binding, Places, is_public, locator_kind
from socialbias.sources.fetch import fetch
from socialbias.sources.http import RETRYABLE, send
from socialbias.sources.registry import Source
from socialbias.sources.request import Timeouts

SECONDS = 2.0  # in which a host has to answer
TIMEOUTS = Timeouts(connect=SECONDS, read=20, attempts=2, max_wait=5, stall=30)


def wanted(
    inputs: Mapping[str, Sequence[str]],
    bindings: Mapping[str, Binding],
    registry: Mapping[str, Source],
) -> list[Source]:
    """Return the public sources that would serve a role better than what serves it now.

    Together they have at most `PUBLIC_BYTES` bytes, in the order of the roles.
    """
    sources: dict[str, Source] = {}
    for role, names in inputs.items():
        binding = bindings[role]
        end = names.index(binding.source) if binding.source else len(names)
        better = [] if binding.fidelity == "exact" else map(registry.get, names[:end])
        room = PUBLIC_BYTES - _bytes(sources.values())
        fitting = (x for x in better if x.id in sources or (is_public(x) and _bytes([x]) <= room))
        sources |= {source.id: source for source in islice(fitting, 1)}
    return list(sources.values())


def fetch_public(sources: Sequence[Source], places: Places) -> None:
    """Fetch sources from those hosts that answer, and print what came."""
    hosts = ", ".join(_addresses(sources))
    silent = silent_hosts(sources)
    if silent == _addresses(sources).keys():
        again = "the run continues without them (`make public-files` tries again)"
        print(f"public files: {hosts} did not answer in {SECONDS:.0f} seconds: {again}")
        return
    print(f"public files: fetching {readable_size(_bytes(sources))} from {hosts}", flush=True)
    complete = []
    for source in sources:
        if silent & _addresses([source]).keys():
            continue
        try:
            fetch(source, places, lambda line: None)
            complete.append(source)
        except UserError as error:
            print(f"public files: {error}")
            silent |= silent_hosts([source])
    names = ", ".join(source.id for source in complete) or "none"
    came = f"{len(complete)} of {len(sources)} sources came ({readable_size(_bytes(complete))})"
    print(f"public files: {came}: {names}")


def silent_hosts(sources: Sequence[Source], seconds: float = SECONDS) -> set[str]:
    """Return the hosts of sources that do not answer in time, of which each is asked for one file.

    A name that is not resolved cannot be given up, so its thread is left behind.
    """
    addresses, answering = _addresses(sources), set()

    def ask(host: str) -> None:
        limits = Timeouts(connect=seconds, read=seconds)
        with suppress(OSError), send(addresses[host], limits, method="HEAD") as response:
            if response.status_code not in RETRYABLE:
                answering.add(host)

    threads = [Thread(target=ask, args=[host], daemon=True) for host in addresses]
    end = time.monotonic() + seconds
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(max(0.0, end - time.monotonic()))
    return addresses.keys() - answering


def _addresses(sources: Sequence[Source]) -> dict[str, str]:
    """Return by host of the files' first addresses, one of these."""
    files = [file for source in sources for file in source.files]
    urls = [next(x for x in file.locators if locator_kind(x) == "https") for file in files]
    return {urlsplit(url).netloc: url for url in urls}


def _bytes(sources: Iterable[Source]) -> int:
    return sum(file.bytes for source in sources for file in source.files)


def main() -> None:
    """Fetch what is public for a configuration, and print what came."""
    options = arguments("Fetch small files of public repositories for a run.").parse_args()
    try:
        setup = load_setup(options.configfile)
    except UserError as error:
        sys.exit(str(error))
    sources = wanted(setup.config.inputs.model_dump(), setup.bindings, setup.registry)
    if not sources:
        print("public files: nothing is missing that could be fetched")
        return
    try:
        fetch_public(sources, replace(setup.places, locators=("https",), timeouts=TIMEOUTS))
    except KeyboardInterrupt:
        sys.exit("public files: interrupted; the same command continues")


if __name__ == "__main__":
    main()
