"""What an audit reads: benchmarks, from a local folder or from PyPI, and the printed numbers."""

from __future__ import annotations

import csv
import re
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

from socialbias.commands.audit.results import PrintedNumber
from socialbias.errors import UserError
from socialbias.files.paths import resources

PLACES = {"trustworthy": "Bommasani and Liang 2022", "stereoset": "Nadeem et al. 2021"}


class Benchmarks:
    """Sources by role, each fetched on first use and checked by its checksum."""

    def __init__(self, data: Path, offline: bool = False, log: Callable[[str], None] | None = None):
        """Set where sources are, and whether they may be fetched."""
        self.data, self._offline = data, offline
        self._log = log or (lambda line: None)
        self.read: list[dict] = []
        self._fetched: dict[str, tuple[Path, dict]] = {}

    def __call__(self, role: str) -> tuple[Path, dict]:
        """Return the folder and the manifest, with its errata, of the source in a role."""
        if role not in self._fetched:
            self._fetched[role] = self._fetch(role)
        return self._fetched[role]

    def _fetch(self, role: str) -> tuple[Path, dict]:
        from socialbias.config import Inputs
        from socialbias.files.yaml_files import read_yaml
        from socialbias.pipeline.folder import FILES
        from socialbias.sources.binding import bind, places_of
        from socialbias.sources.fetch import fetch, fetch_or_link
        from socialbias.sources.registry import load_registry

        registry = load_registry(resources() / "sources.yaml")
        locators = () if self._offline else ("pypi",)
        places = places_of(SimpleNamespace(data=self.data, mirror=None, locators=locators))
        bound = Inputs.model_validate(read_yaml(FILES / "config.quickstart.yaml")["inputs"])
        sources = getattr(bound, role)
        chosen = bind({role: sources}, registry, places)[role].source
        if chosen is None:
            where = f"not in {self.data}" + (" (offline)" if self._offline else " or on PyPI")
            hint = "name a folder that contains it with --data, such as `data` of a quickstart"
            raise UserError(f"{registry[sources[0]].title}: {where}: {hint}")
        source = registry[chosen]
        # Jobs of the workflow rerun if a manifest is newer, so an existing one is not rewritten.
        known = (self.data / source.id / "manifest.json").is_file()
        manifest = (fetch if known else fetch_or_link)(source, places, self._log)
        entry = {"role": role, "name": source.id, "source": source.title}
        self.read.append(entry | {"licence": source.licence, "files": manifest["files"]})
        return self.data / source.id, manifest | {"errata": source.errata}

    def only_file(self, role: str) -> Path:
        """Return the file of a source that has only one."""
        from socialbias.sources.manifest import only_file

        return only_file(*self(role))


def printed_numbers(artefact: str, chosen: str, suffix: str = "") -> tuple[PrintedNumber, ...]:
    """Return printed numbers of a table.

    `chosen` is a pattern for "row, column", whose group is the subject that is shown.
    """
    paper = next(name for name in PLACES if artefact.startswith(f"{name}_"))
    where = f"{PLACES[paper]}, Table {artefact.removeprefix(f'{paper}_table')}"
    path = resources() / "published" / f"{artefact}.csv"
    lines = csv.DictReader(path.read_text("utf-8").splitlines())
    found = ((re.fullmatch(chosen, f"{line['row']}, {line['column']}"), line) for line in lines)
    return tuple(
        PrintedNumber(m[1] + suffix, line["value"], where)
        for m, line in found
        if m and line["value"]
    )
