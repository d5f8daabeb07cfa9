"""Which module imports which: no two of them need each other, and no two of the rooms.

Imports inside functions count, and those for annotations alone.
"""

import ast
from collections.abc import Container, Iterator, Mapping
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

from tests.paths import REPOSITORY

SOURCE = REPOSITORY / "src"
PAPERS, API = SOURCE / "socialbias/papers", "socialbias.api"


def imports_of(source: Path) -> dict[str, set[str]]:
    """By module below a folder, those of the same folder that it imports."""
    paths = {module_of(path.relative_to(source)): path for path in source.rglob("*.py")}
    return {
        name: {known for full in named_in(path) if (known := holder(full, paths))} - {name}
        for name, path in paths.items()
    }


def module_of(path: Path) -> str:
    return ".".join(path.with_suffix("").parts).removesuffix(".__init__")


def holder(full: str, modules: Container[str]) -> str:
    """The module that a dotted name stands for or stands in; "" where it is another project's."""
    return next((name for name in (full, full.rpartition(".")[0]) if name in modules), "")


def named_in(path: Path) -> Iterator[str]:
    """The modules and names that a file imports, each in full."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert not node.level, f"{path}: name the whole module"
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def circle(graph: Mapping[str, set[str]]) -> list[str]:
    """Modules each of which imports the one before it; empty where there is no circle."""
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        return error.args[1]
    return []


def rooms_of(graph: Mapping[str, set[str]]) -> dict[str, set[str]]:
    """The same, of what lies in the library's own folder: packages, and modules by themselves."""
    rooms: dict[str, set[str]] = {}
    for name, imported in graph.items():
        own = room(name)
        rooms.setdefault(own, set()).update({room(other) for other in imported} - {own})
    return rooms


def room(module: str) -> str:
    return ".".join(module.split(".")[:2])


def room_of_paper(module: str) -> str:
    """The paper in whose folder a module lies; "" for what papers share, and for all others."""
    _, papers, paper, *_ = f"{module}...".split(".")
    return paper if papers == "papers" and paper and (PAPERS / paper).is_dir() else ""


@pytest.fixture(scope="module")
def library():
    return imports_of(SOURCE)


def test_no_circle_of_modules(library):
    assert not circle(library)


def test_no_circle_of_rooms(library):
    assert not circle(rooms_of(library))


def test_the_api_imports_nothing_from_a_paper_s_room(library):
    papers = set(map(room_of_paper, library)) - {""}
    assert len(papers) == 5
    own = {name: imported for name, imported in library.items() if room(name) == API}
    assert own
    assert not {
        (name, other)
        for name, imported in own.items()
        for other in imported
        if room_of_paper(other)
    }


def test_the_kernel_lies_below_papers_and_commands(library):
    below = {"errors", "files", "stats", "corpora", "embeddings", "contextual", "datasets"}
    below |= {"measures", "words"}
    rooms = rooms_of(library)
    imported = {name.removeprefix("socialbias.") for name in rooms["socialbias.measurement"]}
    assert imported <= below
