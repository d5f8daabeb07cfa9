"""What an audit leaves so that others can verify it: answers to items, and checksums.

`items/<task>.<side>.parquet` has the answers of a model, and of its twin of random weights: a row
for each item, word or text, without its sentences, which benchmarks have. The items of vectors and
corpora are the subject itself, whose checksums are in `audit.json`.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from socialbias.commands.audit.benchmarks import Benchmarks
from socialbias.commands.audit.page import FILE, PAGE, Audit, read_audit
from socialbias.commands.audit.results import TWIN, name_of
from socialbias.errors import UserError
from socialbias.files.atomic_write import check_output_folder, write_text
from socialbias.files.json_files import parse_json
from socialbias.files.paths import resources
from socialbias.files.text import CONTROL, read_text
from socialbias.reporting.plain_values import plain
from socialbias.reporting.record import SCOPE
from socialbias.reporting.render import json_of
from socialbias.sources.verified import described

if TYPE_CHECKING:  # a light installation has no torch
    from socialbias.commands.audit.instruments_models import Answers, Task

BUNDLE, ITEMS, MODEL = "bundle.json", "items", "model.json"
SIDES = ("model", TWIN)
LABEL = "item"
NOT_DERIVED = "so these numbers cannot be derived"
CODE = Path(__file__).parents[1]
ANSWERS = re.compile(rf"({MODEL}|.+\.({'|'.join(map(name_of, SIDES))})\.parquet)(\.part)?")


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


def earlier_audit(
    folder: Path, made_from: Mapping[str, object], benchmarks: Benchmarks
) -> Audit | None:
    """Return the audit to continue in a folder; None for a new or empty folder.

    Raise UserError for a folder with anything else, which may be the user's.
    """
    path, another = folder / FILE, "name another folder"
    if not path.is_file():
        # An audit that was stopped before its first number left answers alone.
        answers = (each.name for each in (folder / ITEMS).rglob("*"))
        alone = [each.name for each in folder.glob("*")] == [ITEMS]
        if not (alone and all(map(ANSWERS.fullmatch, answers))):
            check_output_folder(folder)
        return None
    audit = read_audit(path)
    for name, value in made_from.items():
        if audit.made_from.get(name) != value:
            raise UserError(f"{path}: was made with another {name.replace('_', '-')}: {another}")
    read = audit.provenance[1:-1]
    for entry in read:
        with suppress(UserError):
            benchmarks(entry["role"])
    if plain(benchmarks.read) != read:
        raise UserError(f"{path}: its benchmarks have changed: {another}")
    return audit


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


def write_bundle(folder: Path) -> None:
    """Write the checksums of all files of an audit, and its scope."""
    files = [folder / FILE, folder / PAGE, *sorted(folder.glob(f"{ITEMS}/*.*"))]
    content = {"files": [described(path, folder) for path in files], "scope": SCOPE}
    write_text(folder / BUNDLE, json_of(content))


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


def _read_json(path: Path) -> dict[str, Any]:
    """Return a JSON object; raise UserError if a file is none."""
    try:
        content = parse_json(read_text(path))
    except ValueError:
        content = None
    if not isinstance(content, dict):
        raise UserError(f"{path}: is damaged")
    return content
