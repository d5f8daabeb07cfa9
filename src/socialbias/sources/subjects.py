"""Users' own vectors, corpora and models, as sources in addition to those of the registry.

They are named in `subjects` of the configuration; a role of `inputs` then uses the name like that
of any other source. Their fidelity is `own`: numbers based on them are not compared with a paper's.
"""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from pathlib import Path

from socialbias.errors import UserError, nearest
from socialbias.sources import hub
from socialbias.sources.registry import Source, SourceFile
from socialbias.sources.sniffing import sniffed
from socialbias.sources.verified import described

# Other things in the folders of sources.
RESERVED = ("packages", "sources.lock", "unavailable.json", "decades")
FILE_LOCATOR, HUB_LOCATOR = "file://", "hub://"


def subject_sources(
    subjects: Mapping[str, Mapping], registry: Mapping[str, Source]
) -> dict[str, Source]:
    """Return the subjects of a configuration, by name, as sources.

    Each has a `kind` and one of `path`, `hub` and `source` (of the registry). A UserError has one
    line per problem: a name that the registry has, a missing path, a path in an unknown format, or
    an option that the reader of the format does not take.
    """
    sources, problems = {}, []
    for name, subject in subjects.items():
        try:
            if name in RESERVED:
                raise UserError(f"{name} is a name of this project's own: choose another")
            if name in registry:
                raise UserError("the registry has a source of this name: choose another")
            sources[name] = _source(name, subject, registry)
            _check_options(subject, sources[name].format)
        except UserError as error:
            problems.append(f"config: subjects.{name}: {error}")
    if problems:
        raise UserError("\n".join(problems))
    return sources


def _source(name: str, subject: Mapping, registry: Mapping[str, Source]) -> Source:
    """Return one subject as a source."""
    if subject["source"]:
        if subject["source"] not in registry:
            raise UserError(f"no source is called {subject['source']!r}")
        source = registry[subject["source"]]
        own = {"id": name, "label": name, "folder": source.mirror_folder}
        return source.model_copy(update=own | {"fidelity": "own", "stands_in_for": ""})
    if subject["hub"]:
        format_, files = "hf-model", {"config.json": f"{HUB_LOCATOR}{subject['hub']}"}
    else:
        path = Path(subject["path"]).expanduser()
        format_, paths = sniffed(path, subject["kind"])
        base = path if path.is_dir() else path.parent
        files = {str(p.relative_to(base)): f"{FILE_LOCATOR}{p.absolute()}" for p in paths}
    return Source(
        id=name,
        title=f"{subject['kind']} of the user's own",
        label=name,
        citation="the user's own",
        licence="the user's own",
        format=format_,
        files=[
            SourceFile(name=file, sha256="unknown", locators=[locator])
            for file, locator in files.items()
        ],
        fidelity="own",
    )


def _check_options(subject: Mapping, format_: str) -> None:
    """Refuse options that would be unknown, or of no effect, when the subject is read."""
    if not subject["options"]:
        return
    if subject["kind"] != "corpus":
        raise UserError(f"options: {subject['kind']} take none")
    # Imported here: planning is faster without the readers of corpora.
    from socialbias.corpora.readers import options_of

    known = options_of(format_)
    for option in subject["options"]:
        if option not in known:
            hint = nearest(option, known)
            raise UserError(f"options: the format {format_} has no option {option!r}{hint}")


def fetch_subject(source: Source, data: Path) -> dict:
    """Put a subject into the folder of fetched sources; return its manifest.

    It is linked from its place, or downloaded from the hub. A file in the place of a link, and a
    model that cannot be downloaded, are a UserError.
    """
    folder = data / source.id
    folder.mkdir(parents=True, exist_ok=True)
    locator = source.files[0].locators[0]
    if locator.startswith(HUB_LOCATOR):
        shutil.rmtree(folder)  # nothing of another model or revision is left
        folder.mkdir()
        try:
            hub.snapshot(hub.named(hub.SCHEME + locator.removeprefix(HUB_LOCATOR)), folder)
        except UserError as error:
            raise UserError(f"{folder.name}: {error}") from None
        names = [str(p.relative_to(folder)) for p in sorted(folder.rglob("*")) if p.is_file()]
        names = [name for name in names if not name.startswith(".")]
    else:
        for file, path in zip(source.files, paths_of(source), strict=True):
            link = folder / file.name
            link.parent.mkdir(parents=True, exist_ok=True)
            if link.exists() and not link.is_symlink():
                place = link.parent
                raise UserError(f"{link} is in the way: keep files of your own outside {place}")
            link.unlink(missing_ok=True)
            link.symlink_to(path)
        names = [file.name for file in source.files]
    files = [described(folder / name, folder) for name in names]
    keys = ("title", "licence", "format", "fidelity", "stands_in_for")
    return {"source": source.id, **{key: getattr(source, key) for key in keys}, "files": files}


def paths_of(source: Source) -> list[Path]:
    """Return the user's own files of a source; none for a source that is fetched."""
    locators = [locator for file in source.files for locator in file.locators]
    own = [x for x in locators if x.startswith(FILE_LOCATOR)]
    return [Path(locator.removeprefix(FILE_LOCATOR)) for locator in own]


def identity_of(source: Source) -> list:
    """Return what a user's own source is: another place, format or edited file is read anew."""
    if source.fidelity != "own":
        return []
    stats = [path.stat() for path in paths_of(source)]
    stamps = [[stat.st_size, stat.st_mtime_ns] for stat in stats]
    return [source.format, [file.locators for file in source.files], stamps]
