"""Claims of the papers and findings of ours, tested on joint draws of values.

A predicate is an expression such as
`value('trustworthy_table5', 'divdist', 'contemporary-gender@appendix') > 0`. It may use
arithmetic, comparisons, `and`, `or`, and the functions of `Cells`. It is evaluated by simpleeval,
which knows nothing else: no attribute, no import, no name of Python.

A number is a sample of draws: what it might have been, had other units been sampled. A missing
number has none. A comparison is a part of the statement: it is yes where it is true in at least
97.5 % of the draws, no where the opposite is, and open otherwise. Without a margin, two computed
numbers differ if they do by more than the last digit that their table shows. Parts combine by
three-valued logic, with p-values such that neither many parts nor little data can decide a
statement: with `every` and `and` each part must be shown by itself, with `at_least` and `or` the
p-value is that of a partial conjunction.
"""

from __future__ import annotations

import ast
import operator
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, partial, reduce
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from simpleeval import EvalWithCompoundTypes, InvalidExpression

from socialbias.errors import UserError
from socialbias.files.yaml_files import read_yaml
from socialbias.reporting.artefact import Artefact, base_column
from socialbias.reporting.captions import FIDELITIES, kind_of
from socialbias.reporting.compare import caution
from socialbias.reporting.values import KEY, NO_INPUT
from socialbias.sources.fidelity import worst_fidelity
from socialbias.stats.draws import DRAWS
from socialbias.stats.multiplicity import partial_conjunction

DECIDED = 0.025  # one-sided: a statement without any truth in it is decided in 5 % of runs
SMALLEST_P = 1 / (1 + DRAWS)  # no share of draws shows a p-value of 0
MOST_OPEN = 0.05  # share of draws that may leave a statement open where their share is shown
# Verdicts on the paper's own inputs, and on a finding.
HOLDS, FAILS, OPEN, BY_DEFINITION = "holds", "fails", "open", "by definition"
# On other data: of a general claim, and of one on the paper's own data or models.
AGREES, DISAGREES, UNCLEAR, OTHER_DATA = "agrees", "disagrees", "unclear", "other data"
PARTICULAR, GENERAL = "particular", "general"
KINDS = (PARTICULAR, GENERAL, BY_DEFINITION)
ELSEWHERE = {HOLDS: AGREES, FAILS: DISAGREES, OPEN: UNCLEAR}
MALFORMED = (InvalidExpression, SyntaxError, ArithmeticError, LookupError, TypeError, ValueError)
REPEATED = ["id", "paper", "place", "text", "kind", "headline", "predicate", "reason"]
# Columns in which a large number is no evidence: p-values, and shares of shuffles.
P_VALUES = re.compile(r"\bp@|\bp$|^shuffles ")
EVIDENCE = 0.5  # a share of shuffles above it says more than that a test found nothing
MECHANICAL = "set similarity vs"  # similar sets differ less, whatever their words
Numbers = NDArray[np.float64]  # (DRAWS,), all NaN for a missing number


@dataclass(frozen=True)
class Statement:
    """A sentence of a paper, or a finding of ours, with its test.

    Attributes:
        kind: One of `KINDS`; "" for a finding.
        margin, reason: The largest difference that counts as none, or the smallest that counts,
            and why.
        data: What the name `data` in the predicate stands for, once for each data set.
        undecided: Why print does not say enough to decide it.
        caution: Why it may be true for another reason than the paper's.
        headline: Whether it is the one claim that stands for its paper.
        names: Lists that the predicate may name.
    """

    id: str
    paper: str
    place: str
    text: str
    predicate: str
    kind: str = ""
    margin: float = 0.0
    reason: str = ""
    data: Sequence[str] = ("",)
    undecided: str = ""
    caution: str = ""
    headline: bool = False
    names: Mapping[str, Sequence] = field(default_factory=dict)


def read_statements(path: Path, claims: bool = False) -> list[Statement]:
    """Return the claims or findings of a file; a UserError names one that cannot be tested."""
    content = read_yaml(path) or {}
    names = content.pop("names", {})
    statements = []
    for paper, entry in ((name, each) for name in content for each in content[name]):
        try:
            statements.append(Statement(**entry, paper=paper, names=names))
        except TypeError as error:  # a field is missing, or is none
            what = str(error).removeprefix("Statement.__init__() ")
            raise UserError(f"{path}: {entry.get('id', paper)}: {what}") from None
    problems = [f"{one.id}: {each}" for one in statements for each in problems_of(one)]
    if claims:
        problems += [f"{s.id}: kind must be one of {KINDS}" for s in statements if not s.kind]
        headlines = Counter(one.paper for one in statements if one.headline)
        problems += [f"{p}: needs one headline claim" for p in content if headlines[p] != 1]
    if problems:
        raise UserError("\n".join(f"{path}: {problem}" for problem in problems))
    return statements


def problems_of(statement: Statement) -> Iterator[str]:
    """Yield what is wrong with a statement, whatever the data are."""
    if statement.kind not in ("", *KINDS):
        yield f"kind must be one of {', '.join(KINDS)}, not {statement.kind!r}"
    try:
        tree = _Evaluator.parse(" ".join(statement.predicate.split()))
    except SyntaxError as error:
        yield f"its predicate cannot be read: {error}"
        return
    names, texts = _found(tree, ast.Name, "id"), _found(tree, ast.Constant, "value")
    if ("margin" in names) != bool(statement.reason):
        yield "a margin needs a reason, and a reason a margin"
    if ("data" in names) != (tuple(statement.data) != ("",)):
        yield "the field `data` must list what the name `data` stands for"
    if statement.kind and not statement.caution and any(MECHANICAL in str(t) for t in texts):
        yield "similar sets differ less, whatever their words: it needs a caution"
    for node in (node for node in ast.walk(tree) if isinstance(node, ast.Compare)):
        how, small, large = type(node.ops[0]), node.left, node.comparators[-1]
        if _is_distance(large):
            yield "write `abs(...)` on the left of its comparison"
        if how in (ast.Gt, ast.GtE):
            small, large = large, small
        level = small.value if isinstance(small, ast.Constant) and how in ORDERS else 1
        columns = map(str, _found(large, ast.Constant, "value"))
        if level < EVIDENCE and any(map(P_VALUES.search, columns)):
            yield "a large p-value, or share of shuffles, does not show that nothing differs"
        if _is_distance(small) and how in ORDERS and "margin" not in _found(large, ast.Name, "id"):
            yield "that two numbers do not differ needs `margin` and its reason"


def _found(tree: ast.AST, kind: type[ast.AST], attribute: str) -> list:
    """Return an attribute of all nodes of a kind."""
    return [getattr(node, attribute) for node in ast.walk(tree) if isinstance(node, kind)]


@dataclass(frozen=True)
class Condition:
    """Whether something is true, in each draw and by its p-values."""

    yes: NDArray[np.bool_]  # (DRAWS,) the draws in which it is true
    no: NDArray[np.bool_]  # (DRAWS,) those in which it is false
    p_holds: float  # p-value against its being false: small where it holds; 1 for what is missing
    p_fails: float  # p-value against its being true
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


def compared(
    how: Callable, left: Numbers | float, right: Numbers | float, least: float = 0.0
) -> Condition:
    """Return a comparison in each draw.

    Its p-values are the shares of draws that do not support it. Where draws vary, those in which
    both sides differ by `least` or less speak for neither: rank correlations over eight professions
    are equal in a tenth of the draws. Nor do draws without a number.
    """
    if how in (operator.eq, operator.ne) or np.all(left == right):
        known, true = ~np.isnan(left - right), how(left, right)
        sides = true & known, ~np.asarray(true) & known
    else:
        above = left - right if how in (operator.gt, operator.ge) else right - left
        sides = above > least, -above > least
    yes, no = (np.broadcast_to(side, DRAWS) for side in sides)
    return Condition(yes, no, *(max(1 - side.mean(), SMALLEST_P) for side in (yes, no)))


def at_least(k: int, conditions: Sequence[Condition]) -> Condition:
    """Return that k or more of the conditions are true."""
    others = len(conditions) - k + 1  # so many are false where it is not
    return Condition(
        np.sum([condition.yes for condition in conditions], axis=0) >= k,
        np.sum([condition.no for condition in conditions], axis=0) >= others,
        partial_conjunction([condition.p_holds for condition in conditions], k),
        partial_conjunction([condition.p_fails for condition in conditions], others),
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


COMPARISONS = {
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
}
ORDERS = (ast.Gt, ast.GtE, ast.Lt, ast.LtE)
ARITHMETIC = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.USub: operator.neg,
}


def _is_distance(node: ast.AST) -> bool:
    """Return whether a part of a predicate is `abs(...)`."""
    return isinstance(node, ast.Call) and getattr(node.func, "id", "") == "abs"


class _Evaluator(EvalWithCompoundTypes):
    """simpleeval on draws: without attributes, and with one expression only."""

    def __init__(self, cells: Cells, names: Mapping):
        super().__init__(operators=ARITHMETIC, functions=cells.functions(), names=dict(names))
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
        """Return one comparison, with the cells that it asked for.

        Of a distance from 0, each side is compared by itself: draws of a distance are far from 0
        where there is little data, whatever the truth.
        """
        if len(node.ops) > 1:
            raise InvalidExpression("a comparison has two sides")
        how, asked, start = type(node.ops[0]), self._cells.asked, len(self._cells.asked)
        if _is_distance(node.left) and how in ORDERS:
            number, margin = self._eval(node.left.args[0]), self._eval(node.comparators[0])
            sides = [compared(COMPARISONS[how], side, margin) for side in (number, -number)]
            whole = every(sides) if how in (ast.Lt, ast.LtE) else at_least(1, sides)
        else:
            left, middle, right = self._eval(node.left), len(asked), self._eval(node.comparators[0])
            paired = start < middle < len(asked) or isinstance(node.left, ast.BinOp)
            if not paired or "margin" in _found(node, ast.Name, "id"):
                least = 0.0
            else:
                least = max((cell["last_digit"] for cell in asked[start:]), default=0.0)
            whole = compared(COMPARISONS[how], left, right, least)
        part = replace(whole, parts=(), cells=asked[start:])
        return replace(part, parts=[part])

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
        artefacts: By target, what declares it.
    """

    def __init__(
        self,
        values: Mapping[str, pd.DataFrame],
        published: Mapping[str, pd.DataFrame],
        draws: Callable[[str], Mapping[tuple[str, str], NDArray]],
        artefacts: Mapping[str, Artefact] = {},
    ):
        self._values, self._published = (
            {name: table.set_index(KEY).to_dict("index") for name, table in tables.items()}
            for tables in (values, published)
        )
        self._draws, self._artefacts = cache(draws), artefacts
        self.asked: list[Mapping] = []  # each cell, with `missing`: why it has no number, or ""
        self.in_print: list[tuple[str, str, str]] = []  # artefact, row, column of each printed one
        self.by_definition = False  # whether a statement needs no sampling error
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
        """Return a number in all draws, NaN where it is missing or nothing shows how sure it is.

        A count has no sampling error: of other data than the paper's, it says nothing of these.
        """
        cell = self._cell(self._values, artefact, row, column)
        missing = (cell["note"] or NO_INPUT) if cell["fidelity"] == NO_INPUT else ""
        drawn = None if missing else self._draws(artefact).get((row, column))
        if drawn is not None and cell["fidelity"] in ("subset", "substitute"):
            counted = np.isnan(cell["ci_low"]) and np.ptp(drawn[0]) == 0
            drawn = None if counted and not self.by_definition else drawn
        unsure = "" if missing or drawn is not None else f"{artefact}: {row}, {column}"
        said = {"missing": missing, "without_draws": unsure, "over": "", "last_digit": 0.0}
        if declared := self._artefacts.get(artefact):
            said["over"] = kind_of(declared.intervals, base_column(column))
            said["last_digit"] = 10.0**-declared.digits
        self.asked.append({**cell, **said})
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
    """What became of a statement."""

    verdict: str  # on the paper's inputs, else on other data; `no input` without a number
    parts: str  # how many parts are yes, no and open
    agrees_on: str  # `1 of 2`: with how many of the other data sets a general claim agrees
    scope: str  # the inputs that the verdict is on
    caution: str  # why some of its numbers are weak, or it may be true for another reason
    needs: str  # what would decide it
    share_of_draws: float  # share of the draws in which it is true; NaN where many leave it open
    fidelity: str  # of the worst input that it used; `no input` where it used none


def verdict_on(statement: Statement, cells: Cells, names: Mapping[str, str] = {}) -> Verdict:
    """Test one statement; `names` are those of inputs that are not the paper's, by source."""
    cells.in_print.clear()
    tested = [_test(statement, data, cells) for data in statement.data]
    computed = [(condition, used) for condition, used in tested if used is not None]
    sides: dict[bool, list] = {True: [], False: []}
    for one in computed:
        # Findings are about the data of the run, and what is true by algebra is about any.
        anywhere = statement.kind in ("", BY_DEFINITION)
        sides[anywhere or _fidelity(one[1]) == "exact"].append(one)
    own, elsewhere = sides[True], [ELSEWHERE[condition.verdict] for condition, _ in sides[False]]
    shown = own or computed or tested
    joined = every([condition for condition, _ in shown])
    share = np.nan if (~(joined.yes | joined.no)).mean() > MOST_OPEN else float(joined.yes.mean())
    if not computed:
        verdict = NO_INPUT
    elif own:
        verdict = OPEN if statement.undecided else joined.verdict
        # What differs between draws is not true by definition, whatever it is marked as.
        if statement.kind == BY_DEFINITION and share == 1:
            verdict = BY_DEFINITION
    elif statement.kind == PARTICULAR:
        verdict = OTHER_DATA
    else:
        alike = len({*elsewhere}) == 1 and not statement.undecided
        verdict = elsewhere[0] if alike else UNCLEAR
    agree = f"{elsewhere.count(AGREES)} of {len(elsewhere)}"
    needs = dict.fromkeys([statement.undecided] if statement.undecided else _needs(joined.parts))
    used = [cell for _, cells_used in shown for cell in cells_used or ()]
    weak = dict.fromkeys(filter(None, [statement.caution, *map(caution, used)]))
    counts = Counter(part.verdict for part in joined.parts)
    return Verdict(
        verdict,
        f"{counts[HOLDS]} yes, {counts[FAILS]} no, {counts[OPEN]} open of {len(joined.parts)}",
        agree if statement.kind == GENERAL and elsewhere else "",
        "; ".join(scope_of(used, names)) if computed else "",
        "; ".join(weak) if computed else "",
        "; ".join(needs) if verdict in (OPEN, UNCLEAR, NO_INPUT) else "",
        share,
        _fidelity(used) if computed else NO_INPUT,
    )


def _test(statement: Statement, data: str, cells: Cells) -> tuple[Condition, list[Mapping] | None]:
    """Test a predicate on one data set.

    Returns:
        What came of it, and its cells with a number; None where no part can be computed.
    """
    cells.asked.clear()
    cells.by_definition = statement.kind == BY_DEFINITION
    names = {**statement.names, "margin": statement.margin, "data": data}
    predicate = " ".join(statement.predicate.split())
    try:
        condition = _Evaluator(cells, names).eval(predicate)
    except MALFORMED as error:
        raise UserError(f"cannot evaluate {predicate!r}: {error}") from None
    if not isinstance(condition, Condition):
        raise UserError(f"cannot evaluate {predicate!r}: it is not a comparison")
    if all(part.missing for part in condition.parts):
        return condition, None
    return condition, [cell for cell in cells.asked if not cell["missing"]]


def _fidelity(cells: Iterable[Mapping]) -> str:
    """Return the fidelity of the worst of some numbers."""
    return worst_fidelity(cell["fidelity"] for cell in cells)


def scope_of(cells: Sequence[Mapping], names: Mapping[str, str]) -> list[str]:
    """Return the names of the inputs of some numbers, or how they compare with the paper's."""
    fidelity = _fidelity(cells)
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
            sample = f"than with {fewest['n']:.0f} {fewest['n_unit']}" if fewest["n_unit"] else ""
            yield f"narrower intervals {fewest['over'] or sample}".rstrip()


def statements_table(
    statements: Sequence[Statement], cells: Cells, names: Mapping[str, str] = {}
) -> pd.DataFrame:
    """Return every statement with its verdict."""
    rows = []
    cells.explained.clear()
    for statement in statements:
        try:
            verdict = verdict_on(statement, cells, names)
        except UserError as error:
            raise UserError(f"{statement.id}: {error}") from None
        if verdict.verdict in (HOLDS, BY_DEFINITION):
            cells.explained |= dict.fromkeys(cells.in_print, statement.id)
        repeated = {key: getattr(statement, key) for key in REPEATED}
        rows.append(repeated | vars(verdict) | {"headline": int(statement.headline)})
    return pd.DataFrame(rows, columns=[*REPEATED, *Verdict.__dataclass_fields__])
