"""What a run was: `run.json`, which the job that writes the page leaves beside it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

from socialbias.errors import UserError
from socialbias.files.atomic_write import write_text

NAME = "run.json"
# What people have to be told who see the numbers of a run, or of an audit, alone.
SCOPE = (
    "These numbers describe the inputs and items that are named, and no others. They are not "
    "evidence that a model, or a system that uses it, is without bias or harm: other items, "
    "languages and uses were not measured, and a bias below the detectable size may be missed."
)


@dataclass(frozen=True)
class RunRecord:
    """What a run was."""

    run: str  # its name
    seed: int  # the configuration's seed
    command: str  # what re-makes one artefact, without its name
    machine: str  # what it ran on
    version: str  # the version of the code, with its commit where that is known
    written: str  # when its page was written, ISO 8601
    config: dict[str, Any]  # the merged configuration
    # By role, `manifest` (a path, from the folder in which the run was made) and `fidelity` of the
    # source that plays it, and `original`, what the paper used.
    inputs: dict[str, dict[str, str]]
    missing: list[dict[str, Any]]  # the inputs that it lacks: `name`, `what`, `how`
    # By target, the digest of the code behind its values (`pipeline.artefact_code`).
    code: dict[str, str]

    @property
    def subjects(self) -> dict[str, str]:
        """By name of a user's subject, the source in the registry that it is; "" for own files."""
        subjects: Mapping[str, Mapping] = self.config.get("subjects") or {}
        return {name: subject.get("source") or "" for name, subject in subjects.items()}


def write_record(record: RunRecord, folder: Path) -> None:
    """Write `run.json` into the folder of a run."""
    text = json.dumps(asdict(record), indent=1, ensure_ascii=False, default=str)
    write_text(folder / NAME, text + "\n")


def read_record(folder: Path) -> RunRecord:
    """Read `run.json` of a run."""
    path = folder / NAME
    try:
        record = json.loads(path.read_text("utf-8"))
        return RunRecord(**{each.name: record[each.name] for each in fields(RunRecord)})
    except OSError:
        raise UserError(
            f"{folder}: no finished run ({NAME} is missing): run `make quickstart` or "
            "`snakemake --cores 2`, which write the page and this file, then try again"
        ) from None
    except (ValueError, LookupError, TypeError):
        raise UserError(f"{path}: damaged: remove it and run the same snakemake again") from None


def last_run(results: Path = Path("results")) -> Path:
    """Return the folder of the run whose page was written last."""
    records = sorted(results.glob(f"*/{NAME}"), key=lambda path: path.stat().st_mtime)
    if not records:
        raise UserError(
            f"{results}: no finished run: run `make quickstart` or `snakemake --cores 2` first"
        )
    return records[-1].parent
