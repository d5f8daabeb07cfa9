"""Which source plays which role: decided when the workflow is planned, without the network."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from socialbias.sources import npm
from socialbias.sources.checksums import UNKNOWN
from socialbias.sources.fidelity import FIDELITIES, worst_fidelity
from socialbias.sources.registry import Source, SourceFile
from socialbias.sources.request import Timeouts
from socialbias.sources.subjects import FILE_LOCATOR, HUB_LOCATOR
from socialbias.sources.unavailable import unavailable_sources

PUBLIC_BYTES = 100_000_000  # of all files together that `make public-files` fetches
CLOSED = ("gated", "dead")  # a licence has to be accepted, or nothing can be fetched
KINDS = ("https", "hf", "pypi", "npm", "manual")
LOCAL = frozenset({"data", "mirror", "manual", "path"})  # places that are no server
# How to make a kind of locator usable when its client is not installed.
INSTALL = {"pypi": "install pip", "npm": "install npm"}


@dataclass(frozen=True)
class Places:
    """Where to look for sources; a folder may be None.

    A file in the folder `manual` is always used, whatever the locators.
    """

    data: Path  # of fetched sources, one folder each
    mirror: Path | None  # copies of sources
    locators: tuple[str, ...]  # kinds that may be used, such as `pypi`
    manual: Path | None = None  # files fetched by hand, one folder per source
    timeouts: Timeouts = field(default_factory=Timeouts)
    accept_short: tuple[str, ...] = ()  # sources that may have less than the registry expects
    accepted: tuple[str, ...] = ()  # gated sources whose licence the user has
    unavailable: tuple[str, ...] = ()  # sources that no place gave (see `unavailable`)
    fallback: str = "exact"  # how far the source that follows one of these may be from the paper's

    @property
    def lock_path(self) -> Path:
        """The file of recorded checksums."""
        return self.data / "sources.lock"


@dataclass(frozen=True)
class Binding:
    """The source that plays a role, or why there is none."""

    role: str  # its name in the configuration
    source: str | None  # the source's id
    where: str  # `data`, `mirror`, `manual` or kinds of locators, comma-separated
    fidelity: str  # how close the source is to what the paper used; `no input` if there is none
    missing: str  # how to make an input available; "" if there is one
    errata: Mapping[str, str] = field(default_factory=dict)  # misspelt words: their right form
    label: str = ""  # what tables and pictures call the source
    original: str = ""  # what they call the paper's source; "" for a role that no paper has


def places_of(config: Any, environ: Mapping[str, str] = os.environ) -> Places:
    """Return the places named by a configuration and the environment."""
    data = Path(config.data)
    return Places(
        data=data,
        mirror=_folder(config.mirror or environ.get("SOCIALBIAS_MIRROR")),
        locators=tuple(config.locators),
        manual=_folder(getattr(config, "manual", None)),
        accept_short=tuple(getattr(config, "accept_short", ())),
        accepted=tuple(getattr(config, "accepted", ())),
        unavailable=unavailable_sources(data, environ),
        fallback=getattr(config, "fallback", "exact"),
    )


def locator_kind(locator: str) -> str:
    """Return the kind of a locator: the part before `:` (http counts as https)."""
    kind = locator.split(":", 1)[0]
    return {"http": "https", "hub": "hf"}.get(kind, kind)


def client_installed(kind: str) -> bool:
    """Return whether the program that a kind of locator needs is installed."""
    if kind == "pypi":
        return find_spec("pip") is not None
    if kind == "npm":
        return npm.installed()
    return kind in KINDS


def locations(source: Source, places: Places) -> str:
    """Return the best place for each file of a source; "" if a file is unavailable."""
    each = [location_of(source, file, places) for file in source.files]
    return ", ".join(dict.fromkeys(each)) if all(each) else ""


def location_of(source: Source, file: SourceFile, places: Places) -> str:
    """Return the first place that has a file or may be asked for it; "" if there is none.

    Nothing is read: `fetch` checks the file.
    """
    if file.locators[0].startswith(FILE_LOCATOR):
        return "path"  # a user's own: it was there when the configuration was read
    if (places.data / source.id / file.name).exists():
        return "data"
    if file.locators[0].startswith(HUB_LOCATOR):
        return "hf"  # a user's own, whatever `locators` says of sources
    return next((kind for kind, _ in candidates(source, file, places, file.locators)), "")


def candidates(
    source: Source, file: SourceFile, places: Places, locators: Iterable[str]
) -> Iterator[tuple[str, Path | str]]:
    """Yield where to fetch a file from, in this order: kind of place, and copy or locator."""
    copy = places.mirror and places.mirror / source.mirror_folder / file.name
    if copy and copy.is_file():
        yield "mirror", copy
    for locator in locators:
        kind = locator_kind(locator)
        if kind == "manual":
            copy = places.manual and places.manual / source.id / file.name
            if copy and copy.is_file():
                yield kind, copy
        elif kind in places.locators and client_installed(kind) and may_download(source, places):
            yield kind, locator


def may_download(source: Source, places: Places) -> bool:
    """Return whether a source is still there, and open or of a licence that the user has."""
    has_licence = source.status == "gated" and source.id in places.accepted
    return has_licence or source.status not in CLOSED


def how_to_get(source: Source, places: Places) -> str:
    """Return one sentence: what is missing and how to get it."""
    unavailable = [f for f in source.files if not location_of(source, f, places)] or source.files
    file = unavailable[0]
    named = sorted({locator_kind(x) for f in unavailable for x in f.locators} - {"manual"})
    kinds = named if may_download(source, places) else []
    ways = []
    if named and not kinds and source.status == "gated":
        accept = f"write `accepted: [{source.id}]` in the configuration"
        ways.append(f"if you have its licence ({source.licence}), {accept}")
    if source.id in places.unavailable:
        ways.append("`make doctor LOOK=--look` asks its hosts again")
    disabled = [kind for kind in kinds if kind not in places.locators]
    enabled = [kind for kind in kinds if kind in places.locators]
    ways += [INSTALL[k] for k in enabled if k in INSTALL and not client_installed(k)]
    if disabled:
        line = f"`locators: [{', '.join([*places.locators, *disabled])}]`"
        ways.insert(0, f"write {line} in the configuration to download it")
    if "https" in disabled and is_public(source):
        ways.insert(0, "run `make public-files`")
    if any(locator_kind(x) == "manual" for x in file.locators):
        steps = " ".join(source.steps.split()).rstrip(".")
        folder = f"a folder {source.id} inside the folder that `manual` in the configuration names"
        folder = f"{places.manual / source.id}" if places.manual else folder
        ways.append(f"get it by hand: {steps}. Then put {file.name} into {folder}")
    copy = f"{source.mirror_folder}/{file.name}"
    ways = ways or [f"set SOCIALBIAS_MIRROR to a folder that contains {copy}"]
    problem = "could not be fetched" if source.id in places.unavailable else "is missing"
    return f"the source {source.id} {problem}: {', or '.join(ways)}"


def is_public(source: Source) -> bool:
    """Return whether `make public-files` may fetch a source.

    Each file has an https address, a size and a checksum; the source has at most `PUBLIC_BYTES`,
    and no licence has to be accepted.
    """
    if source.status in CLOSED or sum(f.bytes or 0 for f in source.files) > PUBLIC_BYTES:
        return False
    return all(
        f.bytes and f.sha256 != UNKNOWN and any(x.startswith("https:") for x in f.locators)
        for f in source.files
    )


def bind(
    inputs: Mapping[str, Sequence[str]],
    registry: Mapping[str, Source],
    places: Places,
    originals: Mapping[str, str] | None = None,
) -> dict[str, Binding]:
    """Bind each role to the first of its sources (best first) that is available.

    Nothing is fetched. `originals` has the source that the paper used, by role; without it the
    fidelity of a source is that of the registry. A role that no source can play has a binding too.
    Where servers did not give a source, the next one plays its role only if it is as good, or as
    `places.fallback` allows.
    """
    bindings = {}
    for role, ids in inputs.items():
        sources = [registry[name] for name in ids]
        original = registry.get((originals or {}).get(role, ""))
        missing = f"no source is named: list one in inputs.{role} of the configuration"
        missing = how_to_get(sources[0], places) if sources else missing
        binding = Binding(role, None, "", "no input", missing)
        limit: str = FIDELITIES[-1]  # the worst fidelity that the role takes
        for source in sources:
            fidelity = source.fidelity
            if originals is not None:
                fidelity = fidelity_in_role(source, original)
                if source.id in places.accept_short:
                    fidelity = worst_fidelity([fidelity, "subset"])
            where = locations(source, places)
            if not where or worst_fidelity([fidelity, limit]) != limit:
                continue
            # No server gave it, and it has to be fetched from one.
            has_failed = source.id in places.unavailable and not LOCAL.issuperset(where.split(", "))
            if not has_failed:
                about = (fidelity, "", source.errata, source.short_name)
                binding = Binding(role, source.id, where, *about)
                break
            if limit == FIDELITIES[-1]:
                binding = replace(binding, missing=how_to_get(source, places))
            if places.fallback == "none":
                break
            limit = worst_fidelity([fidelity, places.fallback])
        bindings[role] = replace(binding, original=original.short_name if original else "")
    return bindings


def fidelity_in_role(source: Source, original: Source | None) -> str:
    """Return how close a source is to what the paper used in one role, None if no paper has it.

    A source may be the paper's own in one role and a substitute in another.
    """
    if source.fidelity == "own":
        return "own"
    if original is None:
        return "substitute"
    same = {original.id}
    if original.stands_in_for and original.fidelity == "exact":
        same.add(original.stands_in_for)
    if source.id in same:
        return "exact"
    return source.fidelity if source.stands_in_for in same else "substitute"


def _folder(path: str | None) -> Path | None:
    return Path(path).expanduser() if path else None
