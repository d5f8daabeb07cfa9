"""Scores of models as Every Eval Ever 0.3.0: a JSON file for each benchmark and model."""

from __future__ import annotations

import hashlib
import uuid
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path

import pandas as pd
from jinja2 import Environment, PackageLoader

from socialbias.files.atomic_write import write_text
from socialbias.reporting.record import RunRecord

BENCHMARKS = {
    "stereoset_table4": "stereoset",
    "stereoset_table5": "stereoset",
    "stereoset_crows_pairs": "crows-pairs",
}


def write_scores(folder: Path, record: RunRecord, sources: Mapping, place: Path) -> int:
    """Write a run's scores to `data/<benchmark>/<owner>/<model>/`; return the number of files."""
    templates = Environment(loader=PackageLoader("socialbias.reporting", ""), trim_blocks=True)
    written = f"{datetime.fromisoformat(record.written).timestamp():.0f}"
    table = pd.read_parquet(folder / "all.parquet")
    table["target"] = table["paper"] + "_" + table["artefact"]
    table["model"] = table["row"].map({row: name for row, name in record.models.items() if name})
    table = table[table["target"].isin(BENCHMARKS) & table[["model", "value"]].notna().all(axis=1)]
    groups = table.groupby([table["target"].map(BENCHMARKS), "model"])
    for (benchmark, name), cells in groups:
        source = sources.get(record.subjects.get(name) or name)
        places = [at for file in source.files for at in file.locators] if source else []
        hub = [at.removeprefix("hf://").partition("@")[0] for at in places if "hf://" in at]
        model = hub[0] if hub else f"local/{source.id if source else name}"
        known = {"benchmark": benchmark, "model": model, "run": record, "written": written}
        known["title"] = source.title if source else name
        known["scores"] = cells.astype(object).where(cells.notna(), None).to_dict("records")
        text = templates.get_template("every_eval_ever.json.j2").render(known)
        digest = hashlib.sha256(text.encode()).digest()
        file = f"{uuid.UUID(bytes=digest[:16], version=4)}.json"  # the same run, the same name
        path = place / "data" / benchmark / model / file
        path.parent.mkdir(parents=True, exist_ok=True)
        write_text(path, text)
    return len(groups)
