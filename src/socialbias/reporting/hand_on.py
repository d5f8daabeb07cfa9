"""Hand on a finished run: `python -m socialbias.reporting.hand_on [results/<run>]`."""

from __future__ import annotations

import hashlib
import shutil
import sys
import uuid
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path

import pandas as pd
from jinja2 import Environment, PackageLoader

from socialbias.errors import UserError
from socialbias.files.atomic_write import write_text
from socialbias.files.paths import resources
from socialbias.files.yaml_files import read_yaml
from socialbias.reporting.contents import NAME
from socialbias.reporting.crate import write_crate
from socialbias.reporting.record import RunRecord, last_run, read_record
from socialbias.sources.registry import load_registry

FOLDER = "handed_on"  # of what is written beside the crate
FACTS = resources().parent
BENCHMARKS = {
    "stereoset_table4": "stereoset",
    "stereoset_table5": "stereoset",
    "stereoset_crows_pairs": "crows-pairs",
}


def hand_on(folder: Path, facts: Path = FACTS) -> list[str]:
    """Write the scores of models and the crate of a run, and return a line on each.

    `facts` is the folder of `resources/` and `CITATION.cff`.
    """
    record, registry = read_record(folder), load_registry(facts / "resources/sources.yaml")
    shutil.rmtree(folder / FOLDER, ignore_errors=True)  # a model may have gone
    place = folder / FOLDER / "every_eval_ever"
    files = write_scores(folder, record, registry, place)  # before the crate, which describes them
    write_crate(folder, record, registry, read_yaml(facts / "CITATION.cff"))
    return [f"Every Eval Ever: {files} files in {place}", f"RO-Crate: {folder / NAME}"]


def write_scores(folder: Path, record: RunRecord, sources: Mapping, place: Path) -> int:
    """Write the scores of models as Every Eval Ever 0.3.0; return the number of files.

    Each benchmark and model has one, in `data/<benchmark>/<owner>/<model>/`.
    """
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


def main(arguments: list[str]) -> int:
    """Hand on the run that is named, or the last one; 1 if that is not possible."""
    try:
        print(*hand_on(Path(arguments[0]) if arguments else last_run()), sep="\n")
    except UserError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
