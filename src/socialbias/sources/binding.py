"""Which source plays which role: decided when the workflow is planned, without the network."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from socialbias.sources import kaggle, npm
from socialbias.sources.cache import cached
from socialbias.sources.checksums import UNKNOWN
from socialbias.sources.lock import read_lock
from socialbias.sources.order import Patience
from socialbias.sources.registry import Source, SourceFile
from socialbias.sources.subjects import FILE_LOCATOR

KINDS = ("https", "hf", "pypi", "npm", "kaggle", "manual")
# What makes a kind of locator usable that is not, because its program is not here.
INSTALL = {"pypi": "install pip", "npm": "install npm", "kaggle": kaggle.HOW}


@dataclass(frozen=True)
class Places:
    """Where sources may be looked for.

    Attributes:
        data: Folder of what has been fetched already, one folder a source.
        mirror: Folder with copies of sources, or None.
        locators: Kinds of locators that may be used, such as `pypi`. `manual` needs no leave: a
            file that someone has put into the folder for such files is meant to be used.
        cache: Folder of a shared cache (see `cache`), or None.
        cache_write: Whether what is fetched may be added to the cache.
        manual: Folder of files that a person has fetched, one folder a source; or None.
        lock: The lock of sources without a checksum; None for one in the data folder.
        patience: How long to wait for servers.
    """

    data: Path
    mirror: Path | None
    locators: tuple[str, ...]
    cache: Path | None = None
    cache_write: bool = False
    manual: Path | None = None
    lock: Path | None = None
    patience: Patience = field(default_factory=Patience)

    @property
    def lock_path(self) -> Path:
        """Where the lock lies."""
        return self.lock or self.data / "sources.lock"


@dataclass(frozen=True)
class Binding:
    """The source that plays a role, or why none does.

    Attributes:
        role: The role's name in the configuration.
        source: The source's id; None when none can be had.
        where: `data`, `mirror`, `cache`, `manual` or the kind of locator it will come from, several
            with a comma where its files lie apart; "" when none.
        fidelity: How near the source is to what the paper used; `no input` when none.
        missing: What a user can do to get an input; "" when there is one.
    """

    role: str
    source: str | None
    where: str
    fidelity: str
    missing: str


def places_of(config: Any, environ: Mapping[str, str] = os.environ) -> Places:
    """The places that a configuration and the environment name.

    Args:
        config: Has `data`, `mirror`, `manual` and `locators`.
        environ: May have SOCIALBIAS_MIRROR, SOCIALBIAS_CACHE and SOCIALBIAS_CACHE_WRITE=1.
    """
    return Places(
        data=Path(config.data),
        mirror=_folder(config.mirror or environ.get("SOCIALBIAS_MIRROR")),
        locators=tuple(config.locators),
        cache=_folder(environ.get("SOCIALBIAS_CACHE")),
        cache_write=environ.get("SOCIALBIAS_CACHE_WRITE") == "1",
        manual=_folder(getattr(config, "manual", None)),
        lock=Path("resources/sources.lock"),
    )


def locator_kind(locator: str) -> str:
    """The kind of a locator: what stands before `:` (http counts as https)."""
    kind = locator.split(":", 1)[0]
    return {"http": "https", "hub": "hf"}.get(kind, kind)


def client_present(kind: str) -> bool:
    """Whether this machine has the program that a kind of locator needs."""
    if kind == "pypi":
        return find_spec("pip") is not None
    if kind in ("npm", "kaggle"):
        return {"npm": npm, "kaggle": kaggle}[kind].present()
    return kind in KINDS


def where_it_is(source: Source, places: Places) -> str:
    """The places that have the files of a source, the best for each; "" when one is nowhere."""
    found = [place_of(source, file, places) for file in source.files]
    return ", ".join(dict.fromkeys(found)) if all(found) else ""


def place_of(source: Source, file: SourceFile, places: Places) -> str:
    """The first place that has a file or may be asked for it; "" when there is none.

    It is the order in which `fetch` tries them. Nothing is read: `fetch` checks what it gets.
    """
    if file.locators[0].startswith(FILE_LOCATOR):
        return "path"  # a user's own: it was there when the configuration was read
    if (places.data / source.id / file.name).exists():
        return "data"
    if in_mirror(source, file, places):
        return "mirror"
    if in_cache(source, file, places):
        return "cache"
    for locator in file.locators:
        kind = locator_kind(locator)
        if kind == "manual":
            if put_by_hand(source, file, places):
                return kind
        elif kind in places.locators and client_present(kind) and source.status != "dead":
            return kind
    return ""


def in_mirror(source: Source, file: SourceFile, places: Places) -> Path | None:
    """The copy of a file in the mirror, if there is one."""
    copy = places.mirror and places.mirror / source.mirror_folder / file.name
    return copy if copy and copy.is_file() else None


def in_cache(source: Source, file: SourceFile, places: Places) -> Path | None:
    """The copy of a file in the cache, if there is one and its checksum is known."""
    if places.cache is None:
        return None
    checksum = file.sha256
    if checksum == UNKNOWN:
        entry = read_lock(places.lock_path).get(f"{source.id}/{file.name}", {})
        checksum = entry.get("sha256", UNKNOWN)
    return cached(places.cache, checksum)


def put_by_hand(source: Source, file: SourceFile, places: Places) -> Path | None:
    """A file that a person has fetched, if it lies where it should."""
    path = places.manual and places.manual / source.id / file.name
    return path if path and path.is_file() else None


def how_to_get(source: Source, places: Places) -> str:
    """One sentence: what would make this source available."""
    lacking = [f for f in source.files if not place_of(source, f, places)] or source.files
    file = lacking[0]
    kinds = sorted({locator_kind(x) for f in lacking for x in f.locators} - {"manual"})
    kinds = [] if source.status == "dead" else kinds
    barred = [kind for kind in kinds if kind not in places.locators]
    ways = [INSTALL[k] for k in kinds if k in INSTALL and k not in barred and not client_present(k)]
    if barred:
        ways.insert(0, f"allow {' or '.join(barred)} in `locators`")
    if any(locator_kind(x) == "manual" for x in file.locators):
        steps = " ".join(source.steps.split()).rstrip(".")
        ways.append(f"by hand: {steps}; then put {file.name} {_manual_folder(source, places)}")
    ways.append(f"set SOCIALBIAS_MIRROR to a folder with {source.mirror_folder}/{file.name}")
    return f"{source.id} is not here: {', or '.join(ways)}"


def bind(
    inputs: Mapping[str, Sequence[str]],
    registry: Mapping[str, Source],
    places: Places,
    originals: Mapping[str, str] | None = None,
) -> dict[str, Binding]:
    """Bind each role to the first of its sources that can be had.

    Args:
        inputs: Source ids by role, best first.
        registry: All sources by id.
        places: Where sources may be looked for. Nothing is fetched.
        originals: The source that the paper used, by role; None takes each source's fidelity as
            the registry states it.

    Returns:
        One binding a role, also for roles that no source can play.
    """
    bindings = {}
    for role, ids in inputs.items():
        sources = [registry[name] for name in ids]
        binding = _bind(role, sources, places)
        if originals is not None and binding.source:
            original = registry.get(originals.get(role, ""))
            fidelity = fidelity_in_role(registry[binding.source], original)
            binding = replace(binding, fidelity=fidelity)
        bindings[role] = binding
    return bindings


def fidelity_in_role(source: Source, original: Source | None) -> str:
    """How near a source is to what the paper used in one role.

    One source may be the paper's own in one role and a substitute in another.

    Args:
        source: What is bound.
        original: What the paper used; None for a role that no paper has.
    """
    if source.fidelity == "own":
        return "own"
    if original is None:
        return "substitute"
    if original.stands_in_for and original.fidelity == "exact":
        same = {original.id, original.stands_in_for}
    else:
        same = {original.id}
    if source.id in same:
        return "exact"
    return source.fidelity if source.stands_in_for in same else "substitute"


def _bind(role: str, sources: Sequence[Source], places: Places) -> Binding:
    for source in sources:
        where = where_it_is(source, places)
        if where:
            return Binding(role, source.id, where, source.fidelity, "")
    missing = how_to_get(sources[0], places) if sources else f"name a source in inputs.{role}"
    return Binding(role, None, "", "no input", missing)


def _folder(path: str | None) -> Path | None:
    return Path(path).expanduser() if path else None


def _manual_folder(source: Source, places: Places) -> str:
    """Where a file that a person fetches has to be put."""
    if places.manual:
        return f"into {places.manual / source.id}"
    return f"into a folder {source.id} of the folder that `manual` in the configuration names"
