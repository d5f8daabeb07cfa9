"""Digests of code: of a function and of every definition of the library that it reaches.

A digest is a parameter of every job, so that editing a measure re-runs what calls it and nothing
else. Comments, docstrings, annotations and layout do not count. Nor does the wording of errors and
of log lines: constants in `raise`, and strings given to `LOGS`.

The code is read, never run, and read once: what is edited while Snakemake runs counts from its next
start. From a definition the walk follows the names in it: those of its own module, those
that it imports (at the head of the module or inside a function), and `socialbias.x.y` or
`socialbias.x.y:name` in a string. Classes count whole, and so does a module that is passed around
as an object. What is looked up by a name that is put together at run time is not seen.
"""

from __future__ import annotations

import ast
import hashlib
import re
from collections.abc import Iterator
from copy import deepcopy
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import NamedTuple

PACKAGE = "socialbias"
BESIDE = (".j2", ".css")  # templates of the module of the same name, such as `page.html.j2`
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
DOTTED = re.compile(rf"{PACKAGE}(\.\w+)+(:\w+)?")
LOGS = {"say", "_say", "log", "_log", "print", "warn", "exit"}  # functions, also of an object
IDLE = ("TYPE_CHECKING", "__name__ == '__main__'")  # conditions that no job meets


class Definition(NamedTuple):
    """A top-level name of a module, with all statements that make it."""

    module: Path  # the file that it stands in
    name: str  # its name; "" for the statements of the module that define nothing


@dataclass
class _Module:
    """A parsed file."""

    path: Path
    # By top-level name, the statements that make it; "" has all others.
    statements: dict[str, list[ast.stmt]] = field(default_factory=dict)
    # By name in this module, the dotted name that it stands for.
    imports: dict[str, str] = field(default_factory=dict)


@cache
def code_digest(library: Path, *entries: Path | str) -> str:
    """Return the digest of scripts and functions with everything of the library that they reach."""
    parts = sorted(_reading(each).hash for each in reached(library, *entries))
    return hashlib.sha256("".join(parts).encode()).hexdigest()[:16]


def reached(library: Path, *entries: Path | str) -> set[Definition]:
    """Return every definition that scripts and functions reach, themselves among them."""
    waiting: list[Definition] = []
    for entry in entries:
        if isinstance(entry, Path):
            waiting += _every(_module(entry))
        else:
            waiting.append(function_definition(library, entry))
    definitions: set[Definition] = set()
    while waiting:
        definition = waiting.pop()
        if definition not in definitions:
            definitions.add(definition)
            waiting += _next(library, definition)
    return definitions


def function_definition(library: Path, entry: str) -> Definition:
    """Return the function of an entry such as `socialbias.module:name`, or raise LookupError."""
    dotted, _, name = entry.partition(":")
    path = library.joinpath(*dotted.split(".")).with_suffix(".py")
    if not path.exists() or name not in _module(path).statements:
        raise LookupError(f"there is no function {entry}")
    return Definition(path, name)


@cache
def _next(library: Path, definition: Definition) -> list[Definition]:
    """Return what a definition names, and what its module does when it is imported."""
    definitions = [Definition(definition.module, "")]
    for dotted in _used(definition):
        definitions += _resolved(library, dotted, definition.module)
    return definitions


def _resolved(library: Path, dotted: str, module_path: Path) -> list[Definition]:
    """Return the definitions of the library that a dotted name refers to, if any."""
    if dotted.startswith("."):  # a name of the module itself
        return [Definition(module_path, dotted[1:])]
    path, rest = _file_of(library, dotted)
    if path is None:
        return []
    module = _module(path)
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


@cache
def _file_of(library: Path, dotted: str) -> tuple[Path | None, list[str]]:
    """Return the file of the longest module that a dotted name begins with, and what is left."""
    parts = dotted.split(".")
    for n in range(len(parts) if parts[0] == PACKAGE else 0, 0, -1):
        base = library.joinpath(*parts[:n])
        for path in (base.with_suffix(".py"), base / "__init__.py"):
            if path.exists():
                return path, parts[n:]
    return None, parts


def _every(module: _Module) -> list[Definition]:
    """Return all definitions of a module."""
    return [Definition(module.path, name) for name in module.statements]


@cache
def _module(path: Path) -> _Module:
    """Return a file's definitions and imports."""
    module = _Module(path, {"": []})
    for statement in ast.parse(path.read_text("utf-8"), str(path)).body:
        if isinstance(statement, ast.Import | ast.ImportFrom):
            module.imports |= _imported(statement)
            continue
        is_docstring = isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)
        is_idle = isinstance(statement, ast.If) and ast.unparse(statement.test) in IDLE
        if not (is_docstring or is_idle):
            for name in _defined(statement) or [""]:
                module.statements.setdefault(name, []).append(statement)
    return module


def _imported(statement: ast.Import | ast.ImportFrom) -> dict[str, str]:
    """Return by name what an import statement makes it stand for."""
    if isinstance(statement, ast.Import):
        # `import a.b` makes the name `a`, and `a.b` is reached through it.
        plain = {a.name.split(".")[0]: a.name.split(".")[0] for a in statement.names}
        return plain | {a.asname: a.name for a in statement.names if a.asname}
    return {a.asname or a.name: f"{statement.module}.{a.name}" for a in statement.names}


def _defined(statement: ast.stmt) -> list[str]:
    """Return the top-level names that a statement makes or changes."""
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


def _used(definition: Definition) -> list[str]:
    """Return the dotted names in a definition; those of the module itself begin with a dot."""
    module, reading = _module(definition.module), _reading(definition)
    imports = module.imports | reading.imports
    names: dict[str, None] = {}
    for dotted in reading.names:
        first, _, rest = dotted.partition(".")
        if first in imports:
            names[".".join(filter(None, [imports[first], rest]))] = None
        elif first in module.statements:
            names[f".{first}"] = None
        elif DOTTED.fullmatch(dotted):
            names[dotted.replace(":", ".")] = None
    return list(names)


@dataclass
class _Reading:
    """What one pass over a definition finds."""

    # Names, with the attributes that are asked of them, and all strings.
    names: dict[str, None] = field(default_factory=dict)
    # By name, what import statements inside it make the name stand for.
    imports: dict[str, str] = field(default_factory=dict)
    hash: str = ""  # a digest of its code, without the wording of errors and of log lines

    def text(self, value: object) -> str:
        """Return a part of a tree as text that says all that Python makes of it."""
        if isinstance(value, list):
            return f"[{','.join([self.text(item) for item in value])}]"
        if isinstance(value, ast.Name | ast.Attribute):
            dotted = _dotted(value)
            if dotted:
                self.names[dotted] = None
                return dotted
        elif isinstance(value, ast.Constant):
            if isinstance(value.value, str):
                self.names[value.value] = None
            return repr(value.value)
        elif isinstance(value, ast.Import | ast.ImportFrom):
            self.imports |= _imported(value)
        elif not isinstance(value, ast.AST):
            return repr(value)
        # Only a class with a base, such as a pydantic model, reads what its fields' types are.
        plain = isinstance(value, ast.ClassDef) and not value.bases
        parts = [
            f"{name}={self._of_class(inner)}"
            if plain and isinstance(inner, list)
            else f"{name}={self.text(inner)}"
            for name, inner in _fields(value)
        ]
        return f"{type(value).__name__}({','.join(parts)})"

    def _of_class(self, statements: list[ast.AST]) -> str:
        """Return the body of a class without a base as text: types of fields name nothing."""
        text = ""
        for statement in statements:
            if isinstance(statement, ast.AnnAssign):
                text += ast.unparse(statement.target) + ast.unparse(statement.annotation)
                statement = statement.value
            text += self.text(statement)
        return text


@cache
def _reading(definition: Definition) -> _Reading:
    """Return a definition, read."""
    module, name = definition
    reading, statements = _Reading(), _module(module).statements[name]
    # Those of each module that is reached.
    paths = [] if name else module.parent.glob(f"{module.stem}.*")
    beside = [path.read_text("utf-8") for path in paths if path.suffix in BESIDE]
    texts = []
    for statement in statements:
        text = reading.text(statement)  # also finds the names in it
        if any(isinstance(node, ast.Raise) or _is_log(node) for node in ast.walk(statement)):
            text = _Reading().text(_Unworded().visit(deepcopy(statement)))
        texts.append(text)
    parts = "\0".join([module.stem, name, *texts, *beside])
    reading.hash = hashlib.sha256(parts.encode()).hexdigest()
    return reading


class _Unworded(ast.NodeTransformer):
    """Takes the wording out of errors and log lines: what is left are the values in it."""

    kinds: type | None = None  # of constants that are wording, in the node that is visited

    def _wording(self, node: ast.AST, kinds: type) -> ast.AST:
        before, self.kinds = self.kinds, self.kinds or kinds
        self.generic_visit(node)
        self.kinds = before
        return node

    def visit_Raise(self, node: ast.Raise) -> ast.AST:
        return self._wording(node, object)

    def visit_Call(self, node: ast.Call) -> ast.AST:
        return self._wording(node, str) if _is_log(node) else self.generic_visit(node)

    def visit_Constant(self, node: ast.Constant) -> ast.AST:
        is_wording = self.kinds and isinstance(node.value, self.kinds)
        return ast.List([]) if is_wording else node

    def visit_JoinedStr(self, node: ast.JoinedStr) -> ast.AST:
        self.generic_visit(node)
        values = [value for value in node.values if isinstance(value, ast.FormattedValue)]
        return ast.List(values) if self.kinds else node


def _is_log(node: ast.AST) -> bool:
    """Return whether a node writes a line that is for people alone."""
    if not isinstance(node, ast.Call):
        return False
    to_file = [k for k in node.keywords if k.arg == "file" and _dotted(k.value) != "sys.stderr"]
    name = getattr(node.func, "attr", getattr(node.func, "id", ""))
    return name in LOGS and not to_file


def _dotted(node: ast.AST) -> str:
    """Return `a` or `a.b.c`, where an attribute is asked of a name; "" where of something else."""
    parts = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    return ".".join([node.id, *reversed(parts)]) if isinstance(node, ast.Name) else ""


def _fields(node: ast.AST) -> Iterator[tuple[str, object]]:
    """Yield the fields of a node that say what it does: no docstrings, no annotations."""
    for name in node._fields:
        value = getattr(node, name, None)
        if name == "body" and isinstance(node, (*FUNCTIONS, ast.ClassDef)):
            with_docstring = ast.get_docstring(node, clean=False) is not None
            yield name, node.body[1:] if with_docstring else node.body
        elif value is None or name in ("returns", "ctx", "type_comment"):
            continue
        elif not (name == "annotation" and isinstance(node, ast.arg)):
            yield name, value
