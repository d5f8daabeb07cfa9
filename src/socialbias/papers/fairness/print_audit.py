"""The print audit of Generalized Fairness Metrics (Czarnowska et al. 2021)."""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import cache

import numpy as np
from scipy.special import chdtrc, chdtri, ndtr

from socialbias.reporting.print_checks import (
    Check,
    Tables,
    assuming,
    bounds,
    column_names,
    printed,
    row_names,
    same,
    sum_check,
    verdict,
)

NAMES = "gender-names"


def _prose(tables: Tables, row: str, column: str) -> str:
    return printed(tables, "fairness_prose", row, column)


def _count(tables: Tables, row: str, column: str) -> str:
    return printed(tables, "fairness_counts", row, column)


@assuming("both places mean the same metrics", "both places, in the same words")
def _metrics(tables: Tables) -> list[Check]:
    """Numbers of metrics: section 4 against the rows of Table 2."""

    def prose(column: str) -> str:
        return _prose(tables, "metrics", column)

    def rows(column: str) -> str:
        return _count(tables, "table 2", column)

    return [
        sum_check("Section 4, metrics in Table 2", prose("in_table2"),
                  [rows("group_metrics"), rows("counterfactual_metrics")]),
        sum_check("Section 4, metrics found", prose("found"),
                  [prose("in_table2"), prose("not_fitting")]),
        same("Section 4, metrics that do not fit", "prose", prose("not_fitting"),
             _count(tables, "section 4", "metrics_named_as_not_fitting"), "the list that follows"),
        same("Section 4, group metrics", "prose", prose("group"), rows("group_metrics"),
             "Table 2, counted in rows,"),
        sum_check("Section 4, group metrics by kind", prose("group"),
                  [prose("group_prediction_based"), rows("group_probability_based")]),
        sum_check("Sections 5.1 and 6, metrics with a white circle", prose("in_table2"),
                  [prose("white_circled_section5"), rows("pairwise_not_symmetric")]),
        same("Section 6, metrics with a white circle", "prose",
             prose("white_circled_section6"), prose("white_circled_section5"), "section 5.1"),
        same("Section 4, papers surveyed", "prose",
             _prose(tables, "survey", "papers_section4"),
             _prose(tables, "survey", "papers_section1"), "section 1"),
    ]  # fmt: skip


@assuming("the kinds of templates add up", "section 5")
def _templates(tables: Tables) -> list[Check]:
    def prose(column: str) -> str:
        return _prose(tables, "templates", column)

    return [
        sum_check("Section 5, templates by class", prose("per_attribute"),
                  [prose("negative"), prose("neutral"), prose("positive")]),
        sum_check("Section 5, templates by kind", prose("per_attribute"),
                  [prose("generic"), prose("specific")]),
        sum_check("Section 5, templates for names", prose("names_total"),
                  [prose("specific"), prose("names_additional")]),
    ]  # fmt: skip


@assuming("both places mean the same quantity", "both places, in the same words")
def _attributes(tables: Tables) -> list[Check]:
    without_names = sum(row != NAMES for row in row_names(tables["fairness_table7"]))
    counted = {"Table 3": _count(tables, "table 3", "attributes"), "Table 7": str(without_names)}
    found = [
        same(f"Section {section} against {table}, sensitive attributes", "prose",
             _prose(tables, "attributes", f"sensitive_section{section}"), rows,
             f"{table}, counted in rows without names,")
        for section in (1, 5)
        for table, rows in counted.items()
    ]  # fmt: skip
    found.append(
        same("Figure 3, groups of Nationality", "prose",
             _prose(tables, "nationality", "groups_figure3"),
             _prose(tables, "nationality", "groups_table3"), "Table 3")
    )  # fmt: skip
    return found


@assuming("a group has as many examples as the table says", "Table 1")
def _examples(tables: Tables) -> list[Check]:
    terms = _prose(tables, "table 1", "terms_per_group")
    return [
        same(f"Table 1, {group} examples", "tables", terms,
             _count(tables, "table 1", f"{group}_examples"), "its rows")
        for group in ("female", "male")
    ]  # fmt: skip


# -- p-values that a number of templates can give --------------------------------------------------


@cache
def _signed_rank_cumulative(n: int) -> tuple[float, ...]:
    """Return P(W <= w) of the signed-rank statistic under the null, w from 0 to n (n + 1) / 2."""
    ways = [1] + [0] * (n * (n + 1) // 2)
    for rank in range(1, n + 1):
        for w in range(len(ways) - 1, rank - 1, -1):
            ways[w] += ways[w - rank]
    total, running, shares = 2**n, 0, []
    for way in ways:
        running += way
        shares.append(running / total)
    return tuple(shares)


def wilcoxon_p_values(n: int) -> dict[str, np.ndarray]:
    """Return the two-sided p-values that n untied signed ranks can give, by kind of calculation.

    Keys: `normal`, `normal with continuity correction`, `exact`; each from W = 0 up to its mean.
    """
    mean = n * (n + 1) / 4
    deviation = math.sqrt(n * (n + 1) * (2 * n + 1) / 24)
    w = np.arange(math.floor(mean) + 1)
    exact = 2 * np.array(_signed_rank_cumulative(n)[: len(w)])
    return {
        "normal": 2 * ndtr((w - mean) / deviation),
        "normal with continuity correction": 2 * ndtr((w + 0.5 - mean) / deviation),
        "exact": np.minimum(exact, 1),
    }


@assuming("no two scores of a template are equal")
def _wilcoxon(tables: Tables) -> list[Check]:
    """Table 7, names: every template gives one pair, so W is one of few values."""
    n = int(_prose(tables, "templates", "names_total"))
    fewer = n - int(_prose(tables, "templates", "neutral"))
    return [
        _wilcoxon_check(f"Table 7, {NAMES}, {column}", cell.value, n, fewer)
        for (row, column), cell in tables["fairness_table7"].items()
        if row == NAMES
    ]


def _wilcoxon_check(place: str, text: str, n: int, fewer: int) -> Check:
    around = bounds(text)

    def hits(count: int) -> list[str]:
        return [
            f"{kind}, W = {w}, p = {values[w]:.4g}"
            for kind, values in wilcoxon_p_values(count).items()
            for w in np.flatnonzero((values >= around.low) & (values <= around.high))
        ]

    near = [
        f"{kind} {float(values[np.argmin(np.abs(values - around.best))]):.4g}"
        for kind, values in wilcoxon_p_values(n).items()
    ]
    with_n = hits(n)
    arithmetic = (
        f"signed ranks of {n} templates, nearest p: {', '.join(near)}; "
        f"without the neutral ones, {fewer}: {'; '.join(hits(fewer)) or 'not attainable'}"
    )
    return Check(
        place, "attainable", text,
        with_n[0] if with_n else f"not attainable with {n} templates", arithmetic,
        verdict(bool(with_n)),
    )  # fmt: skip


def friedman_neighbours(p: float, n: int, k: int) -> list[float]:
    """Return the attainable Friedman p-values next to p, for n untied templates and k groups.

    Q = 12 S / (n k (k + 1)) - 3 n (k + 1), where S, the sum of the k squared rank sums, has the
    parity of n k (k + 1) / 2. Not every such S need occur, so the list is generous.
    """
    scale = n * k * (k + 1) / 12
    parity = n * k * (k + 1) // 2 % 2
    target = (chdtri(k - 1, p) + 3 * n * (k + 1)) * scale
    below = math.floor(target)
    below -= (below - parity) % 2
    sums = (below - 2, below, below + 2, below + 4)
    return [float(chdtrc(k - 1, s / scale - 3 * n * (k + 1))) for s in sums]


@assuming("no two scores of a template are equal")
def _friedman(tables: Tables) -> Iterator[Check]:
    """Table 7, other attributes, where the printed digits are finer than the attainable steps."""
    n = int(_prose(tables, "templates", "per_attribute"))
    fewer = n - int(_prose(tables, "templates", "neutral"))
    for (row, column), cell in tables["fairness_table7"].items():
        if row == NAMES:
            continue
        k = int(_groups(tables, row))
        values = friedman_neighbours(float(cell.value), n, k)
        around = bounds(cell.value)
        if around.high - around.low >= min(abs(np.diff(values))):
            continue  # some step always falls into the interval, so the check could not fail
        yield _friedman_check(f"Table 7, {row}, {column}", cell.value, (n, fewer), k)


def _groups(tables: Tables, attribute: str) -> str:
    if attribute == "nationality":
        return _prose(tables, "nationality", "groups_table3")
    return _count(tables, attribute, "groups")


def _friedman_check(place: str, text: str, templates: tuple[int, int], k: int) -> Check:
    around = bounds(text)
    values = {n: friedman_neighbours(around.best, n, k) for n in templates}
    inside = {n: [p for p in values[n] if around.low <= p <= around.high] for n in templates}
    n, fewer = templates
    arithmetic = (
        f"{k} groups, {n} templates, no ties: Q moves in steps of "
        f"24 / ({n} * {k} * {k + 1}) = {24 / (n * k * (k + 1)):.5f}, "
        f"nearest p {', '.join(f'{p:.4g}' for p in values[n])}; without the neutral ones, {fewer}: "
        + (f"{inside[fewer][0]:.4g}" if inside[fewer] else "not attainable")
    )
    return Check(
        place, "attainable", text,
        f"{inside[n][0]:.4g}" if inside[n] else f"not attainable with {n} templates", arithmetic,
        verdict(bool(inside[n])),
    )  # fmt: skip


@assuming("groups are unlikely to be equal where p is at most 0.05")
def _significance(tables: Tables) -> Iterator[Check]:
    """Section 6.1: what is unlikely to be equal has a small p-value."""
    cells = [("nationality", column) for column in column_names(tables["fairness_table7"])]
    cells.append((NAMES, "semeval-3 p"))
    for row, column in cells:
        text = printed(tables, "fairness_table7", row, column)
        yield Check(
            f"Section 6.1 against Table 7, {row}, {column}", "claim",
            "unlikely to be equal", f"p {text}", f"{text} against 0.05",
            verdict(bounds(text).low <= 0.05),
        )  # fmt: skip


FAMILIES = (
    _metrics, _templates, _attributes, _examples, _wilcoxon, _friedman, _significance,
)  # fmt: skip
