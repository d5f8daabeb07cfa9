"""Outcomes as a table for the terminal and as rows for a file."""

from __future__ import annotations

import csv
import os
import platform
from collections.abc import Sequence
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from statistics import median

from bench.comparison import Outcome


def machine() -> str:
    """Return the machine in one line: processor, cores, memory, system, and how busy it is."""
    names = [x for x in Path("/proc/cpuinfo").read_text("utf-8").splitlines() if "model name" in x]
    processor = names[0].split(": ", 1)[1] if names else platform.machine()
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    return (
        f"{processor}, {os.cpu_count()} cores, {memory:.0f} GiB, {platform.system()}"
        f" {platform.release()}, load {os.getloadavg()[0]:.1f}"
    )


def ours() -> str:
    """Return the versions that our side ran on."""
    packages = [f"{name} {version(name)}" for name in ("numpy", "scipy", "scikit-learn")]
    return " ".join([f"Python {platform.python_version()}", *packages])


def row(outcome: Outcome) -> dict[str, str]:
    """Return one outcome as text, times in milliseconds."""
    c = outcome.comparison
    cells = {"comparison": c.name, "what": c.what}
    cells |= spread("ours_ms", outcome.ours)
    cells |= {"peer": c.peer_name if outcome.peer else ""}
    cells |= spread("peer_ms", outcome.peer)
    cells |= spread("ratio", outcome.ratios)
    cells["ratio"] = number(outcome.ratio) if outcome.ratio else ""
    cells["bar"] = c.bar
    cells["reached"] = {True: "yes", False: "no", None: ""}[outcome.reached]
    cells["difference"] = f"{outcome.apart:.1e}" if outcome.apart is not None else ""
    cells["rounds"] = str(len(outcome.ours))
    cells["note"] = c.note if outcome.agrees else "THE NUMBERS DIFFER: nothing was compared"
    return cells


def spread(name: str, numbers: Sequence[float]) -> dict[str, str]:
    """Median, least and most."""
    texts = [number(f(numbers)) if numbers else "" for f in (median, min, max)]
    return dict(zip([name, f"{name}_min", f"{name}_max"], texts, strict=True))


def number(x: float) -> str:
    """Return three digits."""
    return f"{x:.0f}" if x >= 1000 else f"{x:.3g}"


def table(rows: Sequence[dict[str, str]]) -> str:
    """Return the rows for a terminal: medians, and in brackets the least and the most."""

    def range_of(row: dict[str, str], name: str) -> str:
        return f"{row[name]} ({row[f'{name}_min']}-{row[f'{name}_max']})" if row[name] else ""

    lines = [["", "ours, ms", "peer, ms", "ratio", "bar", "reached"]]
    for r in rows:
        times = [range_of(r, name) for name in ("ours_ms", "peer_ms", "ratio")]
        lines.append([r["comparison"], *times, r["bar"], r["reached"]])
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    text = ["  ".join(f"{c:<{w}}" for c, w in zip(x, widths, strict=True)).rstrip() for x in lines]
    text.append("")
    for r in rows:
        peer = f"; peer: {r['peer']}" if r["peer"] else ""
        note = f" ({r['note']})" if r["note"] else ""
        text.append(f"{r['comparison']:<{widths[0]}}  {r['what']}{peer}{note}")
    return "\n".join(text)


def write(path: Path, rows: Sequence[dict[str, str]], circumstances: dict[str, str]) -> None:
    """Write the rows as CSV, each with the circumstances of the run."""
    when = datetime.now(UTC).isoformat(timespec="seconds")
    rows = [r | circumstances | {"date": when} for r in rows]
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, rows[0], lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
