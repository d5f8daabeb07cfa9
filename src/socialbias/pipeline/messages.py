"""The lines that a run prints: its inputs, its results and where they are."""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from itertools import chain
from pathlib import Path

from socialbias.sources.binding import Binding
from socialbias.sources.fidelity import FIDELITIES

MADE = "made in this run"
OF_NUMBERS = ("equal", "equal by truncation", "within", "outside", "open", "no input")
OF_COLUMNS = ("agrees", "contradicts", "unclear")
MOST_NAMED = 3  # targets that are named one by one


def inputs_line(run: str, fidelities: Iterable[str]) -> str:
    """Return one line on the inputs of a run."""
    counts = Counter(fidelities)
    kinds = [kind for kind in (*FIDELITIES[:-1], MADE, FIDELITIES[-1]) if counts[kind]]
    counted = ", ".join(f"{counts[kind]} {kind}" for kind in kinds)
    return f"run {run!r}: {counts.total()} inputs: {counted} (`make doctor` shows details)"


def replaced(
    failed: Iterable[str], inputs: Mapping[str, Sequence[str]], bindings: Mapping[str, Binding]
) -> dict[str, str]:
    """Return by role, what it has in place of a source that could not be fetched."""
    return {
        role: f"{role} has {bindings[role].source or FIDELITIES[-1]} instead of {source}"
        for source in failed
        for role, names in inputs.items()
        if source in names and bindings[role].source not in names[: names.index(source) + 1]
    }


def unknown_target(
    targets: Iterable[str], names: Sequence[str], files: Sequence[str], made: Callable[[str], bool]
) -> str:
    """Return what to say of the first target that no rule makes, with the nearest that one does."""
    for target in targets:
        by_path = "/" in target or "." in target
        if target in names or made(target):
            continue
        near = get_close_matches(target, files if by_path else names, 3, 0.6)
        meant = f"did you mean {' or '.join(near)}? " if near else ""
        return f"{target}: no such target: {meant}`make targets` lists them all"
    return ""


def spent(seconds: float) -> str:
    """Return a time with as many digits as an estimate has."""
    unit, size = next(
        x for x in (("h", 3600), ("min", 60), ("s", 1)) if seconds >= x[1] or x[1] == 1
    )
    value = seconds / size
    return f"{value:,.0f} {unit}" if value >= 10 or unit == "s" else f"{value:.1f} {unit}"


@dataclass(frozen=True)
class Target:
    """Something that was asked for, and where it lies."""

    name: str  # the target
    # Of the artefacts that it has, path and name without the kinds of files.
    stems: tuple[Path, ...]
    place: str  # what a reader opens


def ending(targets: Sequence[Target], claims: Path | None, seconds: float) -> list[str]:
    """Return the lines at the end of a successful run, at most five."""
    stems = dict.fromkeys(stem for one in targets for stem in one.stems)
    lines = []
    files = {"numbers": ("comparison.csv", OF_NUMBERS), "columns": ("columns.csv", OF_COLUMNS)}
    for what, (kind, order) in files.items():
        verdicts = chain.from_iterable(_verdicts(Path(f"{stem}.{kind}")) for stem in stems)
        lines += _counted(what, Counter(verdicts), order)
    if claims is not None:
        lines += _counted("claims", Counter(_verdicts(claims)), ())
    places = [f"{one.name}: {one.place}" for one in targets[:MOST_NAMED]]
    more = len(targets) - MOST_NAMED
    lines.append("; ".join(places) + (f"; and {more} more" if more > 0 else ""))
    return [*lines, f"done in {spent(seconds)}"]


def _verdicts(path: Path) -> list[str]:
    """Return the verdicts that count, if there is a table; no parser here needs pandas."""
    if not path.exists():
        return []
    with path.open(encoding="utf-8", newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["verdict"]]
    return [row["verdict"] for row in rows if row.get("counted", "1") == "1"]


def _counted(what: str, counts: Counter[str], order: Sequence[str]) -> list[str]:
    """Return a line on verdicts, in `order` if there is one, else the most frequent first."""
    kinds = order or [kind for kind, _ in counts.most_common()]
    parts = [f"{counts[kind]:,} {kind}" for kind in kinds if counts[kind]]
    return [f"{what}: {', '.join(parts)}"] if parts else []
