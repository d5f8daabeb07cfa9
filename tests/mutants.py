"""Faults put into the library one at a time, and which of them the tests do not notice.

    python -m tests.mutants src/socialbias/measures tests/measures --number 40 --seed 49

Comparisons are turned round, numbers are one more, sums are differences, `and` is `or`, and
statements are left out. The same seed draws the same faults from the same code. The files stay as
they are: each fault is compiled in a fork, which runs the tests up to the first failure.
"""

import argparse
import ast
import importlib
import os
import random
import signal
from collections.abc import Iterator
from importlib.machinery import SourceFileLoader
from pathlib import Path

import pytest

from tests.forked_jobs import PACKAGES

COMPARISONS = {"<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "=="}
COMPARISONS |= {"in": "not in", "not in": "in", "is": "is not", "is not": "is"}
ARITHMETIC = {ast.Add: "-", ast.Sub: "+", ast.Mult: "/", ast.Div: "*"}
LIMIT = 240  # seconds after which a fault counts as noticed
OPTIONS = ["-q", "-x", "--tb=no", "-p", "no:cacheprovider", "-p", "no:xdist", "-m", "not long"]
OPTIONS += ["-o", "addopts=", "--import-mode=importlib"]


def replacement(node: ast.AST) -> str:
    """What stands in place of a piece of code; "" where it is left as it is."""
    match node:
        case ast.Compare(left=left, ops=[_], comparators=[right]):
            first, second = ast.unparse(left), ast.unparse(right)
            operator = ast.unparse(node)[len(first) : -len(second)].strip()
            return f"({first} {COMPARISONS[operator]} {second})" if operator in COMPARISONS else ""
        case ast.BinOp(left=left, op=op, right=right) if type(op) in ARITHMETIC:
            return f"({ast.unparse(left)} {ARITHMETIC[type(op)]} {ast.unparse(right)})"
        case ast.BoolOp(op=op, values=values):
            word = " or " if isinstance(op, ast.And) else " and "
            return f"({word.join(f'({ast.unparse(value)})' for value in values)})"
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            return f"({ast.unparse(operand)})"
        case ast.Constant(value=bool(value)):
            return repr(not value)
        case ast.Constant(value=int(value) | float(value)):
            return repr(value + 1)
        case ast.Expr(value=ast.Call()) | ast.AugAssign() | ast.Raise():
            return "pass"
    return ""


def faults(path: Path) -> Iterator[tuple[Path, str, str]]:
    """The faults of a file: where, what is replaced and by what, and the text with the fault."""
    text = path.read_text("utf-8")
    lines = text.splitlines(keepends=True)
    functions = (f for f in ast.walk(ast.parse(text)) if isinstance(f, ast.FunctionDef))
    nodes = {id(node): node for f in functions for part in f.body for node in ast.walk(part)}
    for node in nodes.values():
        if new := replacement(node):
            starts = sum(map(len, lines[: node.lineno - 1]))
            ends = sum(map(len, lines[: node.end_lineno - 1]))
            first = starts + len(lines[node.lineno - 1].encode()[: node.col_offset].decode())
            last = ends + len(lines[node.end_lineno - 1].encode()[: node.end_col_offset].decode())
            where = f"{path}:{node.lineno}: {' '.join(text[first:last].split())[:60]} -> {new[:60]}"
            yield path, where, text[:first] + new + text[last:]


def is_noticed(path: Path, text: str, tests: list[str]) -> bool:
    """Whether tests fail in a fork that compiles this text in place of a file."""
    path = path.resolve()  # before a test goes to another folder
    pid = os.fork()
    if pid == 0:
        signal.alarm(LIMIT)
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        compiled = SourceFileLoader.get_code

        def get_code(self: SourceFileLoader, name: str):
            if Path(self.path).resolve() == path:
                return compile(text, self.path, "exec", dont_inherit=True)
            return compiled(self, name)

        SourceFileLoader.get_code = get_code
        os._exit(int(pytest.main([*OPTIONS, *tests])))
    return os.waitpid(pid, 0)[1] != 0


def main() -> None:
    """Print each fault that the tests do not notice, and how many they do."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("source", type=Path, help="file or folder of the library")
    parser.add_argument("tests", nargs="+", help="tests to run, as pytest takes them")
    parser.add_argument("--number", type=int, default=40, help="number of faults (default: 40)")
    parser.add_argument("--seed", type=int, default=49, help="random seed (default: 49)")
    options = parser.parse_args()
    for name in PACKAGES:
        if not name.startswith("socialbias"):
            importlib.import_module(name)
    paths = [options.source] if options.source.is_file() else sorted(options.source.rglob("*.py"))
    every = [fault for path in paths for fault in faults(path)]
    drawn = random.Random(options.seed).sample(every, min(options.number, len(every)))
    noticed = 0
    for path, where, text in drawn:
        if is_noticed(path, text, options.tests):
            noticed += 1
        else:
            print(where, flush=True)
    print(f"{noticed} of {len(drawn)} faults were noticed")


if __name__ == "__main__":
    main()
