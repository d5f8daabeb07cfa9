"""What breaks and what then happens: `make docs` writes it from the tests that show it.

A test says what it breaks by `@fault(what, outcome)`. Tests are read, not imported.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

# The page's sections, and the tests of each by the beginning of their path.
SECTIONS = {
    "Servers, archives and files that are fetched": (
        *("tests/faults/test_faulty", "tests/faults/test_first", "tests/faults/test_public"),
        "tests/sources",
    ),
    "Archives": ("tests/faults/test_archives",),
    "Killed, and started again": ("tests/faults/test_killed", "tests/faults/test_orphans"),
    "Locks, caches, disks and folders": ("tests/faults/test_places", "tests/faults/test_disk"),
    "Settings, and what lies around a run": (
        *("tests/faults/test_surroundings", "tests/test_config", "tests/pipeline"),
    ),
    "What people give to a command": ("tests/adversary", "tests/commands", "tests/property"),
    "Corpora": ("tests/corpora/test",),
    "Word vectors": ("tests/embeddings",),
    "Language models": ("tests/models",),
    "Seed files, tables and annotations": (
        *("tests/files/test_escaping", "tests/papers", "tests/corpora/annotation"),
    ),
}


def fault(what: str, outcome: str) -> pytest.MarkDecorator:
    """Mark a test, or a case of it, by what it breaks and what then happens."""
    return pytest.mark.fault(what, outcome)


def faults_in(text: str) -> Iterator[tuple[str, str]]:
    """What the calls of `fault` in a module say, in their order."""
    calls = [node for node in ast.walk(ast.parse(text)) if _is_fault(node)]
    for call in sorted(calls, key=lambda node: (node.lineno, node.col_offset)):
        what, outcome = (ast.literal_eval(argument) for argument in call.args)
        yield what, outcome


def _is_fault(node: ast.AST) -> bool:
    if not isinstance(node, ast.Call):
        return False
    return isinstance(node.func, ast.Name) and node.func.id == "fault"


def faults(tests: Path) -> str:
    """Return a table of faults for each section.

    Raises:
        ValueError: a module with faults belongs to no section.
    """
    rows: dict[str, list[tuple[str, str]]] = {title: [] for title in SECTIONS}
    for path in sorted(tests.rglob("test_*.py")):
        found = list(faults_in(path.read_text("utf-8")))
        if found:
            rows[_section(path.relative_to(tests.parent).as_posix())] += found
    parts = []
    for title, pairs in rows.items():
        if pairs:
            lines = [f"| {what} | {outcome} |" for what, outcome in pairs]
            parts.append(f"## {title}\n\n| Fault | What happens |\n| --- | --- |")
            parts[-1] += "\n" + "\n".join(lines) + "\n"
    return "\n".join(parts)


def _section(name: str) -> str:
    for title, beginnings in SECTIONS.items():
        if name.startswith(beginnings):
            return title
    raise ValueError(f"{name} has faults, but belongs to no section of tests/reliability.py")
