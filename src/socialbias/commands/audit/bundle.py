"""What an audit leaves so that others can verify it: answers to items, checksums, error rates.

`items/<task>.<side>.parquet` has the answers of a model, and of its twin of random weights: a row
for each item, word or text, without its sentences, which benchmarks have. The items of vectors and
corpora are the subject itself, whose checksums are in `audit.json`.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from socialbias.commands.audit.page import FILE, PAGE, Audit, read_audit
from socialbias.commands.audit.results import TWIN, Entry, name_of
from socialbias.errors import UserError
from socialbias.files.atomic_write import (
    check_output_folder,
    check_own,
    write_output,
    write_text,
)
from socialbias.files.json_files import parse_json
from socialbias.files.paths import resources
from socialbias.files.text import CONTROL, read_text
from socialbias.reporting.contents import files_of
from socialbias.reporting.plain_values import plain
from socialbias.reporting.record import SCOPE
from socialbias.reporting.render import json_of
from socialbias.sources.sniffing import check_not_read
from socialbias.sources.verified import described

if TYPE_CHECKING:  # a light installation has no torch
    from socialbias.commands.audit.instruments_models import Answers, Task

BUNDLE, ITEMS, MODEL = "bundle.json", "items", "model.json"
SIDES = ("model", TWIN)
LABEL = "item"
NOT_DERIVED = "so these numbers cannot be derived"
CODE = Path(__file__).parents[1]
POWER = 0.8  # of a sample of this size for a difference of the size "detectable"


def code_digest() -> str:
    """Return a digest of this library's code and of the files that it brings."""
    digest = hashlib.sha256()
    for folder in (CODE, resources()):
        for path in sorted(p for p in folder.rglob("*.*") if p.suffix in (".py", ".yaml", ".csv")):
            digest.update(f"{path.relative_to(folder)}\0".encode() + path.read_bytes())
    return digest.hexdigest()[:16]


def digest_of(provenance: object) -> str:
    """Return a digest of plain values."""
    return hashlib.sha256(json.dumps(provenance, sort_keys=True).encode()).hexdigest()[:16]


def earlier_audit(folder: Path, made_from: Mapping[str, object]) -> tuple[Audit | None, str]:
    """Return the audit in a folder if it was made from the same; else None, and why it was not."""
    path = folder / FILE
    if not path.exists():
        return None, ""
    try:
        audit = read_audit(path)
    except UserError:
        return None, f"{path} is not an audit of this version"
    before = audit.made_from
    for name, value in made_from.items():
        if before.get(name) != value:
            values = f" (it was {before.get(name)})" if isinstance(value, int) else ""
            return None, f"{path} was made with another {name.replace('_', '-')}{values}"
    return audit, ""


def own_files(folder: Path) -> set[str]:
    """Return the names of the files in a folder that an earlier audit lists as its own."""
    try:
        listed = {file["path"] for file in read_bundle(folder)["files"]} | {BUNDLE}
    except UserError:
        return set()
    names = {name for name in listed if name in (FILE, PAGE, BUNDLE) or _is_answers(Path(name))}
    real = folder.resolve()  # what lies behind a link is not its own
    return {name for name in names if (folder / name).resolve() == real / name}


def _is_answers(path: Path) -> bool:
    """Return whether a file in an audit's folder has such a name as `write_answers` gives."""
    return path.parent == Path(ITEMS) and path.suffix in (".json", ".parquet")


def check_out(folder: Path, subject: Path | None, data: Path) -> None:
    """Raise UserError if an audit cannot be written to a folder without a loss."""
    own, names = own_files(folder), (FILE, PAGE, BUNDLE)
    for name in (*own, *names):
        check_not_read(folder / name, subject)
    check_output_folder(folder, own, names)
    place, kept = Path(os.path.realpath(folder)), Path(os.path.realpath(data))
    if kept == place or kept.is_relative_to(place / ITEMS):
        raise UserError(f"{folder}: benchmarks are kept there (data): name another folder")


def begin(folder: Path, made: Path) -> None:
    """Copy the files that an earlier audit in a folder lists to the one that continues it."""
    for name in own_files(folder):
        if (folder / name).is_file():
            (made / name).parent.mkdir(exist_ok=True)
            shutil.copyfile(folder / name, made / name)


def publish(made: Path, folder: Path) -> None:
    """Replace the files that an earlier audit in a folder lists by those of another one."""
    own, names = own_files(folder), [path.relative_to(made).as_posix() for path in files_of(made)]
    check_own(folder, own, names)
    for name in own.difference(names):
        (folder / name).unlink(missing_ok=True)
    for name in sorted(names, key=lambda name: name != BUNDLE):  # first the list of what is its own
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        write_output(folder / name, (made / name).read_bytes())


def write_head(folder: Path, head: str, conventions: dict) -> None:
    """Keep how the model scores words, as `of_models.head_of` returns it."""
    (folder / ITEMS).mkdir(parents=True, exist_ok=True)
    kept = {"head": head, "conventions": conventions}
    write_text(folder / ITEMS / MODEL, json.dumps(kept) + "\n")


def read_head(folder: Path) -> tuple[str, dict]:
    """Return what `write_head` has kept; raise UserError if it cannot be read."""
    kept = _read_json(folder / ITEMS / MODEL)
    return kept["head"], kept["conventions"]


def write_answers(folder: Path, task: Task, side: str, answers: Answers) -> None:
    """Keep the answers of the model, or of its twin, to a task."""
    import pandas as pd

    from socialbias.files.atomic_write import write_parquet

    words, numbers = answers if isinstance(answers, tuple) else ((), answers)
    table = pd.DataFrame(numbers, columns=[str(number) for number in range(numbers.shape[1])])
    table.insert(0, LABEL, words or _labels(task, len(numbers)))
    write_parquet(path_of_answers(folder, task, side), table, index=False)


def read_answers(folder: Path, task: Task, side: str) -> Answers:
    """Return what `write_answers` has kept."""
    import numpy as np
    import pandas as pd

    path = path_of_answers(folder, task, side)
    try:
        table = pd.read_parquet(path)
        labels = tuple(table.pop(LABEL))
    except FileNotFoundError:
        raise UserError(f"{path}: is missing, {NOT_DERIVED}") from None
    except (OSError, ValueError, KeyError):
        raise UserError(f"{path}: is damaged, {NOT_DERIVED}") from None
    if task.scoring and list(labels) != _labels(task, len(table)):
        raise UserError(f"{path}: its items are not those of {task.name}")
    numbers = np.ascontiguousarray(table.to_numpy())  # sums depend on the order in memory
    return numbers if task.scoring else (labels, numbers)


def _labels(task: Task, number: int) -> list[str]:
    """Return the names of the items of a task: its table has them, or they are counted."""
    return [str(label) for label in (range(number) if task.table is None else task.table[LABEL])]


def path_of_answers(folder: Path, task: Task, side: str) -> Path:
    """Return the file of the answers of the model, or of its twin, to a task."""
    return folder / ITEMS / f"{name_of(task.name)}.{name_of(side)}.parquet"


def write_bundle(folder: Path, audit: Audit) -> None:
    """Write the checksums of all files of an audit, its error rates and its scope."""
    answers = sorted(p for p in folder.glob(f"{ITEMS}/*") if _is_answers(p.relative_to(folder)))
    files = [folder / FILE, folder / PAGE, *answers]
    content = {"files": [described(path, folder) for path in files], **facts(audit)}
    write_text(folder / BUNDLE, json_of(content))


def facts(audit: Audit) -> dict[str, Any]:
    """Return what a bundle has beside the files: its scope, and how often its instruments err."""
    return {"scope": SCOPE, "error_rates": [error_rates(entry) for entry in audit.entries]}


def read_bundle(folder: Path) -> dict[str, Any]:
    """Return what `write_bundle` has written."""
    if not (folder / BUNDLE).is_file():
        hint = "name the output folder of `socialbias audit`, or a run after `make crate`"
        raise UserError(f"{folder}: has no {BUNDLE}: {hint}")
    content = _read_json(folder / BUNDLE)
    files = content.get("files")
    if not isinstance(files, list) or not all(map(_is_described, files)):
        raise UserError(f"{folder / BUNDLE}: is damaged: each file needs a name and a checksum")
    if missing := {FILE, PAGE} - {file["path"] for file in files}:
        raise UserError(f"{folder / BUNDLE}: has no checksum of {min(missing)}")
    if json_of(content) != read_text(folder / BUNDLE):
        raise UserError(f"{folder / BUNDLE}: is not a bundle of this version")
    return content


def _is_described(file: object) -> bool:
    """Return whether this is the name of a file in the folder, and its checksum."""
    match file:
        case {"path": str(name), "sha256": str()}:
            path = Path(name)
            return not (CONTROL.search(name) or path.is_absolute() or ".." in path.parts)
    return False


def error_rates(entry: Entry) -> dict[str, Any]:
    """Return how often the instrument errs with a sample of this size, as plain values.

    `false_alarms` is the rate that its interval or test is made for. Where the reference run has
    measured the rates on data with a known bias, they are there too, with their own sample size.
    """
    result, measured = entry.result, {}
    for field in ("false-alarms", "power"):
        known = result.passport.known.get(field) if result.passport else None
        if known is not None and known.value == known.value:
            measured[field] = {"rate": known.value, "low": known.low, "high": known.high}
            measured[field] |= {"n": known.size, "measured on": known.measured_on}
    return plain(
        {
            "instrument": entry.instrument,
            "n": result.n,
            "n_unit": result.n_unit,
            "false_alarms": 1 - result.level,
            "missed": {"of a difference of": result.detectable, "rate": 1 - POWER},
            "measured": measured,
        }
    )


def _read_json(path: Path) -> dict[str, Any]:
    """Return a JSON object; raise UserError if a file is none."""
    try:
        content = parse_json(read_text(path))
    except ValueError:
        content = None
    if not isinstance(content, dict):
        raise UserError(f"{path}: is damaged")
    return content
