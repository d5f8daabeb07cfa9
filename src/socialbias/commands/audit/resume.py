"""What an earlier audit of the same subject has left in its folder, to continue from."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Mapping
from pathlib import Path

from socialbias.commands.audit.page import FILE, Audit
from socialbias.commands.audit.results import Absent, Control, Entry, Mark
from socialbias.commands.result import Result
from socialbias.errors import UserError
from socialbias.files.json_files import parse_json
from socialbias.files.paths import resources
from socialbias.files.text import read_text
from socialbias.measurement.estimates import Placebo, Row

CODE = Path(__file__).parents[1]
NO_INTERVAL = {"low": math.nan, "high": math.nan}  # of rows that are written without one


def code_digest() -> str:
    """Return a digest of this library's code and of the files that it brings."""
    digest = hashlib.sha256()
    for folder in (CODE, resources()):
        for path in sorted(p for p in folder.rglob("*.*") if p.suffix in (".py", ".yaml", ".csv")):
            digest.update(f"{path.relative_to(folder)}\0".encode() + path.read_bytes())
    return digest.hexdigest()[:16]


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


def read_audit(path: Path) -> Audit:
    """Return an audit from its JSON file; raise UserError if that is none of this version."""
    try:
        return from_json(parse_json(read_text(path)))
    except (ValueError, KeyError, TypeError, AttributeError):
        raise UserError(f"{path}: is damaged, or of another version") from None


def digest_of(provenance: object) -> str:
    """Return a digest of plain values."""
    return hashlib.sha256(json.dumps(provenance, sort_keys=True).encode()).hexdigest()[:16]


def from_json(data: dict) -> Audit:
    """Return an audit from what its JSON has."""
    parts = {
        "entries": tuple(map(_entry, data["entries"])),
        "absent": tuple(Absent(**absent) for absent in data["absent"]),
        "sampled": tuple(data["sampled"]),
        "left": tuple(data["left"]),
    }
    return Audit(**data | parts)


def _entry(data: dict) -> Entry:
    named = {name.replace(" ", "_"): value for name, value in data.items()}
    result = {name: value for name, value in data["result"].items() if name != "passport"}
    result = _numbers(result) | {
        "rows": tuple(Row(**NO_INTERVAL | _numbers(row)) for row in result["rows"]),
        "placebos": tuple(Placebo(**_numbers(other)) for other in result["placebos"]),
        "notes": tuple(result["notes"]),
    }
    parts = {
        "result": Result(**result),
        "controls": tuple(Control(**_numbers(control)) for control in data["controls"]),
        "ruler": tuple(Mark(**mark) for mark in data["ruler"]),
    }
    return Entry(**named | parts)


def _numbers(fields: dict) -> dict:
    """Return fields with NaN where JSON has no number."""
    return {name: math.nan if value is None else value for name, value in fields.items()}
