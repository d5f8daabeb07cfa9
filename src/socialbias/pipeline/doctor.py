"""Which source serves each role: `python -m socialbias.pipeline.doctor [--look] [--configfile X]`.

For each role of the configuration: the source that plays it, how close it is to what the paper
used, where its files are, whether their servers have them (only with --look), and how to get a
better one. Last come this machine's GPUs, with driver, PyTorch's build and memory. With --look, a
source that could not be fetched before is used again if its servers have it.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from socialbias.errors import UserError
from socialbias.pipeline.gpus import described, memory_here
from socialbias.pipeline.plan_lines import aligned
from socialbias.pipeline.preview import MADE, arguments, fetched, render
from socialbias.pipeline.setup import load_setup
from socialbias.sources.binding import (
    Binding,
    Places,
    client_installed,
    how_to_get,
    locator_kind,
)
from socialbias.sources.copies import copies
from socialbias.sources.registry import Source
from socialbias.sources.request import Timeouts
from socialbias.sources.unavailable import note_available
from socialbias.system.piping import reader_may_leave

TIMEOUTS = Timeouts(connect=4, read=8, attempts=1)
NOT_ASKED = "not asked"


class Finding(NamedTuple):
    """How one role is served."""

    role: str  # the role
    source: str  # the source that plays it, or that would if it were available
    # How close it is to what the paper used; `no input` if it is not available, `made in the run`
    # where the run itself makes what plays the role.
    fidelity: str
    where: str  # the best places of its files, such as `data`, `mirror` or `https`; `-` for none
    online: str  # `yes`, or what is wrong; `not asked` without --look
    step: str  # how to get the role's preferred source; "" if it is the one in use


def doctor(
    inputs: Mapping[str, Sequence[str]],
    bindings: Mapping[str, Binding],
    registry: Mapping[str, Source],
    places: Places,
    ask_servers: bool = False,
) -> list[Finding]:
    """Examine every role."""
    names = {role: bindings[role].source or (ids or [""])[0] for role, ids in inputs.items()}
    looked_up = sorted({name for name in names.values() if name}) if ask_servers else []
    online = {name: reachable(registry[name], places) for name in looked_up}
    findings = []
    for role, ids in inputs.items():
        name, step = names[role], bindings[role].missing
        if not name:
            fidelity = "no input" if step else MADE
            findings.append(Finding(role, "-", fidelity, "-", "-", step))
            continue
        if not step and name != ids[0]:
            step = how_to_get(registry[ids[0]], places)
        fidelity, where = bindings[role].fidelity, bindings[role].where or "-"
        findings.append(Finding(role, name, fidelity, where, online.get(name, NOT_ASKED), step))
    return findings


def reachable(source: Source, places: Places) -> str:
    """Return whether the servers of a source have its files."""
    # Imported here: the plan, and the doctor without --look, need no network library.
    from socialbias.sources import http, hub, pypi

    ask = {"https": http.check_url, "hf": hub.check, "pypi": pypi.check}
    for file in source.files:
        problems = []
        for locator in [*file.locators, *copies(file)]:
            kind = locator_kind(locator)
            if kind not in places.locators or not client_installed(kind):
                continue
            try:
                ask[kind](locator, TIMEOUTS)
                break
            except KeyError:
                problems.append(f"{kind} cannot be asked without fetching")
            except OSError as error:
                problems.append(str(error))
        else:
            return "; ".join(problems) or "no enabled locator"
    return "yes"


def answering_again(registry: Mapping[str, Source], places: Places) -> list[str]:
    """Return the sources that could not be fetched and now can; the next run uses them."""
    known = filter(registry.get, places.unavailable)
    again = [name for name in known if reachable(registry[name], places) == "yes"]
    note_available(places.data, *again)
    return again


def report(findings: list[Finding], run: str) -> str:
    """Return the findings as a plain-text table, followed by the steps."""
    table = [Finding._fields[:-1], *(finding[:-1] for finding in findings)]
    lines = [f"run {run!r}: how each role is served", *aligned(table)]
    steps: dict[str, list[str]] = {}
    for finding in findings:
        if finding.step:
            steps.setdefault(finding.step, []).append(finding.role)
    if steps:
        lines.append("for a better input:")
    lines += [f"  {', '.join(roles)}: {step}" for step, roles in steps.items()]
    return "\n".join(lines)


@reader_may_leave()
def main() -> None:
    """Print the findings, followed by what would be fetched."""
    parser = arguments("How each role of the configuration is served.")
    parser.add_argument("--look", action="store_true", help="ask the servers; nothing is fetched")
    options = parser.parse_args()
    try:
        setup = load_setup(options.configfile)
        if options.look and (again := answering_again(setup.registry, setup.places)):
            print(f"can be fetched again: {', '.join(again)}")
            setup = load_setup(options.configfile)
        inputs = setup.config.inputs.model_dump()
        findings = doctor(inputs, setup.bindings, setup.registry, setup.places, options.look)
    except UserError as error:
        sys.exit(str(error))
    rows = fetched(setup.bindings, setup.registry, setup.places)
    print(report(findings, setup.config.run))
    print(render(rows))
    print(*described(), f"memory: {memory_here() / 1000:.0f} GB", sep="\n")


if __name__ == "__main__":
    main()
