"""A digest of what a script does: of its code and of the library modules that it imports.

It is a parameter of every rule, so that editing a measure re-runs what uses it and nothing else.
Comments, docstrings and layout do not count.
"""

from __future__ import annotations

import ast
import hashlib
from functools import cache
from pathlib import Path

PACKAGE = "socialbias"


def code_digest(script: Path, library: Path, *modules: str) -> str:
    """The digest of a script and of everything of the library that it reaches.

    Args:
        script: A Python file.
        library: The folder that holds the package `socialbias`.
        modules: Names of modules that the script looks up by a wildcard.

    Returns:
        16 hexadecimal digits.
    """
    digest = hashlib.sha256()
    looked_up = [path for name in modules for path in _files_of(name, library)]
    for path in sorted(_reached([script, *looked_up], library)):
        digest.update(f"{path.name}\0{_parsed(path, path.stat().st_mtime_ns)[0]}\0".encode())
    return digest.hexdigest()[:16]


def _reached(files: list[Path], library: Path) -> set[Path]:
    """The files and every file of the library that they import, directly or not."""
    reached: set[Path] = set()
    waiting = list(files)
    while waiting:
        path = waiting.pop()
        if path in reached:
            continue
        reached.add(path)
        for name in _parsed(path, path.stat().st_mtime_ns)[1]:
            waiting += _files_of(name, library)
    return reached


def _files_of(name: str, library: Path) -> list[Path]:
    """The file of a module, with the data files beside it that share its name.

    A template or a style sheet such as `page.html.j2` belongs to the module `page`.
    """
    base = library.joinpath(*name.split("."))
    module = base.with_suffix(".py")
    if not module.exists():
        package = base / "__init__.py"
        return [package] if package.exists() else []
    return [module, *(p for p in base.parent.glob(f"{base.name}.*") if p.suffix in {".j2", ".css"})]


@cache
def _parsed(path: Path, modified: int) -> tuple[str, tuple[str, ...]]:
    """A file's code without comments and docstrings, and the library's modules it imports.

    `modified` is part of the key only: a file that changes while this process lives is read anew.
    """
    text = path.read_text("utf-8")
    if path.suffix != ".py":
        return text, ()
    tree = ast.parse(text, str(path))
    names: list[str] = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            # `from package import name`: the name may be a module or something inside one.
            names += [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
        elif isinstance(node, ast.Constant) and str(node.value).startswith(f"{PACKAGE}."):
            names.append(node.value)  # a module that is looked up by name, as in __init__.py
        _strip_docstring(node)
    local = tuple(sorted({n for n in names if n.split(".")[0] == PACKAGE}))
    return ast.dump(tree, include_attributes=False), local


def _strip_docstring(node: ast.AST) -> None:
    """Remove the docstring of a module, class or function in place."""
    kinds = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    if isinstance(node, kinds) and ast.get_docstring(node, clean=False) is not None:
        node.body = node.body[1:] or [ast.Pass()]
