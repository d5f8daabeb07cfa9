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
        if path.suffix == ".json":  # of a representation, such as `bert/given`
            name = "/".join(path.parts[-3:-1])
            attributes = json.loads(path.read_text("utf-8"))
        else:  # of evidence, such as `stereoset/scores_gpt2`
            name = f"{path.parts[-3]}/{path.stem}"
            attributes = json.loads((pq.read_schema(path).metadata or {}).get(ATTRIBUTES, b"{}"))
        for ran_on in attributes.get("ran_on", []):
            jobs = found.setdefault((ran_on["device"], ran_on["dtype"]), [])
            if name not in jobs:
                jobs.append(name)
    return [
        {"device": device, "dtype": dtype, "jobs": sorted(jobs)}
        for (device, dtype), jobs in sorted(found.items())
    ]
