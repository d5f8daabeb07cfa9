"""Which simulated kinds each claim and finding belongs to, from its predicate and its cells."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence

from socialbias.reporting.statements import Statement

COUNTED, PRINTED = "counted", "printed"
# By artefact and column, first match; a row name stands behind the column where it decides.
CELLS = [
    (r"bad_seeds_(table3|figure1) ", COUNTED),
    (r"bad_seeds_figure2 .*between sets", "heterogeneity"),
    (r"bad_seeds_spread .*sd over seed sets", "heterogeneity"),
    (r"bad_seeds_figure3 shuffles above original .*(google-news|glove)", "share of shuffles"),
    (r"bad_seeds_figure4 shuffles more coherent .*glove", "share of shuffles"),
    (r"bad_seeds_(figure[2-5]|table4|spread) ", "models"),
    (r"trustworthy_table3 emb-", "bias by word lists"),
    (r"trustworthy_table3 cr-reduction", "bias by word lists"),
    (r"trustworthy_table3 ", "share by documents"),
    (r"trustworthy_table4 ", "people and rule, 8 targets"),
    (r"trustworthy_agreement (value|.*kappa)", "kappa"),
    (r"trustworthy_professions (employment|text)", "spearman"),
    (r"trustworthy_professions (controls|above)", "mean over targets"),
    (r"trustworthy_professions amplification", "same contexts, difference"),
    (r"trustworthy_professions mean", "share by documents"),
    (r"(trustworthy|validation_planted)_table6 ", "same contexts, difference"),
    (r"trustworthy_table5 diachronic", "decades, levels"),
    (r"trustworthy_table5 contemporary", "spearman"),
    (r"validation_placebo .*differences", "decades, changes"),
    (r"trustworthy_table7 ", "mean over targets"),
    (r"trustworthy_table8 ", "median over random lists"),
    (r"trustworthy_probes ", "mean over targets"),
    (r"trustworthy_weat effect-size", "weat"),
    (r"stereoset_table(1|10) ", COUNTED),
    (r"stereoset_table3 in_sentences", COUNTED),
    (r"fairness_table[346] ", COUNTED),
    (r"stereoset_table[239] ", "mean over targets"),
    (r"stereoset_prose .*spearman", "spearman"),
    (r"stereoset_prose ", COUNTED),
    (r"stereoset_table8 (farther|nearer)", COUNTED),
    (r"stereoset_table[4-8] ", "mean over targets"),
    (r"stereoset_pairs ", "paired decisions"),
    (r"fairness_table(2|7 .* p@)", COUNTED),
    (r"fairness_figure[23] .*(AvgEG|Ratio)", "gaps of groups"),
    (r"fairness_figure[123] ", "gaps of groups, margin"),
    (r"validation_matrix ", "spearman"),
    (r"validation_recovery_corpora (slope|spearman)", "mean over targets"),
]
# What a comparison of two such numbers is called, and one within a margin of 0.
DIFFERENCES = {
    name: f"{name}, difference"
    for name in ("models", "spearman", "mean over targets", "gaps of groups")
} | {
    "gaps of groups, margin": "gaps of groups, difference",
    "heterogeneity": "heterogeneity, difference",
    "share by documents": "shares of the same documents, difference",
}
MARGINS = {"models": "models, margin", "spearman": "spearman, margin"}
DISTANCES = {"models": "models, distance"}
REACHES = {"models": "models, reach"}
ALONE = {"heterogeneity": "heterogeneity, 16 sets"}
JOINED = {"every": "every of 8", "And": "every of 8", "at_least": "7 of 8", "Or": "or"}


def cell_kind(artefact: str, row: str, column: str) -> str:
    """The kind of one cell.

    Raises:
        KeyError: no pattern matches: a new kind of cell needs a simulation.
    """
    for pattern, kind in CELLS:
        if re.match(pattern, f"{artefact} {column} {row}"):
            return kind
    raise KeyError(f"no simulated kind for {artefact!r}, {row!r}, {column!r}: add it to CELLS")


def kinds_of(statement: Statement) -> list[str]:
    """The simulated kinds of a statement, on all its data sets."""
    predicates = [re.sub(r"\bdata\b", repr(data), statement.predicate) for data in statement.data]
    return list(dict.fromkeys(kind for each in predicates for kind in _kinds_of(each)))


def _kinds_of(predicate: str) -> list[str]:
    """The simulated kinds of a predicate: of its comparisons, then of what joins them."""
    tree = ast.parse(" ".join(predicate.split()), mode="eval")
    comparisons = [node for node in ast.walk(tree) if isinstance(node, ast.Compare)]
    found = [kind for node in comparisons for kind in _compared(node)]
    if (len(comparisons) > 1 or _repeated(tree)) and set(found) - {COUNTED, PRINTED}:
        found += [JOINED[name] for name in _joins(tree)]
    return list(dict.fromkeys(found))


def _compared(node: ast.Compare) -> list[str]:
    """The kinds of one comparison."""
    sides = [list(_cells(side)) for side in (node.left, *node.comparators)]
    kinds = list(dict.fromkeys(kind for side in sides for kind in side))
    if not kinds:
        return [PRINTED]
    calls = [n.func.id for n in ast.walk(node) if isinstance(n, ast.Call)]
    several = sum(map(len, sides)) > 1
    result = []
    for kind in kinds:
        name = DIFFERENCES.get(kind, kind) if several else ALONE.get(kind, kind)
        if "abs" in calls and not several:
            inside = isinstance(node.ops[0], ast.Lt | ast.LtE)
            name = MARGINS.get(kind, name) if inside else DISTANCES.get(kind, name)
        if {"max", "min"} <= set(calls):
            name = REACHES.get(kind, name)
        result.append(name)
    return result


def _cells(side: ast.AST) -> Iterator[str]:
    """The kinds of the cells that one side of a comparison asks for."""
    for node in ast.walk(side):
        if not isinstance(node, ast.Call) or node.func.id != "value":
            continue
        yield cell_kind(*map(_text, node.args))


def _text(node: ast.AST) -> str:
    """The constant parts of a text."""
    return "".join(n.value for n in ast.walk(node) if isinstance(n, ast.Constant))


def _joins(tree: ast.AST) -> Sequence[str]:
    """`every`, `at_least`, `And`, `Or`, as far as a predicate has them."""
    calls = [n.func.id for n in ast.walk(tree) if isinstance(n, ast.Call)]
    operators = [type(n.op).__name__ for n in ast.walk(tree) if isinstance(n, ast.BoolOp)]
    return [name for name in JOINED if name in {*calls, *operators}]


def _repeated(tree: ast.AST) -> bool:
    """Whether a comparison stands in a list comprehension."""
    return any(isinstance(node, ast.ListComp) for node in ast.walk(tree))
