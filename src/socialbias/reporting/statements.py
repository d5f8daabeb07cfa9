"""Claims of the papers and findings of ours, tested as predicates over values.

A predicate is an expression such as
`value('trustworthy_table5', 'divdist', 'contemporary-gender@appendix') > 0`. It may use
arithmetic, comparisons, `and`, `or`, `not`, and the functions of `Cells`. It is evaluated by
simpleeval, which knows nothing else: no attribute, no import, no name of Python.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping
from pathlib import Path

import pandas as pd
from simpleeval import EvalWithCompoundTypes, InvalidExpression

from socialbias.errors import UserError
from socialbias.reporting.artefact import base_column
from socialbias.reporting.compare import too_few
from socialbias.reporting.values import KEY, NO_INPUT
from socialbias.sources.fidelity import worst_fidelity
from socialbias.yaml_files import read_yaml

# What a number that has an input may still be without.
ABSENT = {"ci_low": "no interval", "ci_high": "no interval", "p_value": "no p-value"}


class _Evaluator(EvalWithCompoundTypes):
    """simpleeval without attributes, and with one expression only."""

    def __init__(self, functions: dict):
        super().__init__(functions=functions)
        self.nodes.pop(ast.Attribute, None)

    @staticmethod
    def parse(expr: str) -> ast.AST:
        """The expression; SyntaxError when it is not exactly one."""
        return ast.Expr(ast.parse(expr, mode="eval").body)


class MissingCellError(Exception):
    """A predicate asks for a number that has no input, or that rests on too little."""


class Cells:
    """The values and printed numbers that a predicate may ask for; remembers what it asked."""

    def __init__(self, values: Mapping[str, pd.DataFrame], published: Mapping[str, pd.DataFrame]):
        self._values = {name: table.set_index(KEY) for name, table in values.items()}
        self._published = {name: table.set_index(KEY) for name, table in published.items()}
        self.fidelities: list[str] = []

    def functions(self) -> dict:
        """What a predicate may call."""
        fields = {"value": "value", "low": "ci_low", "high": "ci_high", "p": "p_value"}
        lookups = {
            name: lambda artefact, row, column, f=field: self._field(artefact, row, column, f)
            for name, field in fields.items()
        }
        own = {"printed": self.printed, "rows": self.rows, "sound_rows": self.sound_rows}
        own["mean_error"] = self.mean_error
        return lookups | own | {"abs": abs, "min": min, "max": max, "count": _count}

    def _field(self, artefact: str, row: str, column: str, field: str) -> float:
        """One field of one cell."""
        cell = self._cell(self._values, artefact, row, column)
        self.fidelities.append(cell["fidelity"])
        if why := _why_not(cell, field):
            raise MissingCellError(f"{artefact}, {row}, {column}: {why}")
        return float(cell[field])

    def printed(self, artefact: str, row: str, column: str) -> float:
        """The printed number of a cell."""
        digits = self._cell(self._published, artefact, row, column)["value"]
        if digits == "":
            raise UserError(f"print has no number in {artefact!r}, {row!r}, {column!r}")
        return float(digits)

    def rows(self, artefact: str) -> list[str]:
        """The rows of an artefact."""
        return sorted({row for row, _ in self._table(artefact).index})

    def sound_rows(self, artefact: str, *columns: str) -> list[str]:
        """The rows that have a number in all these columns, and none that rests on too little."""
        found = [
            row
            for row in self.rows(artefact)
            if all(self._sound(artefact, row, column) for column in columns)
        ]
        if not found:
            self.fidelities.append(NO_INPUT)
            where = " and ".join(columns)
            raise MissingCellError(f"{artefact}, {where}: no row has numbers on enough input")
        return found

    def _sound(self, artefact: str, row: str, column: str) -> bool:
        if (row, column) not in self._table(artefact).index:
            return False
        cell = self._cell(self._values, artefact, row, column)
        return cell["fidelity"] != NO_INPUT and not too_few(cell)

    def mean_error(self, artefact: str, column: str) -> float:
        """Mean absolute difference of a values column from its printed column."""
        errors = [
            abs(self._field(artefact, row, column, "value") - self.printed(artefact, row, base))
            for base in [base_column(column)]
            for row, other in self._table(artefact).index
            if other == column
        ]
        if not errors:
            raise UserError(f"{artefact} has no column {column!r}")
        return sum(errors) / len(errors)

    def _table(self, artefact: str) -> pd.DataFrame:
        if artefact not in self._values:
            raise UserError(f"there is no artefact {artefact!r}")
        return self._values[artefact]

    @staticmethod
    def _cell(tables: Mapping[str, pd.DataFrame], artefact: str, row: str, column: str):
        if artefact not in tables or (row, column) not in tables[artefact].index:
            raise UserError(f"there is no cell {artefact!r}, {row!r}, {column!r}")
        return tables[artefact].loc[(row, column)]


def _why_not(cell: Mapping, field: str) -> str:
    """Why a field of a cell cannot be taken for a fact; "" where it can."""
    if cell["fidelity"] == NO_INPUT:
        return NO_INPUT
    if few := too_few(cell):
        return f"too few: {few}"
    return ABSENT[field] if pd.isna(cell[field]) else ""


def _count(conditions: list[bool]) -> int:
    """How many of the conditions are true."""
    return sum(map(bool, conditions))


def verdict_on(predicate: str, cells: Cells) -> tuple[str, str, str]:
    """Test one predicate.

    Args:
        predicate: The expression.
        cells: What it may ask for.

    Returns:
        `holds`, `fails` or `undetermined`; the fidelity of the worst input that it used; and
        for `undetermined` the cell that is missing or rests on too little.

    Raises:
        UserError: the expression is malformed or names a cell that does not exist.
    """
    cells.fidelities.clear()
    try:
        result = _Evaluator(functions=cells.functions()).eval(" ".join(predicate.split()))
    except MissingCellError as error:
        return "undetermined", worst_fidelity(cells.fidelities), str(error)
    except (
        InvalidExpression,
        SyntaxError,
        ArithmeticError,
        LookupError,
        TypeError,
        ValueError,
    ) as error:
        raise UserError(f"cannot evaluate {predicate!r}: {error}") from None
    return "holds" if result else "fails", worst_fidelity(cells.fidelities), ""


def read_statements(path: Path) -> list[dict]:
    """Claims or findings from YAML; [] for an empty file."""
    return read_yaml(path) or []


def statements_table(statements: list[dict], cells: Cells) -> pd.DataFrame:
    """Every statement with its verdict.

    Args:
        statements: Each with `id, paper, place, text, predicate`.
        cells: Values and printed numbers.

    Raises:
        UserError: naming the statement whose predicate cannot be evaluated.
    """
    rows = []
    for statement in statements:
        try:
            verdict, fidelity, detail = verdict_on(statement["predicate"], cells)
        except UserError as error:
            raise UserError(f"{statement['id']}: {error}") from None
        rows.append(
            {key: statement[key] for key in ("id", "paper", "place", "text", "predicate")}
            | {"verdict": verdict, "fidelity": fidelity, "detail": detail}
        )
    columns = ["id", "paper", "place", "text", "predicate", "verdict", "fidelity", "detail"]
    return pd.DataFrame(rows, columns=columns)
