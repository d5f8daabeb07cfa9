"""Which module imports which: no two of them need each other, and rooms have an order.

Imports inside functions count, and those for annotations alone.
"""

import ast
import re
from collections.abc import Container, Iterator, Mapping
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

from tests.paths import REPOSITORY

SOURCE = REPOSITORY / "src"
ROOMS = (
    *("errors", "files", "config", "system", "stats", "corpora", "embeddings", "sources"),
    *("measures", "models", "measurement", "pipeline", "reporting", "papers", "commands"),
)
OUTSIDE = ("", "__main__")  # the package itself


@cache
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


def room(module: str) -> str:
    return f"{module}.".split(".")[1]


def test_no_circle_of_modules():
    assert not circle(imports_of(SOURCE))


def test_each_room_imports_only_from_rooms_before_it():
    """Papers are thus imported by themselves and by commands alone."""
    for name, imported in imports_of(SOURCE).items():
        own = room(name)
        if own in ROOMS:
            before = ROOMS[: ROOMS.index(own) + 1]
            assert {room(other) for other in imported} <= {*before, ""}, name
    assert {room(name) for name in imports_of(SOURCE)} == {*ROOMS, *OUTSIDE}


@pytest.mark.parametrize("folder", ["bench", "tests/gpu", "tests/rehearsal", "tests/simulations"])
def test_what_is_seldom_run_imports_names_that_there_are(folder):
    for path in (REPOSITORY / folder).rglob("*.py"):
        for full in named_in(path):
            module, _, name = full.rpartition(".")
            source = SOURCE.joinpath(*module.split(".")).with_suffix(".py")
            if full.startswith("socialbias.") and source.is_file():
                assert re.search(rf"\b{name}\b", source.read_text("utf-8")), f"{path}: {full}"
