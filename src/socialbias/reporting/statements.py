"""Claims of the papers and findings of ours, tested on joint draws of values.

A predicate is an expression such as
`value('trustworthy_table5', 'divdist', 'contemporary-gender@appendix') > 0`. It may use
arithmetic, comparisons, `and`, `or`, `not`, and the functions of `Cells`. It is evaluated by
simpleeval, which knows nothing else: no attribute, no import, no name of Python.

A number stands for its draws: what it might have been, had other units been sampled. A comparison
is evaluated in each, and holds where it is true in at least 97.5 % of them. Of a sentence with
several parts each is tested, and p-values are combined such that neither many parts nor little data
can decide it: with `every` and `and` the weakest part counts, with `at_least` and `or` the p-value
is that of a partial conjunction.
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import partial, reduce
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from simpleeval import EvalWithCompoundTypes, InvalidExpression

from socialbias.errors import UserError
from socialbias.files.yaml_files import read_yaml
from socialbias.reporting.artefact import base_column
from socialbias.reporting.compare import caution
from socialbias.reporting.values import KEY, NO_INPUT
from socialbias.sources.fidelity import worst_fidelity
from socialbias.stats.draws import DRAWS
from socialbias.stats.multiplicity import benjamini_hochberg, partial_conjunction

DECIDED = 0.025  # one-sided: a statement without any truth in it is decided in 5 % of runs
MOST_UNDEFINED = 0.05  # share of a number's draws that may be NaN
HOLDS, FAILS, UNDETERMINED = "holds", "fails", "undetermined"
HERE = " here"  # after the verdict on a sentence whose population is not the one measured
COLUMNS = ["id", "paper", "place", "text", "predicate", "verdict", "p_holds", "p_null", "p_fdr"]
COLUMNS += ["fidelity", "detail"]
Numbers = NDArray[np.float64]  # (2, DRAWS): draws, and draws without the effect


@dataclass(frozen=True)
class Condition:
    """Whether something is true, in each draw and by its p-values.

    Attributes:
        true: (2, DRAWS) in each draw, and in each draw without the effect.
        p_holds: p-value against its being false: small where it holds.
        p_fails: p-value against its being true.
    """

    true: NDArray[np.bool_]
    p_holds: float
    p_fails: float


class MissingCellError(Exception):
    """A predicate asks for a number that has no input, or that bears no verdict."""


def compared(how: Callable, left: Numbers | float, right: Numbers | float) -> Condition:
    """A comparison in each draw; its p-values are the shares of draws that are against it.

    Where draws vary, those in which both sides are equal speak for neither: rank correlations over
    eight professions are equal in a tenth of the draws.
    """
    left, right = np.asarray(left), np.asarray(right)
    true = np.broadcast_to(how(left, right), (2, DRAWS))
    tied = np.broadcast_to(left == right, (2, DRAWS))[0]
    if tied.all() or how in (operator.eq, operator.ne):
        tied = np.zeros(DRAWS, bool)
    holds, fails = 1 - (true[0] & ~tied).mean(), (true[0] | tied).mean()
    half = 1 / (1 + DRAWS)  # no share of draws shows a p-value of 0
    return Condition(true, max(holds, half), max(fails, half))


def at_least(k: int, conditions: Sequence[Condition]) -> Condition:
    """That k or more of the conditions are true."""
    m = len(conditions)
    return Condition(
        np.sum([condition.true for condition in conditions], axis=0) >= k,
        partial_conjunction([condition.p_holds for condition in conditions], k),
        partial_conjunction([condition.p_fails for condition in conditions], m - k + 1),
    )


def every(conditions: Sequence[Condition]) -> Condition:
    """That all conditions are true."""
    return at_least(len(conditions), conditions)


def negated(condition: Condition) -> Condition:
    """That a condition is not true."""
    return Condition(~condition.true, condition.p_fails, condition.p_holds)


MIRRORED = {ast.Lt: ast.Gt, ast.LtE: ast.GtE, ast.Gt: ast.Lt, ast.GtE: ast.LtE}


def _is_distance(node: ast.AST) -> bool:
    """Whether a part of a predicate is `abs(...)`."""
    return isinstance(node, ast.Call) and getattr(node.func, "id", "") == "abs"


class _Evaluator(EvalWithCompoundTypes):
    """simpleeval on draws: without attributes, and with one expression only."""

    def __init__(self, functions: Mapping, names: Mapping):
        comparisons = {
            ast.Gt: operator.gt,
            ast.GtE: operator.ge,
            ast.Lt: operator.lt,
            ast.LtE: operator.le,
            ast.Eq: operator.eq,
            ast.NotEq: operator.ne,
        }
        operators = {
            ast.Add: operator.add,
            ast.Sub: operator.sub,
            ast.Mult: operator.mul,
            ast.Div: operator.truediv,
            ast.USub: operator.neg,
            ast.Not: negated,
        } | {kind: partial(compared, how) for kind, how in comparisons.items()}
        super().__init__(operators=operators, functions=dict(functions), names=dict(names))
        self.nodes.pop(ast.Attribute, None)
        self.nodes[ast.BoolOp] = self._joined
        self.nodes[ast.Compare] = self._compared

    def _eval_comprehension(self, node: ast.ListComp | ast.GeneratorExp) -> list:
        """A list with a part for each name of another one, without a condition.

        A condition would be one on draws, which is neither true nor false.
        """
        if any(loop.ifs for loop in node.generators):
            raise InvalidExpression("a list in a predicate takes no `if`: name its members")
        return super()._eval_comprehension(node)

    def _joined(self, node: ast.BoolOp) -> Condition:
        parts = [self._eval(value) for value in node.values]
        return every(parts) if isinstance(node.op, ast.And) else at_least(1, parts)

    def _compared(self, node: ast.Compare) -> Condition:
        sides = [node.left, *node.comparators]
        pairs = zip(node.ops, sides, sides[1:], strict=False)
        return every([self._pair(type(how), left, right) for how, left, right in pairs])

    def _pair(self, how: type[ast.cmpop], left: ast.AST, right: ast.AST) -> Condition:
        """One comparison; of a distance from 0, each side by itself.

        Draws of a distance are far from 0 where there is little data, whatever the truth: their
        share beyond a margin would show the noise.
        """
        if _is_distance(right) and how in MIRRORED:
            how, left, right = MIRRORED[how], right, left
        compare = self.operators[how]
        if not (_is_distance(left) and how in MIRRORED):
            return compare(self._eval(left), self._eval(right))
        number, margin = self._eval(left.args[0]), self._eval(right)
        sides = [compare(number, margin), compare(-number, margin)]
        return every(sides) if how in (ast.Lt, ast.LtE) else at_least(1, sides)

    @staticmethod
    def parse(expr: str) -> ast.AST:
        """The expression; SyntaxError when it is not exactly one."""
        return ast.Expr(ast.parse(expr, mode="eval").body)


class Cells:
    """The draws and printed numbers that a predicate may ask for; remembers what it asked.

    Args:
        values: By target, its table of values.
        published: By target, its printed numbers.
        draws: By target, what reads the draws of its cells; it is called when they are needed.
        describing: By target, columns that describe an input: of another input than the paper's
            they bear no verdict.
    """

    def __init__(
        self,
        values: Mapping[str, pd.DataFrame],
        published: Mapping[str, pd.DataFrame],
        draws: Callable[[str], Mapping[tuple[str, str], Numbers]],
        describing: Mapping[str, Collection[str]] = {},
    ):
        self._values = {name: table.set_index(KEY) for name, table in values.items()}
        self._published = {name: table.set_index(KEY) for name, table in published.items()}
        self._describing = describing
        self._read_draws = draws
        self._draws: dict[str, Mapping[tuple[str, str], Numbers]] = {}
        self.fidelities: list[str] = []
        self.drawn = False  # whether any number asked for varies

    def functions(self) -> dict:
        """What a predicate may call."""
        own = ("value", "printed", "rows", "sound_rows", "mean_error")
        shared = {"abs": np.abs, "every": every, "at_least": at_least}
        in_each_draw = {
            "min": partial(reduce, np.minimum),
            "max": partial(reduce, np.maximum),
            "mean": partial(np.mean, axis=0),
        }
        return {name: getattr(self, name) for name in own} | shared | in_each_draw

    def value(self, artefact: str, row: str, column: str) -> Numbers:
        """A number in all draws, and in all draws without the effect.

        Where an artefact permutes no inputs, draws without the effect are the draws moved to 0.
        """
        cell = self._cell(self._values, artefact, row, column)
        self.fidelities.append(cell["fidelity"])
        if why := self._why_not(cell, artefact, column):
            raise MissingCellError(f"{artefact}, {row}, {column}: {why}")
        numbers, null = self._draws_of(artefact).get((row, column), np.full((2, 1), np.nan))
        if np.isnan(numbers).mean() > MOST_UNDEFINED:
            raise MissingCellError(f"{artefact}, {row}, {column}: nothing shows how sure it is")
        if np.ptp(numbers) == 0:
            return np.stack([numbers, numbers])
        self.drawn = True
        return np.stack([numbers, numbers - cell["value"] if np.isnan(null).all() else null])

    def _draws_of(self, artefact: str) -> Mapping[tuple[str, str], Numbers]:
        if artefact not in self._draws:
            self._draws[artefact] = self._read_draws(artefact)
        return self._draws[artefact]

    def printed(self, artefact: str, row: str, column: str) -> float:
        """The printed number of a cell; a UserError where the paper has none."""
        digits = self._cell(self._published, artefact, row, column)["value"]
        if digits == "":
            raise UserError(f"the paper has no number in {artefact!r}, {row!r}, {column!r}")
        return float(digits)

    def rows(self, artefact: str) -> list[str]:
        """The rows of an artefact."""
        return sorted({row for row, _ in self._table(artefact).index})

    def sound_rows(self, artefact: str, *columns: str) -> list[str]:
        """The rows that have a number in all these columns, and none that bears no verdict."""
        found = [
            row
            for row in self.rows(artefact)
            if all(self._sound(artefact, row, column) for column in columns)
        ]
        if not found:
            self.fidelities.append(NO_INPUT)
            where = " and ".join(columns)
            raise MissingCellError(f"{artefact}, {where}: no row has numbers that bear a verdict")
        return found

    def _sound(self, artefact: str, row: str, column: str) -> bool:
        if (row, column) not in self._table(artefact).index:
            return False
        cell = self._cell(self._values, artefact, row, column)
        return not self._why_not(cell, artefact, column)

    def _why_not(self, cell: Mapping, artefact: str, column: str) -> str:
        """Why a number bears no verdict; "" where it bears one."""
        describes = base_column(column) in self._describing.get(artefact, ())
        if describes and cell["fidelity"] not in ("exact", NO_INPUT):
            return f"it describes the input, and the paper had another: {cell['fidelity']}"
        return _why_not(cell)

    def mean_error(self, artefact: str, column: str) -> Numbers:
        """Mean absolute difference of a values column from its printed column.

        Raises:
            UserError: there is no such column, or the paper has no number in a row of it.
        """
        errors = [
            np.abs(self.value(artefact, row, column) - self.printed(artefact, row, base))
            for base in [base_column(column)]
            for row, other in self._table(artefact).index
            if other == column
        ]
        if not errors:
            raise UserError(f"{artefact} has no column {column!r}")
        return np.mean(errors, axis=0)

    def _table(self, artefact: str) -> pd.DataFrame:
        if artefact not in self._values:
            raise UserError(f"there is no artefact {artefact!r}")
        return self._values[artefact]

    @staticmethod
    def _cell(tables: Mapping[str, pd.DataFrame], artefact: str, row: str, column: str):
        if artefact not in tables or (row, column) not in tables[artefact].index:
            raise UserError(f"there is no cell {artefact!r}, {row!r}, {column!r}")
        return tables[artefact].loc[(row, column)]


def _why_not(cell: Mapping) -> str:
    """Why a number bears no verdict; "" where it bears one."""
    return NO_INPUT if cell["fidelity"] == NO_INPUT else caution(cell)


@dataclass(frozen=True)
class Verdict:
    """What became of a predicate.

    Attributes:
        verdict: `holds`, `fails` or `undetermined`; the first two with ` here` behind them where
            the sentence is about another population.
        p_holds: Share of the draws in which it is true; NaN without draws.
        p_null: That share without the effect; NaN where nothing was sampled.
        p_value: One-sided, against its being false.
        fidelity: Of the worst input that it used.
        detail: For `undetermined`, what is missing.
    """

    verdict: str
    p_holds: float
    p_null: float
    p_value: float
    fidelity: str
    detail: str = ""


def verdict_on(
    predicate: str, cells: Cells, *, margin: float = 0.0, general: bool = False
) -> Verdict:
    """Test one predicate.

    Args:
        predicate: The expression.
        cells: What it may ask for.
        margin: What it calls `margin`: the largest difference that counts as none.
        general: Whether the sentence is about a method, and not about one population: then it can
            be decided on a substitute.

    Raises:
        UserError: the expression is malformed or names a cell that does not exist.
    """
    cells.fidelities.clear()
    cells.drawn = False
    evaluator = _Evaluator(cells.functions(), {"margin": margin})
    try:
        found = evaluator.eval(" ".join(predicate.split()))
    except MissingCellError as error:
        fidelity = worst_fidelity(cells.fidelities)
        return Verdict(UNDETERMINED, np.nan, np.nan, np.nan, fidelity, str(error))
    except (
        InvalidExpression,
        SyntaxError,
        ArithmeticError,
        LookupError,
        TypeError,
        ValueError,
    ) as error:
        raise UserError(f"cannot evaluate {predicate!r}: {error}") from None
    if not isinstance(found, Condition):
        raise UserError(f"cannot evaluate {predicate!r}: it is not a comparison")
    fidelity = worst_fidelity(cells.fidelities)
    share, null = found.true.mean(axis=1)
    verdict = _verdict(found)
    if fidelity == "substitute" and not general and verdict != UNDETERMINED:
        verdict += HERE  # on another population than the sentence's
    return Verdict(
        verdict,
        float(share),
        float(null) if cells.drawn else np.nan,
        found.p_holds,
        fidelity,
    )


def _verdict(found: Condition) -> str:
    if found.p_holds <= DECIDED:
        return HOLDS
    return FAILS if found.p_fails <= DECIDED else UNDETERMINED


def read_statements(path: Path) -> list[dict]:
    """Claims or findings from YAML; [] for an empty file."""
    return read_yaml(path) or []


def statements_table(statements: list[dict], cells: Cells) -> pd.DataFrame:
    """Every statement with its verdict.

    Args:
        statements: Each with `id, paper, place, text, predicate`, and where it needs them
            `margin` and `general` (`verdict_on`).
        cells: Values and printed numbers.

    Returns:
        Columns `id`, `paper`, `place`, `text`, `predicate`, `verdict`, `p_holds`, `p_null`,
        `p_fdr` (the p-value against its being false, adjusted over all statements for the false
        discovery rate: Benjamini and Hochberg 1995), `fidelity`, `detail`.

    Raises:
        UserError: naming the statement whose predicate cannot be evaluated.
    """
    rows = []
    for statement in statements:
        options = {key: statement[key] for key in ("margin", "general") if key in statement}
        try:
            found = verdict_on(statement["predicate"], cells, **options)
        except UserError as error:
            raise UserError(f"{statement['id']}: {error}") from None
        said = {key: statement[key] for key in ("id", "paper", "place", "text", "predicate")}
        rows.append(said | vars(found))
    table = pd.DataFrame(rows, columns=[*COLUMNS, "p_value"])
    table["p_fdr"] = benjamini_hochberg(table["p_value"].to_numpy(float))
    return table[COLUMNS]
