"""On what the models of a run ran, from the files that their jobs wrote."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

import pyarrow.parquet as pq

ATTRIBUTES = b"PANDAS_ATTRS"  # where pandas writes a table's `attrs`


def devices(paths: Iterable[Path]) -> list[dict]:
    """Return what ran on each kind of device, in each precision."""
    found: dict[tuple[str, str], list[str]] = {}
    for path in paths:
        for said in _ran_on(path):
            jobs = found.setdefault((said["device"], said["dtype"]), [])
            if _name(path) not in jobs:
                jobs.append(_name(path))
    return [
        {"device": device, "dtype": dtype, "jobs": sorted(jobs)}
        for (device, dtype), jobs in sorted(found.items())
    ]


def _ran_on(path: Path) -> list[dict[str, str]]:
    if path.suffix == ".json":
        return json.loads(path.read_text("utf-8")).get("ran_on", [])
    metadata = pq.read_schema(path).metadata or {}
    return json.loads(metadata.get(ATTRIBUTES, b"{}")).get("ran_on", [])


def _name(path: Path) -> str:
    """`bert/given` of a representation, `stereoset/scores_gpt2` of evidence."""
    if path.suffix == ".json":
        return "/".join(path.parts[-3:-1])
    return f"{path.parts[-3]}/{path.stem}"
