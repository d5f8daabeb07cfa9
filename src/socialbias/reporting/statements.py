"""Claims of the papers and findings of ours, tested on joint draws of values.

A predicate is an expression such as
`value('trustworthy_table5', 'divdist', 'contemporary-gender@appendix') > 0`. It may use
arithmetic, comparisons, `and`, `or`, `not`, and the functions of `Cells`. It is evaluated by
simpleeval, which knows nothing else: no attribute, no import, no name of Python.

A number is a sample of draws: what it might have been, had other units been sampled. A missing
number has none. A comparison is a part of the statement: it is yes where it is true in at least
97.5 % of the draws, no where it is false in as many, and open otherwise. Parts combine by
three-valued logic. Their p-values are combined such that neither many parts nor little data can
decide a statement: with `every` and `and` each part must be shown by itself, with `at_least` and
`or` the p-value is that of a partial conjunction.
"""

from __future__ import annotations

import ast
import operator
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial, reduce

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from simpleeval import EvalWithCompoundTypes, InvalidExpression

from socialbias.errors import UserError
from socialbias.reporting.artefact import base_column
from socialbias.reporting.captions import FIDELITIES, kind_of
from socialbias.reporting.compare import caution
from socialbias.reporting.values import KEY, NO_INPUT
from socialbias.sources.fidelity import worst_fidelity
from socialbias.stats.draws import DRAWS
from socialbias.stats.multiplicity import partial_conjunction

DECIDED = 0.025  # one-sided: a statement without any truth in it is decided in 5 % of runs
SMALLEST_P = 1 / (1 + DRAWS)  # no share of draws shows a p-value of 0
MOST_OPEN = 0.05  # share of draws that may leave a statement open where their share is shown
LEAST_POWER = 0.05  # a margin that would be shown less often than this cannot be shown
HOLDS, FAILS, OPEN = "holds", "fails", "open"
MALFORMED = (InvalidExpression, SyntaxError, ArithmeticError, LookupError, TypeError, ValueError)
REPEATED = ["id", "paper", "place", "text", "predicate"]  # what a table repeats of a statement
Numbers = NDArray[np.float64]  # (DRAWS,), all NaN for a missing number


@dataclass(frozen=True)
class Condition:
    """Whether something is true, in each draw and by its p-values."""

    yes: NDArray[np.bool_]  # (DRAWS,) the draws in which it is true
    no: NDArray[np.bool_]  # (DRAWS,) those in which it is false
    p_holds: float  # p-value against its being false: small where it holds; 1 for what is missing
    p_fails: float  # p-value against its being true
    power: float = 1.0  # how often it would be shown if its distances from 0 were 0, from 0 to 1
    # Of one comparison, the cells that it compares, each with `missing`.
    cells: Sequence[Mapping] = ()
    # Of several, each; their p-values count what combining them costs.
    parts: Sequence[Condition] = ()

    @property
    def verdict(self) -> str:
        """`HOLDS`, `FAILS` or `OPEN`."""
        if self.p_holds <= DECIDED:
            return HOLDS
        return FAILS if self.p_fails <= DECIDED else OPEN

    @property
    def missing(self) -> list[str]:
        """Why numbers of it are missing."""
        return [cell["missing"] for cell in self.cells if cell["missing"]]


def compared(how: Callable, left: Numbers | float, right: Numbers | float) -> Condition:
    """Return a comparison in each draw.

    Its p-values are the shares of draws that do not support it. Where draws vary, those in which
    both sides are equal speak for neither: rank correlations over eight professions are equal in a
    tenth of the draws. Nor do draws without a number.
    """
    known = np.broadcast_to(~np.isnan(left - right), DRAWS)
    true = np.broadcast_to(how(left, right), DRAWS)
    tied = np.broadcast_to(left == right, DRAWS)
    if tied.all() or how in (operator.eq, operator.ne):
        tied = np.zeros(DRAWS, bool)
    yes, no = true & known, ~true & known
    p_holds, p_fails = (max(1 - (side & ~tied).mean(), SMALLEST_P) for side in (yes, no))
    return Condition(yes, no, p_holds, p_fails)


def at_least(k: int, conditions: Sequence[Condition]) -> Condition:
    """Return that k or more of the conditions are true."""
    others = len(conditions) - k + 1  # so many are false where it is not
    return Condition(
        np.sum([condition.yes for condition in conditions], axis=0) >= k,
        np.sum([condition.no for condition in conditions], axis=0) >= others,
        partial_conjunction([condition.p_holds for condition in conditions], k),
        partial_conjunction([condition.p_fails for condition in conditions], others),
        sorted(condition.power for condition in conditions)[-k],
        # With these p-values a part is decided exactly where it helps to decide the whole.
        parts=[
            replace(part, p_holds=part.p_holds * others, p_fails=part.p_fails * k)
            for condition in conditions
            for part in condition.parts
        ],
    )


def every(conditions: Sequence[Condition]) -> Condition:
    """Return that all conditions are true."""
    return at_least(len(conditions), conditions)


def negated(condition: Condition) -> Condition:
    """Return that a condition is not true."""
    parts = [negated(part) for part in condition.parts]
    yes, no, p_holds, p_fails = condition.no, condition.yes, condition.p_fails, condition.p_holds
    return Condition(yes, no, p_holds, p_fails, cells=condition.cells, parts=parts)


def power_within(number: Numbers, margin: Numbers | float) -> float:
    """Return how often a number that is truly 0 would be shown to be within a margin of 0."""
    if np.isnan(number - margin).all():
        return 1.0
    errors = number - np.nanmedian(number)
    low, high = np.nanquantile(errors, [DECIDED, 1 - DECIDED])
    return float(np.mean((errors + high < margin) & (errors + low > -margin)))


MIRRORED = {ast.Lt: ast.Gt, ast.LtE: ast.GtE, ast.Gt: ast.Lt, ast.GtE: ast.LtE}


def _is_distance(node: ast.AST) -> bool:
    """Return whether a part of a predicate is `abs(...)`."""
    return isinstance(node, ast.Call) and getattr(node.func, "id", "") == "abs"


class _Evaluator(EvalWithCompoundTypes):
    """simpleeval on draws: without attributes, and with one expression only."""

    def __init__(self, cells: Cells, names: Mapping):
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
        super().__init__(operators=operators, functions=cells.functions(), names=dict(names))
        self._cells = cells
        self.nodes.pop(ast.Attribute, None)
        self.nodes[ast.BoolOp] = self._joined
        self.nodes[ast.Compare] = self._compared

    def _eval_comprehension(self, node: ast.ListComp | ast.GeneratorExp) -> list:
        """Return a list with a part for each name of another one, without a condition.

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
        return every([self._part(type(how), left, right) for how, left, right in pairs])

    def _part(self, how: type[ast.cmpop], left: ast.AST, right: ast.AST) -> Condition:
        """Return one comparison, with the cells that it asked for."""
        before = len(self._cells.asked)
        part = replace(self._pair(how, left, right), parts=())
        return replace(part, parts=[replace(part, cells=self._cells.asked[before:])])

    def _pair(self, how: type[ast.cmpop], left: ast.AST, right: ast.AST) -> Condition:
        """Return one comparison; of a distance from 0, each side by itself.

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
        if how in (ast.Gt, ast.GtE):
            return at_least(1, sides)
        return replace(every(sides), power=power_within(number, margin))

    @staticmethod
    def parse(expr: str) -> ast.AST:
        """Return the expression; SyntaxError when it is not exactly one."""
        return ast.Expr(ast.parse(expr, mode="eval").body)


class Cells:
    """The draws and printed numbers that a predicate may ask for; remembers what it asked.

    Args:
        values: By target, its table of values.
        published: By target, its printed numbers.
        draws: By target, what reads the draws of its cells; it is called when they are needed.
        over: By target, what the intervals of its columns are over (`Artefact.intervals`).
    """

    def __init__(
        self,
        values: Mapping[str, pd.DataFrame],
        published: Mapping[str, pd.DataFrame],
        draws: Callable[[str], Mapping[tuple[str, str], NDArray]],
        over: Mapping[str, Mapping[str, str]] = {},
    ):
        self._values, self._published = (
            {name: table.set_index(KEY).to_dict("index") for name, table in tables.items()}
            for tables in (values, published)
        )
        self._draws, self._over = cache(draws), over
        self.asked: list[Mapping] = []  # each cell, with `missing`: why it has no number, or ""
        self.in_print: list[tuple[str, str, str]] = []  # artefact, row, column of each printed one
        self.explained: dict[tuple[str, str, str], str] = {}  # by these, a statement that holds

    def functions(self) -> dict:
        """Return what a predicate may call."""
        own = ("value", "printed", "rows", "rows_with")
        shared = {"abs": np.abs, "every": every, "at_least": at_least}
        in_each_draw = {
            "min": partial(reduce, np.minimum),
            "max": partial(reduce, np.maximum),
            "mean": partial(np.mean, axis=0),
        }
        return {name: getattr(self, name) for name in own} | shared | in_each_draw

    def value(self, artefact: str, row: str, column: str) -> Numbers:
        """Return a number in all draws, NaN where it is missing or nothing shows how sure it is."""
        cell = self._cell(self._values, artefact, row, column)
        missing = (cell["note"] or NO_INPUT) if cell["fidelity"] == NO_INPUT else ""
        drawn = None if missing else self._draws(artefact).get((row, column))
        unsure = "" if missing or drawn is not None else f"{artefact}: {row}, {column}"
        over = kind_of(self._over.get(artefact, {}), base_column(column))
        self.asked.append({**cell, "missing": missing, "without_draws": unsure, "over": over})
        return np.full(DRAWS, np.nan) if drawn is None else drawn[0]

    def printed(self, artefact: str, row: str, column: str) -> float:
        """Return the printed number of a cell; a UserError where the paper has none."""
        digits = self._cell(self._published, artefact, row, column)["value"]
        if digits == "":
            raise UserError(f"the paper has no number in {artefact!r}, {row!r}, {column!r}")
        self.in_print.append((artefact, row, column))
        return float(digits)

    def rows(self, artefact: str) -> list[str]:
        """Return the rows of an artefact."""
        return sorted({row for row, _ in self._table(artefact)})

    def rows_with(self, artefact: str, *columns: str) -> list[str]:
        """Return the rows with a number in all these columns; if none has, with such cells."""
        table = self._table(artefact)
        rows = [row for row in self.rows(artefact) if all((row, c) in table for c in columns)]
        known = [row for row in rows if all(table[row, c]["fidelity"] != NO_INPUT for c in columns)]
        return known or rows

    def _table(self, artefact: str) -> Mapping[tuple[str, str], Mapping]:
        if artefact not in self._values:
            raise UserError(f"there is no artefact {artefact!r}")
        return self._values[artefact]

    @staticmethod
    def _cell(tables: Mapping, artefact: str, row: str, column: str) -> Mapping:
        if (row, column) not in tables.get(artefact, {}):
            raise UserError(f"there is no cell {artefact!r}, {row!r}, {column!r}")
        return tables[artefact][row, column]


@dataclass(frozen=True)
class Verdict:
    """What became of a predicate."""

    verdict: str  # `holds`, `fails`, `open`, or `no input` where no part can be computed
    parts: str  # how many parts are yes, no and open
    # `cannot be shown with n = ...` where it would be shown too rarely if it held; else "".
    kind: str
    scope: str  # the inputs that it was tested on
    caution: str  # why some of its numbers are weak; "" where none is
    needs: str  # what would decide it, where it is open
    share_of_draws: float  # share of the draws in which it is true; NaN where many leave it open
    fidelity: str  # of the worst input that it used; `no input` where it used none


def verdict_on(
    predicate: str, cells: Cells, *, margin: float = 0.0, names: Mapping[str, str] = {}
) -> Verdict:
    """Test one predicate."""
    cells.asked.clear()
    cells.in_print.clear()
    try:
        condition = _Evaluator(cells, {"margin": margin}).eval(" ".join(predicate.split()))
    except MALFORMED as error:
        raise UserError(f"cannot evaluate {predicate!r}: {error}") from None
    if not isinstance(condition, Condition):
        raise UserError(f"cannot evaluate {predicate!r}: it is not a comparison")
    parts, verdict, kind = condition.parts, condition.verdict, ""
    known = [cell for cell in cells.asked if not cell["missing"]]
    fidelity = worst_fidelity(cell["fidelity"] for cell in known)
    if all(part.missing for part in parts):
        verdict, fidelity, known = NO_INPUT, NO_INPUT, []
    elif verdict == OPEN and condition.power < LEAST_POWER:
        kind = f"cannot be shown with n = {min(cell['n'] for cell in known):.0f}"
    counts = Counter(part.verdict for part in parts)
    is_open = ~(condition.yes | condition.no)
    return Verdict(
        verdict,
        f"{counts[HOLDS]} yes, {counts[FAILS]} no, {counts[OPEN]} open of {len(parts)}",
        kind,
        "" if verdict == NO_INPUT else "; ".join(scope_of(known, names)),
        "; ".join(dict.fromkeys(filter(None, map(caution, known)))),
        "; ".join(dict.fromkeys(_needs(parts))) if verdict in (OPEN, NO_INPUT) else "",
        float(condition.yes.mean()) if is_open.mean() <= MOST_OPEN else np.nan,
        fidelity,
    )


def scope_of(cells: Sequence[Mapping], names: Mapping[str, str]) -> list[str]:
    """Return the names of the inputs of some numbers, or how they compare with the paper's."""
    fidelity = worst_fidelity(cell["fidelity"] for cell in cells)
    sources = {source for cell in cells for source in cell["sources"].split(";")}
    others = [FIDELITIES[fidelity]] if fidelity in ("exact", "subset") else sources
    return sorted({names[source] for source in sources & {*names}} or others)


def _needs(parts: Iterable[Condition]) -> Iterator[str]:
    """Yield what would decide the parts that are open."""
    for part in (part for part in parts if part.verdict == OPEN):
        yield from part.missing
        unsure = [cell["without_draws"] for cell in part.cells if cell["without_draws"]]
        if unsure and not part.missing:
            yield f"an interval of {unsure[0]}"
        elif part.cells and not part.missing:
            fewest = min(part.cells, key=lambda cell: cell["n"])
            over, unit = fewest["over"], fewest["n_unit"]
            # Where other things are resampled than n counts, more of what n counts decides nothing.
            counts = unit and (not over or unit.split()[-1] in over)
            sample = f" than with {fewest['n']:.0f} {unit}" if counts else f" {over}".rstrip()
            yield f"narrower intervals{sample}"


def statements_table(
    statements: list[dict], cells: Cells, names: Mapping[str, str] = {}
) -> pd.DataFrame:
    """Return every statement with its verdict."""
    rows = []
    cells.explained.clear()
    for statement in statements:
        margin = statement.get("margin", 0.0)
        try:
            verdict = verdict_on(statement["predicate"], cells, margin=margin, names=names)
        except UserError as error:
            raise UserError(f"{statement['id']}: {error}") from None
        if verdict.verdict == HOLDS:
            cells.explained |= dict.fromkeys(cells.in_print, statement["id"])
        # What differs between draws is not true by definition, whatever it is marked as.
        kind = "" if 0 < verdict.share_of_draws < 1 else statement.get("kind", "")
        repeated = {key: statement[key] for key in REPEATED}
        rows.append(repeated | vars(verdict) | {"kind": kind or verdict.kind})
    return pd.DataFrame(rows, columns=[*REPEATED, *Verdict.__dataclass_fields__])
