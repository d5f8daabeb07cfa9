"""What a declared function is called with: its inputs by name, its settings, and its log."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from importlib import import_module
from pathlib import Path
from typing import Any, TypeVar

import pandas as pd

from socialbias.embeddings.words.of_papers import read_word_lists
from socialbias.files.atomic_write import aside
from socialbias.sources.verified import check_result, record

Item = TypeVar("Item")


@dataclass(frozen=True)
class Job:
    """One step of an artefact."""

    # By input, its files; an input that is not available in the run is not there.
    files: Mapping[str, list[Path]]
    settings: Mapping[str, Any]  # by dotted key, values of the configuration
    say: Callable[[str], None]  # writes a line to the log
    # By input, misspelt words of its source, and what they should be.
    errata: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    # A folder for what a long job has finished so far: it is there again if the job is killed and
    # started anew with the same inputs, settings and code.
    parts: Path | None = None
    cores: int = 1  # how many processes it may have
    # Which of a number of jobs it is that share a step's work, from 0, and their number.
    share: tuple[int, int] = (0, 1)

    def __contains__(self, name: str) -> bool:
        return name in self.files

    def path(self, name: str) -> Path:
        """Return the only file of an input."""
        [path] = self.files[name]
        return path

    def table(self, name: str) -> pd.DataFrame:
        """Return an input that is a parquet table."""
        return pd.read_parquet(self.path(name))

    def part(self, name: str, compute: Callable[[], pd.DataFrame]) -> pd.DataFrame:
        """Return a part of a long job: read, if it was computed before the job was killed."""
        if self.parts is None:
            return compute()
        path = self.parts / f"{name}.parquet"
        if not path.exists():
            table = compute()
            self.parts.mkdir(parents=True, exist_ok=True)
            with aside(path) as unfinished:
                table.to_parquet(unfinished)
            record(path)
        check_result(path)
        return pd.read_parquet(path)

    def mine(self, work: Sequence[Item]) -> Sequence[Item]:
        """Return what of a step's work this job does.

        A part in the order of the whole, perhaps none. The tables of all parts, one after the
        other, are the table of one job that does it all.
        """
        part, parts = self.share
        return work[len(work) * part // parts : len(work) * (part + 1) // parts]

    def below(self, prefix: str) -> list[str]:
        """Return what follows the prefix in names of inputs that begin with it, in their order."""
        return [name.removeprefix(prefix) for name in self.files if name.startswith(prefix)]

    def word_lists(self, name: str) -> dict:
        """Word lists of this project."""
        return read_word_lists(self.path(f"word_lists/{name}"))

    @property
    def seed(self) -> int:
        """The configuration's seed."""
        return self.settings["seed"]

    @property
    def level(self) -> float:
        """Coverage of intervals."""
        return self.settings["intervals.level"]

    @property
    def replicates(self) -> int:
        """Bootstrap replicates behind intervals."""
        return self.settings["intervals.replicates"]


def job_of(
    inputs: Mapping[str, Any],
    settings: Mapping,
    say: Callable[[str], None],
    parts: Path | None = None,
    cores: int = 1,
) -> Job:
    """Return a job as Snakemake hands it to a script."""
    files = {
        name: [Path(paths)] if isinstance(paths, str) else [Path(path) for path in paths]
        for name, paths in inputs.items()
    }
    keys, errata = settings.get("settings", {}), settings.get("errata", {})
    share = tuple(settings.get("share", (0, 1)))
    return Job(files, keys, say, errata, parts, cores, share)


def parts_of(output: Path, inputs: Mapping[str, Any], params: object) -> Path:
    """Return the folder for parts of a job, beside its output."""
    files = [p for paths in inputs.values() for p in ([paths] if isinstance(paths, str) else paths)]
    stats = [(name, (stat := Path(name).stat()).st_size, stat.st_mtime_ns) for name in files]
    digest = sha256(repr((stats, params)).encode()).hexdigest()[:16]
    return output.with_suffix(".parts") / digest


def joined(parts: Sequence[pd.DataFrame]) -> pd.DataFrame:
    """Return the table of a step from those of all its parts (`Job.mine`), and on what they ran."""
    table = pd.concat([part for part in parts if len(part)], ignore_index=True)
    ran_on = [entry for part in parts for entry in part.attrs.get("ran_on", [])]
    table.attrs = {"ran_on": [x for i, x in enumerate(ran_on) if x not in ran_on[:i]]}
    return table


def function_of(name: str) -> Callable:
    """Return a declared function, by `package.module:function`."""
    module, _, function = name.partition(":")
    return getattr(import_module(module), function)
