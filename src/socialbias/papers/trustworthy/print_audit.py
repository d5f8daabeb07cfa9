"""The print audit of Trustworthy Social Bias Measurement (Bommasani & Liang 2022)."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from socialbias.reporting.print_checks import (
    MOST_COUNTED,
    Check,
    Range,
    Table,
    Tables,
    assuming,
    bounds,
    column_names,
    compare,
    printed,
    propagate,
    row_names,
    same,
    show,
    spearman_check,
    spearman_p_range,
    sum_check,
    under,
    verdict,
)
from socialbias.stats.correlation import midranks, spearman_rho

# Directions of the US stereotypes that section 6 names: -1 male, +1 female.
STEREOTYPES = {
    "carpenter": -1, "dancer": 1, "librarian": 1, "nurse": 1, "pilot": -1, "soldier": -1,
    "businessman": -1, "businesswoman": 1,
}  # fmt: skip
# The rows of Table 3 that are census professions (its top part).
CENSUS_TARGETS = ("carpenter", "dancer", "librarian", "nurse", "pilot", "soldier")
WIKIPEDIA_COLUMNS = {"text-human", "text-automated", "cr-reduction", "cr-probe"}
# Measures of Table 5 that take a principal component of difference vectors, by their definitions.
WITH_PCA = {"bolukbasi", "ethayarajh"}
MULTICLASS = {"manzini", "divdist"}
TABLE3_DECIMALS = 3
# "each decade of 1900-2000" gives ten.
DECADES = 10


def _column(table: Table, column: str) -> list[str]:
    return [table[row, column].value for row in row_names(table)]


def _in_full(texts: list[str]) -> list[str]:
    """Write back the trailing zeros that Table 3 drops: -0.5 in it stands for -0.500."""
    return [f"{float(text):.{TABLE3_DECIMALS}f}" for text in texts]


@assuming("bias is a share of one of two groups less one half", "sections 3 and 6")
def _bias_in_range(tables: Tables) -> Iterator[Check]:
    table = tables["trustworthy_table3"]
    for column in column_names(table):
        largest = max(_column(table, column), key=lambda text: abs(float(text)))
        holds = bounds(largest.lstrip("-")).low <= 0.5
        arithmetic = f"p(female) - 1/2 with p from 0 to 1; largest magnitude {largest}"
        place = f"Table 3, {column}"
        yield Check(place, "range", largest, "-0.5 to 0.5", arithmetic, verdict(holds))


@assuming("bias is female-directed", "caption of Table 3")
def _stereotype_signs(tables: Tables) -> Iterator[Check]:
    """Section 6: signs follow the stereotype, except librarian where Wikipedia is measured."""
    table = tables["trustworthy_table3"]
    for row, sign in STEREOTYPES.items():
        against = {c for c in column_names(table) if float(table[row, c].value) * sign < 0}
        expected = WIKIPEDIA_COLUMNS if row == "librarian" else set()
        yield Check(
            f"Section 6 against Table 3, {row}",
            "claim",
            "against the stereotype in: " + (", ".join(sorted(expected)) or "none"),
            "against the stereotype in: " + (", ".join(sorted(against)) or "none"),
            " ".join(f"{c} {table[row, c].value}" for c in column_names(table)),
            verdict(against == expected),
        )


@assuming("at every length the human numbers are ranked as in Table 3")
def _table4_attainable(tables: Tables) -> list[Check]:
    """Table 4 correlates the eight targets of Table 3, whose human column has a tie."""
    human = [float(text) for text in _column(tables["trustworthy_table3"], "text-human")]
    ranks = midranks(human)
    table = tables["trustworthy_table4"]
    return [
        spearman_check(
            f"Table 4, {row} sentences, rho", table[row, "spearman_rho"].value,
            len(human), ranks.tolist(),
        )
        for row in row_names(table)
    ]  # fmt: skip


@assuming("contexts have three sentences by default", "sections 4.1 and 6")
def _table4_strongest(tables: Tables) -> Iterator[Check]:
    """Section 6: the strongest correlations are those of the default context length."""
    table = tables["trustworthy_table4"]
    chosen = printed(tables, "trustworthy_prose", "table 4", "context_sentences_by_default")
    for column in column_names(table):
        values = {row: float(table[row, column].value) for row in row_names(table)}
        top = max(values.values())
        winners = [row for row, value in values.items() if value == top]
        yield Check(
            f"Section 6 against Table 4, {column}", "claim",
            f"strongest at {chosen} sentences", f"strongest at {', '.join(winners)} sentences",
            ", ".join(f"{row}: {value:.3f}" for row, value in values.items()),
            verdict(chosen in winners),
        )  # fmt: skip


@assuming(
    "the text columns of Table 3 are the same professions at the default length",
    "sections 4.1 and 6",
)
def _table4_from_table3(tables: Tables) -> list[Check]:
    """Both tables report English Wikipedia at the default length, so Table 3 gives a row of 4."""
    table = tables["trustworthy_table3"]
    row = printed(tables, "trustworthy_prose", "table 4", "context_sentences_by_default")
    human, automated = (_in_full(_column(table, f"text-{kind}")) for kind in ("human", "automated"))
    half = len(human)
    basis = f"from the two text columns of Table 3, same targets and corpus, {row} sentences"
    rho = spearman_rho([float(t) for t in human], [float(t) for t in automated])
    ranks = [midranks([float(t) for t in texts]) for texts in (human, automated)]
    gaps = " + ".join(f"{(a - b) ** 2:g}" for a, b in zip(*ranks, strict=True))
    squared = propagate(
        lambda v: float(np.corrcoef(v[:half], v[half:])[0, 1] ** 2), human + automated
    )
    return [
        compare(
            f"Table 4, {row} sentences, rho, against Table 3", "tables",
            printed(tables, "trustworthy_table4", row, "spearman_rho"), Range(rho, rho, rho),
            f"squared rank differences {gaps}, midranks for the tie; rho = {rho:.4f} {basis}",
        ),
        compare(
            f"Table 4, {row} sentences, R^2, against Table 3", "tables",
            printed(tables, "trustworthy_table4", row, "pearson_r2"), squared,
            f"r = {math.sqrt(squared.best):.4f}, r^2 = {squared.best:.4f} {basis}",
        ),
    ]  # fmt: skip


@assuming("no two decades are tied")
def _table5_attainable(tables: Tables) -> list[Check]:
    table = tables["trustworthy_table5"]
    return [
        spearman_check(f"Table 5, {row}, {column}", table[row, column].value, DECADES)
        for row in row_names(table)
        for column in ("diachronic-gender", "diachronic-race")
        if table[row, column].value
    ]


def _table5_n(tables: Tables, column: str) -> int:
    if column.startswith("diachronic"):
        return DECADES
    return int(printed(tables, "trustworthy_prose", "table 5 contemporary", "professions"))


@assuming("a correlation counts where p is at most 0.05", "section 5")
def _table5_significance(tables: Tables) -> Iterator[Check]:
    """Section 6 and 8: which correlations are significant, absent or negative."""
    significant = [("divdist", c) for c in column_names(tables["trustworthy_table5"])]
    absent = [(m, f"{t}-gender") for m in sorted(WITH_PCA) for t in ("diachronic", "contemporary")]
    negative = [("manzini", "diachronic-gender"), ("manzini", "diachronic-race")]
    not_positive = [("manzini", "contemporary-gender"), ("manzini", "contemporary-race")]
    for claim, cells in (
        ("significant", significant), ("not significant", absent),
        ("negative and significant", negative), ("absent or negative", not_positive),
    ):  # fmt: skip
        yield from (_significance_check(tables, claim, row, column) for row, column in cells)


def _significance_check(tables: Tables, claim: str, row: str, column: str) -> Check:
    text = printed(tables, "trustworthy_table5", row, column)
    level = float(printed(tables, "trustworthy_prose", "correlations", "significance_level"))
    n = _table5_n(tables, column)
    p = spearman_p_range(text, n)
    may_be, may_not = p.low <= level, p.high > level
    holds = {
        "significant": may_be,
        "not significant": may_not,
        "negative and significant": may_be and float(text) < 0,
        "absent or negative": may_not or float(text) < 0,
    }[claim]
    how = "exact for untied ranks" if n <= MOST_COUNTED else "t = rho sqrt((n - 2) / (1 - rho^2))"
    arithmetic = f"n = {n}, {how}, two-sided p = {show(p, 4)}"
    place = f"Sections 6 and 8 against Table 5, {row}, {column}"
    return Check(place, "claim", claim, f"rho {text}", arithmetic, verdict(holds))


@assuming("the sentence is about each column of Table 5")
def _table5_pca(tables: Tables) -> Iterator[Check]:
    """Section 6: the measures with weak correlation are all PCA-based."""
    table = tables["trustworthy_table5"]
    level = float(printed(tables, "trustworthy_prose", "correlations", "significance_level"))
    for column in ("diachronic-gender", "contemporary-gender"):
        n = _table5_n(tables, column)
        p = {row: spearman_p_range(table[row, column].value, n) for row in row_names(table)}
        weak = [row for row in p if p[row].low > level]
        yield Check(
            f"Section 6 against Table 5, {column}", "claim",
            "every weakly correlated measure uses PCA",
            "not significant without PCA: "
            + (", ".join(row for row in weak if row not in WITH_PCA) or "none"),
            f"n = {n}; " + ", ".join(
                f"{row} {table[row, column].value} (p {p[row].best:.3f})" for row in weak
            ),
            verdict(set(weak) <= WITH_PCA),
        )  # fmt: skip


@assuming("only Manzini's measure and the paper's own take more than two groups", "section 6")
def _table5_not_available(tables: Tables) -> Iterator[Check]:
    """Only the measures that take more than two groups can have a race column."""
    table = tables["trustworthy_table5"]
    for row in row_names(table):
        empty = [c for c in column_names(table) if not table[row, c].value]
        races = [c for c in column_names(table) if c.endswith("-race")]
        expected = [] if row in MULTICLASS else races
        arithmetic = "two-group measures have no race bias; measures for more groups have one"
        yield Check(
            f"Table 5, {row}", "N/A", "N/A in: " + (", ".join(empty) or "none"),
            "N/A in: " + (", ".join(expected) or "none"), arithmetic, verdict(empty == expected),
        )  # fmt: skip


@assuming("its columns are the steps between the same three levels", "head of Table 6")
def _table6_sums(tables: Tables) -> list[Check]:
    """The steps add up: (L2 - L1) + (L3 - L2) = L3 - L1."""
    table = tables["trustworthy_table6"]
    return [
        sum_check(
            f"Table 6, {row}, L3;L1", table[row, "L3;L1"].value,
            [table[row, "L2;L1"].value, table[row, "L3;L2"].value], exact=False,
        )
        for row in row_names(table)
    ]  # fmt: skip


@assuming("its numbers are female-directed, as those of Table 3")
def _table6_directions(tables: Tables) -> Iterator[Check]:
    """Section 6: representations amplify bias, samples are slightly less biased than the data."""
    table = tables["trustworthy_table6"]
    for column, claim, sign in (
        ("L2;L1", "towards the stereotype on the whole", 1),
        ("L3;L1", "away from the stereotype on the whole", -1),
    ):
        shifts = {row: float(table[row, column].value) * STEREOTYPES[row] for row in STEREOTYPES}
        mean = math.fsum(shifts.values()) / len(shifts)
        against = [row for row, shift in shifts.items() if shift * sign < 0]
        terms = " + ".join(f"({shift:+.3f})" for shift in shifts.values())
        yield Check(
            f"Section 6 against Table 6, {column}", "claim", claim,
            f"mean shift {mean:+.4f}; {len(against)} of {len(shifts)} the other way: "
            + (", ".join(against) or "none"),
            f"female-directed, signed by the stereotype: ({terms}) / {len(shifts)}",
            verdict(mean * sign > 0),
        )  # fmt: skip


def _table7_reductions(tables: Tables) -> Iterator[Check]:
    """Section 6: every method reduces the bias that it targets, read by sign and by magnitude."""
    table = tables["trustworthy_table7"]
    rows = row_names(table)
    pairs = [
        (table[r, "targeted-original"].value, table[r, "targeted-debiased"].value) for r in rows
    ]
    # Print does not say whether -0.055 is a smaller bias than 0.026, so each reading is ours.
    for reading, pick in (("by sign", str), ("by magnitude", lambda text: text.lstrip("-"))):
        reduced = [bounds(pick(new)).low < bounds(pick(old)).high for old, new in pairs]
        kept = [
            f"{r}: {o} to {n}" for r, (o, n), ok in zip(rows, pairs, reduced, strict=True) if not ok
        ]
        check = Check(
            f"Section 6 against Table 7, targeted metric, {reading}", "claim",
            f"{len(rows)} of {len(rows)} reduced", f"{sum(reduced)} of {len(rows)} reduced",
            "not reduced: " + ("; ".join(kept) or "none"), verdict(all(reduced)),
        )  # fmt: skip
        yield under(check, f"a bias is compared {reading}")


@assuming("a bias is amplified where it grows", "section 6 and caption of Table 7")
def _table7_amplified(tables: Tables) -> list[Check]:
    """Sections 6 and 8: how many methods amplify the bias by the paper's own measure."""
    rows = row_names(tables["trustworthy_table7"])
    manzini = [row for row in rows if "manzini" in row]
    claimed = int(printed(tables, "trustworthy_prose", "table 7", "methods_that_amplify"))
    return [
        _amplified(tables, "Section 6 against Table 7, our metric", rows, claimed),
        _amplified(tables, "Section 8 against Table 7, our metric", manzini, len(manzini)),
    ]


def _amplified(tables: Tables, place: str, rows: list[str], claimed: int) -> Check:
    table = tables["trustworthy_table7"]
    pairs = [(table[r, "divdist-original"].value, table[r, "divdist-debiased"].value) for r in rows]
    surely = sum(bounds(new).low > bounds(old).high + 1e-12 for old, new in pairs)
    possibly = sum(bounds(new).high > bounds(old).low for old, new in pairs)
    by_digits = sum(float(new) > float(old) for old, new in pairs)
    return Check(
        place, "claim", f"{claimed} of {len(rows)} amplified",
        f"{by_digits} of {len(rows)} by the printed digits, {surely} to {possibly} before rounding",
        "; ".join(f"{old} to {new}" for old, new in pairs), verdict(surely <= claimed <= possibly),
    )  # fmt: skip


@assuming(
    "rows with the same embedding and groups start from the same vectors",
    "labels of Table 7",
)
def _table7_repeated(tables: Tables) -> Iterator[Check]:
    """A measure before debiasing does not depend on the method that follows."""
    table = tables["trustworthy_table7"]
    for group in ("gender", "race", "religion"):
        for column in ("targeted-original", "divdist-original"):
            soft, hard = (f"word2vec {kind}-manzini {group}" for kind in ("soft", "hard"))
            value, again = table[soft, column].value, table[hard, column].value
            place, other = f"Table 7, {soft}, {column}", f"{hard}, same measure before debiasing,"
            yield same(place, "tables", value, again, other)
    first, second = "word2vec hard-bolukbasi gender", "word2vec soft-manzini gender"
    yield same(f"Table 7, {first}, divdist-original", "tables",
               table[first, "divdist-original"].value, table[second, "divdist-original"].value,
               f"{second}, same embedding name, measure and groups before debiasing,")  # fmt: skip


@assuming("Table 7 averages the 104 census professions over the vectors of Table 3")
def _table7_lower_bounds(tables: Tables) -> Iterator[Check]:
    """A mean of magnitudes is at least the part that a few of its terms contribute."""
    count = int(printed(tables, "trustworthy_prose", "target concepts", "professions"))
    table3, table7 = tables["trustworthy_table3"], tables["trustworthy_table7"]
    for row, column in (
        ("word2vec hard-bolukbasi gender", "emb-word2vec"),
        ("word2vec soft-manzini gender", "emb-word2vec"),
        ("glove gn-glove gender", "emb-glove"),
    ):
        signed = _in_full([table3[target, column].value for target in CENSUS_TARGETS])
        sizes = [text.lstrip("-") for text in signed]
        least = 2 * math.fsum(bounds(size).low for size in sizes) / count
        best = 2 * math.fsum(float(size) for size in sizes) / count
        arithmetic = (
            f"2 ({' + '.join(sizes)}) / {count} = {best:.4f} is the least mean l1 distance over "
            f"{count} professions that include these six of Table 3 ({column})"
        )
        implied = Range(least, best, 1.0)
        text = table7[row, "divdist-original"].value
        yield Check(
            f"Table 7, {row}, divdist-original, against Table 3", "bound", text,
            f"at least {least:.4f}", arithmetic, verdict(bounds(text).high >= implied.low),
        )  # fmt: skip


@assuming("no two of the eight professions are tied")
def _table8_attainable(tables: Tables) -> list[Check]:
    n = int(printed(tables, "trustworthy_prose", "table 4", "professions"))
    table = tables["trustworthy_table8"]
    return [
        spearman_check(f"Table 8, {row}, {column}", cell.value, n)
        for (row, column), cell in table.items()
        if column.endswith("spearman_rho") and cell.value
    ]


@assuming("the bias is that of two genders against the uniform reference", "section 6")
def _table8_identity(tables: Tables) -> list[Check]:
    """With two groups and the uniform reference the l2 distance is l1 / sqrt(2)."""
    return [
        compare(
            f"Table 8, {row}, {column}", "identity", cell.value, Range(1.0, 1.0, 1.0),
            "sqrt(2 d^2) = 2 |d| / sqrt(2) for p = (1/2 + d, 1/2 - d): every correlation is 1",
        )
        for (row, column), cell in tables["trustworthy_table8"].items()
        if column.startswith("l2 ")
    ]  # fmt: skip


@assuming("people label what the probe learns", "section 4.3")
def _table8_not_available(tables: Tables) -> Iterator[Check]:
    """A probe uses no word list, so every word-list cell of its row is N/A and no other."""
    table = tables["trustworthy_table8"]
    for row in row_names(table):
        empty = [c for c in column_names(table) if not table[row, c].value]
        lists = [c for c in column_names(table) if c.startswith("lists-")]
        expected = lists if row.startswith("cr-probe") else []
        yield Check(
            f"Table 8, {row}", "N/A", f"{len(empty)} N/A", f"{len(expected)} N/A",
            "the labels of the probe come from people, not from word lists",
            verdict(empty == expected),
        )  # fmt: skip


@assuming("both places mean the same quantity", "both places, in the same words")
def _counts(tables: Tables) -> list[Check]:
    def prose(row: str, column: str) -> str:
        return printed(tables, "trustworthy_prose", row, column)

    def counted(row: str, column: str) -> str:
        return printed(tables, "trustworthy_counts", row, column)

    professions = counted("word list professions", "words")
    rows3 = str(len(row_names(tables["trustworthy_table3"])))
    rows7 = str(len(row_names(tables["trustworthy_table7"])))
    criteria = [counted("table 2", f"{kind}_rows") for kind in ("validity", "reliability")]
    contexts, targets = prose("agreement", "contexts"), prose("agreement", "targets")
    first, end = (prose("table 5 diachronic", f"{which}_year") for which in ("first", "end"))
    listed = "the professions list of appendix A.1 is the list of target concepts"
    return [
        under(same("Section 5, target concepts", "prose",
                   prose("target concepts", "professions"), professions,
                   "the professions list of appendix A.1"), listed),
        under(same("Table 3, targets in appendix A.1", "prose", rows3,
                   counted("word list professions", "table3_targets_listed"),
                   "of the targets of Table 3, the professions list of appendix A.1"), listed),
        same("Section 1, measures", "prose", prose("measures", "instantiated"),
             counted("table 1", "rows"), "Table 1, counted in rows,"),
        sum_check("Section 1, criteria against Table 2", prose("criteria", "tested"),
                  criteria),
        same("Section 6, professions of Table 4", "prose", prose("table 4", "professions"),
             rows3, "Table 3, counted in rows,"),
        same("Section 6, methods of Table 7", "prose", prose("table 7", "methods"),
             rows7, "Table 7, counted in rows,"),
        same("Section 6, professions, both experiments", "prose",
             prose("table 5 diachronic", "professions"),
             prose("table 5 contemporary", "professions"), "the contemporary experiment"),
        same("Section 7, kappa", "prose", prose("agreement", "fleiss_kappa"),
             printed(tables, "trustworthy_agreement", "fleiss_kappa", "value"),
             "the agreement artefact"),
        Check("Section 7, contexts by target", "sum", contexts,
              f"{int(contexts) / int(targets):g} contexts a target",
              f"{contexts} / {targets} = {int(contexts) / int(targets):g}, a whole number",
              verdict(int(contexts) % int(targets) == 0)),
        Check("Section 6, decades", "prose", f"{first} to {end}", f"{DECADES} decades",
              f"({end} - {first}) / 10 = {(int(end) - int(first)) / 10:g}",
              verdict(int(end) - int(first) == 10 * DECADES)),
    ]  # fmt: skip


FAMILIES = (
    _bias_in_range, _stereotype_signs, _table4_attainable, _table4_strongest,
    _table4_from_table3, _table5_attainable, _table5_significance, _table5_pca,
    _table5_not_available, _table6_sums, _table6_directions, _table7_reductions,
    _table7_amplified, _table7_repeated, _table7_lower_bounds, _table8_attainable,
    _table8_identity, _table8_not_available, _counts,
)  # fmt: skip
