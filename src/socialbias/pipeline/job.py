"""What a declared function is called with: its inputs by name, its settings, and its log."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Any

import pandas as pd

from socialbias.word_lists import read_word_lists


@dataclass(frozen=True)
class Job:
    """One step of an artefact.

    Attributes:
        files: By input, its files; an input that is not available in the run is not there.
        provenance: By input, the ids and fidelities of the sources that it rests on.
        settings: By dotted key, values of the configuration.
        say: Writes a line to the log.
        errata: By input, misspelt words of its source, and what they should be.
        output: The file that is made, beside which long work keeps what it has done; None where
            that is not known.
    """

    files: Mapping[str, list[Path]]
    provenance: Mapping[str, list[tuple[str, str]]]
    settings: Mapping[str, Any]
    say: Callable[[str], None]
    errata: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    output: Path | None = None

    def __contains__(self, name: str) -> bool:
        return name in self.files

    def path(self, name: str) -> Path:
        """The only file of an input."""
        [path] = self.files[name]
        return path

    def table(self, name: str) -> pd.DataFrame:
        """An input that is a parquet table."""
        return pd.read_parquet(self.path(name))

    def below(self, prefix: str) -> list[str]:
        """What follows the prefix in the names of the inputs that begin with it, in their order."""
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
    output: Path | None = None,
) -> Job:
    """A job as Snakemake hands it to a script.

    Args:
        inputs: Paths by name, a string or a list of strings each.
        settings: What `Plan.settings_of` made.
        say: Writes a line to the log.
        output: The file that is made.
    """
    files = {
        name: [Path(paths)] if isinstance(paths, str) else [Path(path) for path in paths]
        for name, paths in inputs.items()
    }
    provenance = {
        name: [(source, fidelity) for source, fidelity in parts]
        for name, parts in settings.get("provenance", {}).items()
    }
    return Job(
        files, provenance, settings.get("settings", {}), say, settings.get("errata", {}), output
    )


def function_of(name: str) -> Callable:
    """A declared function, by `package.module:function`."""
    module, _, function = name.partition(":")
    return getattr(import_module(module), function)
