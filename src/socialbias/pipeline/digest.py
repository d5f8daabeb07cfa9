"""Digests of code: of a function and of every definition of the library that it reaches.

A digest is a parameter of every job, so that editing a measure re-runs what calls it and nothing
else. Comments, docstrings, annotations and layout do not count.

The code is read, never run. From a definition the walk follows the names that stand in it: those
of its own module, those that it imports (at the head of the module or inside a function), and
`socialbias.x.y` or `socialbias.x.y:name` in a string. Classes count whole, and so does a module
that is passed around as an object. What is looked up by a name that is put together at run time
is not seen.
"""

from __future__ import annotations

import ast
import hashlib
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import NamedTuple

PACKAGE = "socialbias"
BESIDE = (".j2", ".css")  # templates that belong to the module of the same name
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
DOTTED = re.compile(rf"{PACKAGE}(\.\w+)+(:\w+)?")
IDLE = ("TYPE_CHECKING", "__name__ == '__main__'")  # conditions that no job meets


class Definition(NamedTuple):
    """A top-level name of a module, with all statements that make it.

    Attributes:
        module: The file that it stands in.
        name: Its name; "" for the statements of the module that define nothing.
    """

    module: Path
    name: str


@dataclass
class _Module:
    """A parsed file.

    Attributes:
        statements: By top-level name, the statements that make it; "" has all others.
        imports: By name in this module, the dotted name that it stands for.
    """

    path: Path
    statements: dict[str, list[ast.stmt]] = field(default_factory=dict)
    imports: dict[str, str] = field(default_factory=dict)


def code_digest(library: Path, *entries: Path | str) -> str:
    """The digest of scripts and functions with everything of the library that they reach.

    Args:
        library: The folder that holds the package `socialbias`.
        entries: Scripts, as paths, and functions, as `socialbias.module:name`.

    Returns:
        16 hexadecimal digits.

    Raises:
        LookupError: there is no such function.
    """
    parts = []
    definitions = reached(library, *entries)
    for module, name in definitions:
        parts.append(f"{module.stem}\0{name}\0{_code(module, name, _stamp(module))}")
    for module in {module for module, _ in definitions}:
        parts += [beside.read_text("utf-8") for beside in _beside(module)]
    return hashlib.sha256("\0".join(sorted(parts)).encode()).hexdigest()[:16]


def reached(library: Path, *entries: Path | str) -> set[Definition]:
    """Every definition that scripts and functions reach, themselves among them.

    Args:
        library: The folder that holds the package `socialbias`.
        entries: Scripts, as paths, and functions, as `socialbias.module:name`.
    """
    waiting: list[Definition] = []
    for entry in entries:
        if isinstance(entry, Path):
            waiting += _every(_module(entry, _stamp(entry)))
        else:
            waiting += _named(library, entry)
    found: set[Definition] = set()
    while waiting:
        definition = waiting.pop()
        if definition in found:
            continue
        found.add(definition)
        waiting.append(Definition(definition.module, ""))
        for dotted in _used(definition.module, definition.name, _stamp(definition.module)):
            waiting += _resolved(library, dotted, definition.module)
    return found


def _named(library: Path, entry: str) -> list[Definition]:
    """The function of an entry such as `socialbias.module:name`."""
    dotted, _, name = entry.partition(":")
    path = library.joinpath(*dotted.split(".")).with_suffix(".py")
    if not path.exists() or name not in _module(path, _stamp(path)).statements:
        raise LookupError(f"there is no function {entry}")
    return [Definition(path, name)]


def _resolved(library: Path, dotted: str, here: Path) -> list[Definition]:
    """The definitions that a dotted name stands for; [] where it is none of the library's."""
    if dotted.startswith("."):  # a name of the module itself
        return [Definition(here, dotted[1:])]
    parts = dotted.split(".")
    if parts[0] != PACKAGE:
        return []
    path, rest = _file_of(library, parts)
    if path is None:
        return []
    module = _module(path, _stamp(path))
    if not rest:
        return _every(module)
    if rest[0] in module.statements:
        return [Definition(path, rest[0])]
    if rest[0] in module.imports:  # handed on from another module
        return _resolved(library, ".".join([module.imports[rest[0]], *rest[1:]]), path)
    if path.name == "__init__.py":  # a module that is not there, or a name that is found later
        later = "__getattr__"
        return [Definition(path, later)] if later in module.statements else []
    return _every(module)


def _file_of(library: Path, parts: list[str]) -> tuple[Path | None, list[str]]:
    """The file of the longest module that a dotted name begins with, and what is left."""
    for n in range(len(parts), 0, -1):
        base = library.joinpath(*parts[:n])
        for path in (base.with_suffix(".py"), base / "__init__.py"):
            if path.exists():
                return path, parts[n:]
    return None, parts


def _every(module: _Module) -> list[Definition]:
    """All definitions of a module."""
    return [Definition(module.path, name) for name in module.statements]


def _stamp(path: Path) -> int:
    """When a file was changed: part of the keys of caches, so that an edit is seen."""
    return path.stat().st_mtime_ns


@cache
def _module(path: Path, _changed: int) -> _Module:
    """A file's definitions and imports."""
    module = _Module(path, {"": []})
    for statement in ast.parse(path.read_text("utf-8"), str(path)).body:
        if isinstance(statement, ast.Import | ast.ImportFrom):
            module.imports |= _imported(statement)
        elif not _is_idle(statement):
            for name in _defined(statement) or [""]:
                module.statements.setdefault(name, []).append(statement)
    return module


def _is_idle(statement: ast.stmt) -> bool:
    """Whether a statement does nothing in a job: a docstring, `if TYPE_CHECKING`, `if __name__`."""
    if isinstance(statement, ast.Expr):
        return isinstance(statement.value, ast.Constant)
    return isinstance(statement, ast.If) and ast.unparse(statement.test) in IDLE


def _imported(statement: ast.Import | ast.ImportFrom) -> dict[str, str]:
    """By name, what an import statement makes it stand for."""
    if isinstance(statement, ast.Import):
        # `import a.b` makes the name `a`, and `a.b` is reached through it.
        plain = {a.name.split(".")[0]: a.name.split(".")[0] for a in statement.names}
        return plain | {a.asname: a.name for a in statement.names if a.asname}
    return {a.asname or a.name: f"{statement.module}.{a.name}" for a in statement.names}


def _defined(statement: ast.stmt) -> list[str]:
    """The top-level names that a statement makes or changes."""
    if isinstance(statement, (*FUNCTIONS, ast.ClassDef)):
        return [statement.name]
    if isinstance(statement, ast.Assign):
        targets = statement.targets
    elif isinstance(statement, ast.AnnAssign | ast.AugAssign):
        targets = [statement.target]
    else:
        return []
    names = [node for target in targets for node in ast.walk(target) if isinstance(node, ast.Name)]
    # In `TABLE[key] = x` the table is changed, though the name is only looked up.
    return [node.id for node in names]


@cache
def _used(path: Path, name: str, changed: int) -> tuple[str, ...]:
    """The dotted names in a definition; those of the module itself begin with a dot."""
    module = _module(path, changed)
    found: dict[str, None] = {}
    for statement in module.statements[name]:
        imports = dict(module.imports)
        for node in ast.walk(statement):
            if isinstance(node, ast.Import | ast.ImportFrom):
                imports |= _imported(node)
        for dotted in _names(statement):
            first, _, rest = dotted.partition(".")
            if first in imports:
                found[".".join(filter(None, [imports[first], rest]))] = None
            elif first in module.statements:
                found[f".{first}"] = None
            elif DOTTED.fullmatch(dotted):
                found[dotted.replace(":", ".")] = None
    return tuple(found)


def _names(statement: ast.stmt) -> Iterator[str]:
    """Every name in a statement, with the attributes that are asked of it, and all strings."""
    waiting: list[ast.AST] = [statement]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.Name):
            yield node.id
        elif isinstance(node, ast.Attribute):
            dotted = _dotted(node)
            if dotted:
                yield dotted
            else:
                waiting.append(node.value)
        elif isinstance(node, ast.Constant):
            if isinstance(node.value, str):
                yield node.value
        elif isinstance(node, ast.ClassDef) and not node.bases:
            # Only a class with a base, such as a pydantic model, reads what its fields' types are.
            fields = [s.value if isinstance(s, ast.AnnAssign) else s for s in _body(node)]
            waiting += [*filter(None, fields), *node.decorator_list]
        else:
            waiting += _children(node)


def _dotted(node: ast.Attribute) -> str:
    """`a.b.c` where an attribute is asked of a name; "" where it is asked of something else."""
    parts = [node.attr]
    inner = node.value
    while isinstance(inner, ast.Attribute):
        parts.append(inner.attr)
        inner = inner.value
    return ".".join([inner.id, *reversed(parts)]) if isinstance(inner, ast.Name) else ""


def _children(node: ast.AST) -> Iterator[ast.AST]:
    """What a node consists of, without docstrings and without the annotations of functions."""
    for _, value in _fields(node):
        for item in value if isinstance(value, list) else [value]:
            if isinstance(item, ast.AST):
                yield item


def _fields(node: ast.AST) -> Iterator[tuple[str, object]]:
    """The fields of a node that say what it does."""
    for name, value in ast.iter_fields(node):
        if name == "body" and isinstance(node, (*FUNCTIONS, ast.ClassDef)):
            yield name, _body(node)
        elif name not in ("returns", "ctx", "type_comment") and not (
            name == "annotation" and isinstance(node, ast.arg)
        ):
            yield name, value


def _body(node: ast.AST) -> list[ast.stmt]:
    """The statements of a function or class without its docstring."""
    return node.body[1:] if ast.get_docstring(node, clean=False) is not None else node.body


@cache
def _code(path: Path, name: str, changed: int) -> str:
    """A definition without comments, docstrings, annotations of functions and layout."""
    return "".join(map(_written, _module(path, changed).statements[name]))


def _written(value: object) -> str:
    """A part of a tree as text."""
    if isinstance(value, list):
        return f"[{','.join(map(_written, value))}]"
    if isinstance(value, ast.AST):
        fields = ",".join(f"{name}={_written(inner)}" for name, inner in _fields(value))
        return f"{type(value).__name__}({fields})"
    return repr(value)


def _beside(path: Path) -> list[Path]:
    """The templates and style sheets that belong to a module, such as `page.html.j2`."""
    return [p for p in path.parent.glob(f"{path.stem}.*") if p.suffix in BESIDE]
