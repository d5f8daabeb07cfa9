"""What lies around a run, looked at before anything is planned: folders, and names of files."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path, PurePosixPath

from socialbias.errors import UserError
from socialbias.sources.binding import Places
from socialbias.sources.registry import Source


def check_surroundings(places: Places, sources: Mapping[str, Source]) -> None:
    """Refuse folders that cannot be what the configuration says, and names that leave theirs.

    A mirror that is not there would be no mirror, silently: the run would download what it has, or
    take substitutes for it.

    Args:
        places: Where the run looks for sources.
        sources: All sources by id.

    Raises:
        UserError: one line per problem.
    """
    problems = [*_folders(places), *_names(sources.values())]
    if problems:
        raise UserError("\n".join(problems))


def _folders(places: Places) -> Iterable[str]:
    given = {
        "mirror": (places.mirror, "`mirror`, or the variable SOCIALBIAS_MIRROR,"),
        "manual": (places.manual, "`manual`"),
    }
    for folder, what in given.values():
        if folder is not None and not folder.is_dir():
            kind = "is no folder" if _there(folder) else "is not there"
            yield f"{folder} {kind}: {what} must name a folder, or nothing"
    made = {"data": (places.data, "`data`"), "cache": (places.cache, "SOCIALBIAS_CACHE")}
    for folder, what in made.values():
        if folder is not None and _there(folder) and not folder.is_dir():
            yield f"{folder} is no folder: {what} must name one, or a place where one can be made"
    both = [folder for folder in (places.mirror, places.data) if folder and folder.is_dir()]
    if len(both) == 2 and both[0].samefile(both[1]):
        yield f"{places.mirror} is both `data` and `mirror`: a run writes into the first alone"


def _there(path: Path) -> bool:
    return path.exists() or path.is_symlink()


def _names(sources: Iterable[Source]) -> Iterable[str]:
    """Names in the registry that would lead out of the folder of their source."""
    for source in sources:
        names = [("folder", source.folder)] * bool(source.folder)
        names += [("file", file.name) for file in source.files]
        for what, name in names:
            if not stays_below(name):
                yield (
                    f"{source.id}: the {what} {name!r} leaves the folder of its source: name one "
                    "below it, such as part/file.txt"
                )


def stays_below(name: str) -> bool:
    """Whether a name is that of a file below the folder in which it is looked up."""
    parts = PurePosixPath(name).parts
    plain = name.isprintable() and "\\" not in name and not name.startswith("/")
    return plain and bool(parts) and ".." not in parts
