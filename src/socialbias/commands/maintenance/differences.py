"""What differs between the files of an artefact, made twice: cell by cell."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import takewhile
from pathlib import Path
from typing import NamedTuple

import numpy as np

from socialbias.pipeline.inputs import OF_ARTEFACT
from socialbias.reporting.values import KEY, read_csv, read_draws

KINDS = (*OF_ARTEFACT.values(), "comparison.csv", "columns.csv", "csv", "tex", "html")


class Difference(NamedTuple):
    """One thing in which an artefact differs."""

    kind: str  # the file that differs, one of `KINDS`; "" for the artefact as a whole
    line: str  # what differs, for a person


def differences(was: Path, now: Path) -> Iterator[Difference]:
    """Compare the files of an artefact byte for byte, and find the cells in which they differ."""
    for kind in KINDS:
        old, new = (path.with_name(f"{path.name}.{kind}") for path in (was, now))
        if not old.exists():
            yield Difference(kind, "this file is new")
        elif old.read_bytes() != new.read_bytes():
            find = {"csv": _cells, "parquet": _draws}.get(kind.rpartition(".")[2], _first_line)
            lines = list(find(old, new)) or ["other bytes, though all cells are the same"]
            yield from (Difference(kind, line) for line in lines)


def _cells(old: Path, new: Path) -> Iterator[str]:
    """Yield the cells in which two CSV files differ, and once each field or row that one lacks."""
    was, now = read_csv(old), read_csv(new)
    yield from _only_in_one(*([f"field {name!r}" for name in table] for table in (was, now)))
    keys = [name for name in KEY if name in was and name in now]
    common = [name for name in was if name in now and name not in keys]
    was, now = ({_key(row, keys): row for row in t.to_dict("records")} for t in (was, now))
    yield from _only_in_one([*was], [*now])
    for where in (key for key in was if key in now):
        for name in common:
            before, after = was[where][name], now[where][name]
            if before != after:
                yield f"{where}: {name} was {before!r}, is {after!r}"


def _draws(old: Path, new: Path) -> Iterator[str]:
    """Yield the cells whose draws differ."""
    was, now = (
        {_key(dict(zip(KEY, cell, strict=True)), KEY): drawn for cell, drawn in found.items()}
        for found in (read_draws(old), read_draws(new))
    )
    yield from _only_in_one([*was], [*now])
    for where in (key for key in was if key in now):
        for name, before, after in zip(("draws", "null"), was[where], now[where], strict=True):
            n = ((before != after) & ~(np.isnan(before) & np.isnan(after))).sum()
            if n:
                means = f"their mean was {before.mean():.6g}, is {after.mean():.6g}"
                yield f"{where}: {n:,} of {len(before):,} {name} differ, {means}"


def _first_line(old: Path, new: Path) -> Iterator[str]:
    """Yield where two texts begin to differ."""
    was, now = ([*path.read_text("utf-8").splitlines(), None] for path in (old, new))
    same = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(was, now, strict=False)))
    yield f"differs from line {same + 1} on"


def _key(row: Mapping[str, str], keys: Sequence[str]) -> str:
    """Return what a row of a table is of, for a person."""
    return ", ".join(f"{name} {row[name]!r}" for name in keys)


def _only_in_one(was: Sequence[str], now: Sequence[str]) -> Iterator[str]:
    yield from (f"{name} is gone" for name in was if name not in now)
    yield from (f"{name} is new" for name in now if name not in was)
