"""How each role is served: `python -m socialbias.sources.doctor [--look] [--configfile X]...`.

For each role of the configuration: the source that plays it, how near that is to what the paper
used, where its files are, whether their servers have them (only with --look), and what would get a
better one.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from socialbias.errors import UserError
from socialbias.sources.binding import (
    Binding,
    Places,
    client_present,
    how_to_get,
    in_cache,
    in_mirror,
    locator_kind,
)
from socialbias.sources.order import Patience
from socialbias.sources.plan import arguments, plan, render, situation, table
from socialbias.sources.registry import Source, SourceFile

PATIENCE = Patience(connect=4, read=8, attempts=1)
NOT_ASKED = "not asked"


@dataclass(frozen=True)
class Finding:
    """How one role is served.

    Attributes:
        role: The role.
        source: The source that plays it, or that would if it could be had.
        fidelity: How near it is to what the paper used; `no input` where none can be had.
        here: How many of its files are in the data folder, such as `2/3`; `-` for none.
        mirror: The same of the mirror.
        cache: The same of the cache.
        online: `yes`, or what is wrong; `not asked` without --look.
        step: What would get the role's first source; "" where that is the one.
    """

    role: str
    source: str
    fidelity: str
    here: str
    mirror: str
    cache: str
    online: str
    step: str


def doctor(
    inputs: Mapping[str, Sequence[str]],
    bindings: Mapping[str, Binding],
    registry: Mapping[str, Source],
    places: Places,
    look: bool = False,
) -> list[Finding]:
    """Look at every role.

    Args:
        inputs: Source ids by role, best first.
        bindings: What each role is bound to.
        registry: All sources by id.
        places: Where sources may be looked for.
        look: Whether to ask the servers. Nothing is fetched.

    Returns:
        One finding a role, in the order of the roles.
    """
    names = {role: bindings[role].source or (ids or [""])[0] for role, ids in inputs.items()}
    wanted = sorted({name for name in names.values() if name}) if look else []
    online = {name: reachable(registry[name], places) for name in wanted}
    findings = []
    for role, ids in inputs.items():
        name = names[role]
        if not name:
            step = bindings[role].missing
            findings.append(Finding(role, "-", "no input", "-", "-", "-", "-", step))
            continue
        step = bindings[role].missing
        if not step and name != ids[0]:
            step = how_to_get(registry[ids[0]], places)
        fidelity, answer = bindings[role].fidelity, online.get(name, NOT_ASKED)
        where = _shares(registry[name], places)
        findings.append(Finding(role, name, fidelity, *where, answer, step))
    return findings


def reachable(source: Source, places: Places) -> str:
    """Whether the servers of a source have its files.

    Returns:
        `yes`, or what is wrong with the first file that no place has.
    """
    for file in source.files:
        problems = []
        for locator in file.locators:
            kind = locator_kind(locator)
            if kind not in places.locators or not client_present(kind):
                continue
            problem = _ask(kind, locator)
            if problem is None:
                break
            problems.append(problem)
        else:
            return "; ".join(problems) or "no server may be asked"
    return "yes"


def _ask(kind: str, locator: str) -> str | None:
    """What keeps one locator from being fetched; None when it can be."""
    # Imported here: the plan and the doctor without --look need no network library.
    from socialbias.sources import asking, hf, npm, pypi

    if kind == "https":
        return asking.look(locator, PATIENCE)
    if kind == "hf":
        return hf.reachable(locator, PATIENCE)
    if kind == "pypi":
        return pypi.reachable(locator, PATIENCE)
    if kind == "npm":
        return npm.reachable(locator, 20)
    return f"{kind} is not asked: its client would fetch"


def _shares(source: Source, places: Places) -> tuple[str, str, str]:
    """How many of a source's files are here, in the mirror and in the cache."""

    def share(has: Callable[[SourceFile], object]) -> str:
        count = sum(bool(has(file)) for file in source.files)
        return f"{count}/{len(source.files)}" if count else "-"

    return (
        share(lambda file: (places.data / source.id / file.name).is_file()),
        share(lambda file: in_mirror(source, file, places)),
        share(lambda file: in_cache(source, file, places)),
    )


def report(findings: list[Finding], run: str) -> str:
    """The findings as a table of plain text, with the steps below it."""
    head = ["role", "source", "fidelity", "here", "mirror", "cache", "online"]
    cells = [[getattr(finding, x) for x in head] for finding in findings]
    lines = [f"run {run!r}: how each role is served", *table(head, cells)]
    steps: dict[str, list[str]] = {}
    for finding in findings:
        if finding.step:
            steps.setdefault(finding.step, []).append(finding.role)
    if steps:
        lines.append("for a better input:")
    lines += [f"  {', '.join(roles)}: {step}" for step, roles in steps.items()]
    return "\n".join(lines)


def main() -> None:
    """Print the findings, and below them what would be fetched."""
    parser = arguments("How each role of the configuration is served.")
    parser.add_argument("--look", action="store_true", help="ask the servers; nothing is fetched")
    options = parser.parse_args()
    try:
        now = situation(options.configfile)
        inputs = now.config.inputs.model_dump()
        found = doctor(inputs, now.bindings, now.registry, now.places, options.look)
    except UserError as error:
        sys.exit(str(error))
    rows = [row for row in plan(now.bindings, now.registry, now.places) if row.source]
    print(report(found, now.config.run))
    print(render(rows, now.config.run))


if __name__ == "__main__":
    main()
