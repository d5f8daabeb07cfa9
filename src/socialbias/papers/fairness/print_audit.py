"""The print audit of Generalized Fairness Metrics (Czarnowska et al. 2021)."""

from __future__ import annotations

from socialbias.reporting.print_checks import Audit, same, sum_check

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
