"""The print audit of Generalized Fairness Metrics (Czarnowska et al. 2021)."""

from __future__ import annotations

import math
from functools import cache

import numpy as np
from scipy.special import chdtrc, chdtri, ndtr

from socialbias.reporting.print_checks import Audit, bounds, holds, same, sum_check

AUDIT = Audit()
NAMES = "gender-names"


@AUDIT.assuming("both places mean the same metrics", "both places, in the same words")
def _metrics(p):
    """Numbers of metrics: section 4 against the rows of Table 2."""

    def told(column):
        return p("prose", "metrics", column)

    def rows(column):
        return p("counts", "table 2", column)

    not_fitting, group = told("not_fitting"), told("group")
    for place, text, parts in (
        ("Section 4, metrics in Table 2", told("in_table2"),
         [rows("group_metrics"), rows("counterfactual_metrics")]),
        ("Section 4, metrics found", told("found"), [told("in_table2"), not_fitting]),
        ("Section 4, group metrics by kind", group,
         [told("group_prediction_based"), rows("group_probability_based")]),
        ("Sections 5.1 and 6, metrics with a white circle", told("in_table2"),
         [told("white_circled_section5"), rows("pairwise_not_symmetric")]),
    ):  # fmt: skip
        yield sum_check(place, text, parts)
    named = p("counts", "section 4", "metrics_named_as_not_fitting")
    for place, text, other, where in (
        ("Section 4, metrics that do not fit", not_fitting, named, "the list that follows"),
        ("Section 4, group metrics", group, rows("group_metrics"), "Table 2, counted in rows,"),
        ("Section 6, metrics with a white circle", told("white_circled_section6"),
         told("white_circled_section5"), "section 5.1"),
        ("Section 4, papers surveyed", p("prose", "survey", "papers_section4"),
         p("prose", "survey", "papers_section1"), "section 1"),
    ):  # fmt: skip
        yield same(place, "prose", text, other, where)


@AUDIT.assuming("both places mean the same quantity", "both places, in the same words")
def _attributes(p):
    counted = {"Table 3": p("counts", "table 3", "attributes")}
    counted["Table 7"] = str(sum(row != NAMES for row in p.rows("table7")))
    for section in (1, 5):
        for table, rows in counted.items():
            place = f"Section {section} against {table}, sensitive attributes"
            text = p("prose", "attributes", f"sensitive_section{section}")
            yield same(place, "prose", text, rows, f"{table}, counted in rows without names,")
    figure, table = (p("prose", "nationality", f"groups_{x}") for x in ("figure3", "table3"))
    yield same("Figure 3, groups of Nationality", "prose", figure, table, "Table 3")


# -- p-values that a number of templates can give --------------------------------------------------


@cache
def wilcoxon_p_values(n: int) -> dict[str, np.ndarray]:
    """Return the two-sided p-values that n untied signed ranks can give, by kind of calculation.

    Keys: `normal`, `normal with continuity correction`, `exact`; each from W = 0 up to its mean.
    """
    mean, deviation = n * (n + 1) / 4, math.sqrt(n * (n + 1) * (2 * n + 1) / 24)
    w = np.arange(math.floor(mean) + 1)
    ways = [1] + [0] * (n * (n + 1) // 2)  # of the ranks with one sign to have a sum
    for rank in range(1, n + 1):
        for total in range(len(ways) - 1, rank - 1, -1):
            ways[total] += ways[total - rank]
    exact = 2 * np.cumsum(np.array(ways[: len(w)], float)) / 2**n
    return {
        "normal": 2 * ndtr((w - mean) / deviation),
        "normal with continuity correction": 2 * ndtr((w + 0.5 - mean) / deviation),
        "exact": np.minimum(exact, 1),
    }


def friedman_neighbours(p: float, n: int, k: int) -> list[float]:
    """Return the attainable Friedman p-values next to p, for n untied templates and k groups.

    Q = 12 S / (n k (k + 1)) - 3 n (k + 1), where S, the sum of the k squared rank sums, has the
    parity of n k (k + 1) / 2. Not every such S need occur, so the list is generous.
    """
    scale, parity = n * k * (k + 1) / 12, n * k * (k + 1) // 2 % 2
    below = math.floor((chdtri(k - 1, p) + 3 * n * (k + 1)) * scale)
    below -= (below - parity) % 2
    sums = (below - 2, below, below + 2, below + 4)
    return [float(chdtrc(k - 1, s / scale - 3 * n * (k + 1))) for s in sums]


def _attainable(p, row, text, n):
    """Return the p-values near the printed one that n templates can give, with their texts."""
    if row != NAMES:  # every template ranks the groups
        place = ("counts", row, "groups")
        if row == "nationality":
            place = ("prose", "nationality", "groups_table3")
        near = friedman_neighbours(float(text), n, int(p(*place)))
        return [(f"{value:.4g}", value) for value in near]
    return [
        (f"{kind}, W = {w}, p = {value:.4g}", value)
        for kind, values in wilcoxon_p_values(n).items()
        for w, value in enumerate(values)
    ]


@AUDIT.assuming(
    "no two scores of a template are equal",
    explanation="some scores are equal, or only 40 of the 60 templates were used",
    conclusion="none: the p-value is on the same side of 0.05",
)
def _table7(p):
    """With names every template gives one pair, with other attributes as many as groups."""
    columns = ("names_total", "per_attribute", "neutral")
    of_names, of_groups, neutral = (int(p("prose", "templates", column)) for column in columns)
    for (row, column), (text, _) in p.table("table7").items():
        n, around = of_names if row == NAMES else of_groups, bounds(text)
        near, fewer = (_attainable(p, row, text, count) for count in (n, n - neutral))
        if row != NAMES and around.high - around.low >= min(abs(np.diff([x for _, x in near]))):
            continue  # some step always falls into the interval, so the check could not fail
        found, others = (
            [label for label, value in some if around.low <= value <= around.high]
            for some in (near, fewer)
        )
        nearest, _ = min(near, key=lambda pair: abs(pair[1] - float(text)))
        implied = found[0] if found else f"not attainable with {n} templates"
        arithmetic = f"{n} templates, nearest {nearest}; without the neutral ones, {n - neutral}: "
        arithmetic += "; ".join(others) or "not attainable"
        yield holds(f"Table 7, {row}, {column}", "attainable", text, implied, arithmetic, found)


@AUDIT.assuming("groups are unlikely to be equal where p is at most 0.05")
def _significance(p):
    """Section 6.1: what is unlikely to be equal has a small p-value."""
    named = [("nationality", column) for column in p.columns("table7")]
    for row, column in [*named, (NAMES, "semeval-3 p")]:
        text = p("table7", row, column)
        place = f"Section 6.1 against Table 7, {row}, {column}"
        claim, arithmetic = "unlikely to be equal", f"{text} against 0.05"
        yield holds(place, "claim", claim, f"p {text}", arithmetic, bounds(text).low <= 0.05)
