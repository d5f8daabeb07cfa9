"""What lies around a run, looked at before anything is planned: the folders that it is given."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from socialbias.errors import UserError
from socialbias.sources.binding import Places


def check_surroundings(places: Places) -> None:
    """Refuse folders that cannot be what the configuration says.

    A mirror that is not there would be no mirror, silently: the run would download what it has, or
    take substitutes for it.
    """
    if problems := list(_folders(places)):
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
