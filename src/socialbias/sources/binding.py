"""Which source plays which role: decided when the workflow is planned, without the network."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from socialbias.sources.registry import Source


@dataclass(frozen=True)
class Places:
    """Where sources may be looked for.

    Attributes:
        data: Folder of what has been fetched already, one folder a source.
        mirror: Folder with copies of sources, or None.
        locators: Kinds of locators that may be used, such as `pypi`.
    """

    data: Path
    mirror: Path | None
    locators: tuple[str, ...]


@dataclass(frozen=True)
class Binding:
    """The source that plays a role, or why none does.

    Attributes:
        role: The role's name in the configuration.
        source: The source's id; None when none can be had.
        where: `data`, `mirror` or the kind of locator it will come from; "" when none.
        fidelity: How near the source is to what the paper used; `no input` when none.
        missing: What a user can do to get an input; "" when there is one.
    """

    role: str
    source: str | None
    where: str
    fidelity: str
    missing: str


def locator_kind(locator: str) -> str:
    """The kind of a locator: what stands before `://` (http counts as https)."""
    kind = locator.split("://", 1)[0]
    return "https" if kind == "http" else kind


def client_present(kind: str) -> bool:
    """Whether this machine has the program that a kind of locator needs."""
    return find_spec("pip") is not None if kind == "pypi" else True


def where_it_is(source: Source, places: Places) -> str:
    """The first place that has every file of a source; "" when there is none."""
    fetched = places.data / source.id
    names = ["manifest.json", *(file.name for file in source.files)]
    if all((fetched / name).exists() for name in names):
        return "data"
    in_mirror = places.mirror and places.mirror / source.mirror_folder
    if in_mirror and all((in_mirror / f.name).exists() for f in source.files):
        return "mirror"
    for kind in places.locators:
        covered = all(any(locator_kind(x) == kind for x in f.locators) for f in source.files)
        if covered and client_present(kind):
            return kind
    return ""


def how_to_get(source: Source, places: Places) -> str:
    """One sentence: what would make this source available."""
    kinds = sorted({locator_kind(x) for f in source.files for x in f.locators})
    ways = f"allow {' or '.join(kinds)} in `locators`, or set SOCIALBIAS_MIRROR to a folder with "
    return f"{source.id} is not here: {ways}{source.mirror_folder}/{source.files[0].name}"


def bind(
    inputs: Mapping[str, Sequence[str]], registry: Mapping[str, Source], places: Places
) -> dict[str, Binding]:
    """Bind each role to the first of its sources that can be had.

    Args:
        inputs: Source ids by role, best first.
        registry: All sources by id.
        places: Where sources may be looked for. Nothing is fetched.

    Returns:
        One binding a role, also for roles that no source can play.
    """
    return {role: _bind(role, [registry[s] for s in ids], places) for role, ids in inputs.items()}


def _bind(role: str, sources: Sequence[Source], places: Places) -> Binding:
    for source in sources:
        where = where_it_is(source, places)
        if where:
            return Binding(role, source.id, where, source.fidelity, "")
    missing = how_to_get(sources[0], places) if sources else f"name a source in inputs.{role}"
    return Binding(role, None, "", "no input", missing)
