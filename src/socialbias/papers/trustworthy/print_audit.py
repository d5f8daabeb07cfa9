"""The print audit of Trustworthy Social Bias Measurement (Bommasani & Liang 2022)."""

from __future__ import annotations

import math
from itertools import product

import numpy as np

from socialbias.reporting.print_checks import (
    Audit,
    bounds,
    compare,
    exactly,
    holds,
    listed,
    propagate,
    same,
    spearman_check,
    sum_check,
)
from socialbias.stats.correlation import spearman_rho

AUDIT = Audit()
# Directions of the US stereotypes that section 6 names: -1 male, +1 female.
STEREOTYPES = {
    "carpenter": -1, "dancer": 1, "librarian": 1, "nurse": 1, "pilot": -1, "soldier": -1,
    "businessman": -1, "businesswoman": 1,
}  # fmt: skip
# The rows of Table 3 that are census professions (its top part).
CENSUS_TARGETS = ("carpenter", "dancer", "librarian", "nurse", "pilot", "soldier")
TARGETED, OURS = (
    [f"{metric}-{when}" for when in ("original", "debiased")] for metric in ("targeted", "divdist")
)
DECADES = 10  # "each decade of 1900-2000"
BY_DEFAULT = ("prose", "table 4", "context_sentences_by_default")


def _full_column(p, column, rows=()):
    """Return a column of Table 3 with the zeros that the paper drops: it prints -0.500 as -0.5."""
    return [f"{float(text):.3f}" for text in p.column("table3", column, rows).values()]


@AUDIT.assuming("at every length the human numbers are ranked as in Table 3")
def _table4_attainable(p):
    """Table 4 correlates the eight targets of Table 3, whose human column has a tie."""
    human = _full_column(p, "text-human")
    for row, text in p.column("table4", "spearman_rho").items():
        yield spearman_check(f"Table 4, {row} sentences, rho", text, len(human), human)


@AUDIT.assuming("contexts have three sentences by default", "sections 4.1 and 6")
def _table4_strongest(p):
    """Section 6: the strongest correlations are those of the default context length."""
    chosen = p(*BY_DEFAULT)
    for column in p.columns("table4"):
        values = {row: float(text) for row, text in p.column("table4", column).items()}
        winners = [row for row, value in values.items() if value == max(values.values())]
        claim, found = (f"strongest at {x} sentences" for x in (chosen, ", ".join(winners)))
        place = f"Section 6 against Table 4, {column}"
        yield holds(place, "claim", claim, found, listed(values), chosen in winners)


@AUDIT.assuming(
    "the text columns of Table 3 are the same professions at the default length",
    "sections 4.1 and 6",
    "the two tables were made from different versions of the contexts",
    "none: both correlations are strong",
)
def _table4_from_table3(p):
    """Both tables report English Wikipedia at the default length, so Table 3 gives a row of 4."""
    row, half = p(*BY_DEFAULT), len(p.rows("table3"))
    human, automated = (_full_column(p, f"text-{kind}") for kind in ("human", "automated"))
    rho = spearman_rho([float(text) for text in human], [float(text) for text in automated])
    squared = propagate(lambda v: np.corrcoef(v[:half], v[half:])[0, 1] ** 2, human + automated)
    names = {"rho": ("spearman_rho", exactly(rho)), "R^2": ("pearson_r2", squared)}
    for name, (column, implied) in names.items():
        place = f"Table 4, {row} sentences, {name}, against Table 3"
        arithmetic = f"{name} = {implied.best:.4f} of {' '.join(human)} and {' '.join(automated)}"
        yield compare(place, "tables", p("table4", row, column), implied, arithmetic)


@AUDIT.assuming("no two decades are tied")
def _table5_attainable(p):
    for row, kind in product(p.rows("table5"), ("gender", "race")):
        if text := p("table5", row, f"diachronic-{kind}"):
            yield spearman_check(f"Table 5, {row}, diachronic-{kind}", text, DECADES)


@AUDIT.assuming("its columns are the steps between the same three levels", "head of Table 6")
def _table6_sums(p):
    """Check that the steps add up: (L2 - L1) + (L3 - L2) = L3 - L1."""
    for row in p.rows("table6"):
        total, *parts = p.row("table6", row, "L3;L1", "L2;L1", "L3;L2")
        yield sum_check(f"Table 6, {row}, L3;L1", total, parts, exact=False)


@AUDIT.assuming("its numbers are female-directed, as those of Table 3")
def _table6_directions(p):
    """Section 6: representations amplify bias, samples are slightly less biased than the data."""
    for column, claim, sign in (
        ("L2;L1", "towards the stereotype on the whole", 1),
        ("L3;L1", "away from the stereotype on the whole", -1),
    ):
        shifts = {row: float(p("table6", row, column)) * s for row, s in STEREOTYPES.items()}
        mean = math.fsum(shifts.values()) / len(shifts)
        against = [row for row, shift in shifts.items() if shift * sign < 0]
        implied = f"mean shift {mean:+.4f}; {len(against)} of {len(shifts)} the other way: "
        implied += ", ".join(against) or "none"
        place, arithmetic = f"Section 6 against Table 6, {column}", f"towards it: {listed(shifts)}"
        yield holds(place, "claim", claim, implied, arithmetic, mean * sign > 0)


def _reductions(p, reading, size):
    """Section 6: every method reduces the bias that it targets."""
    states = {row: p.row("table7", row, *TARGETED) for row in p.rows("table7")}
    reduced = [bounds(size(new)).low < bounds(size(old)).high for old, new in states.values()]
    shown = [f"{row}: {' to '.join(texts)}" for row, texts in states.items()]
    place, n = f"Section 6 against Table 7, targeted metric, {reading}", len(reduced)
    claim, implied = f"{n} of {n} reduced", f"{sum(reduced)} of {n} reduced"
    yield holds(place, "claim", claim, implied, "; ".join(shown), all(reduced))


# Print does not say whether -0.055 is a smaller bias than 0.026, so each reading is ours.
AUDIT.assuming("a bias is compared by sign")(lambda p: _reductions(p, "by sign", str))
AUDIT.assuming(
    "a bias is compared by magnitude",
    explanation="a bias is compared by sign",
    conclusion="none, if compared by sign",
)(lambda p: _reductions(p, "by magnitude", lambda text: text.lstrip("-")))


@AUDIT.assuming("a bias is amplified where it grows", "section 6 and caption of Table 7")
def _table7_amplified(p):
    """Sections 6 and 8: how many methods amplify the bias by the paper's own measure."""
    rows, claimed = p.rows("table7"), int(p("prose", "table 7", "methods_that_amplify"))
    manzini = [row for row in rows if "manzini" in row]
    for section, some, number in ((6, rows, claimed), (8, manzini, len(manzini))):
        pairs = [p.row("table7", row, *OURS) for row in some]
        surely = sum(bounds(new).low > bounds(old).high + 1e-12 for old, new in pairs)
        possibly = sum(bounds(new).high > bounds(old).low for old, new in pairs)
        n, by_digits = len(some), sum(float(new) > float(old) for old, new in pairs)
        implied = f"{by_digits} of {n} by the printed digits"
        implied += f", {surely} to {possibly} before rounding"
        place = f"Section {section} against Table 7, our metric"
        claim = f"{number} of {n} amplified"
        arithmetic = "; ".join(map(" to ".join, pairs))
        yield holds(place, "claim", claim, implied, arithmetic, surely <= number <= possibly)


@AUDIT.assuming(
    "rows with the same embedding and groups start from the same vectors",
    "labels of Table 7",
    "a typing error, or other vectors in one row",
    "none: the bias falls in that row from either number",
)
def _table7_repeated(p):
    """Check that a measure before debiasing does not depend on the method that follows."""
    groups, columns = ("gender", "race", "religion"), ("targeted-original", "divdist-original")
    twice = [
        (f"word2vec soft-manzini {group}", f"word2vec hard-manzini {group}", column)
        for group, column in product(groups, columns)
    ]
    twice += [("word2vec hard-bolukbasi gender", "word2vec soft-manzini gender", columns[1])]
    for row, other, column in twice:
        texts = (p("table7", x, column) for x in (row, other))
        place, where = f"Table 7, {row}, {column}", f"{other}, same measure before debiasing,"
        yield same(place, "tables", *texts, where)


@AUDIT.assuming(
    "Table 7 averages the 104 census professions over the vectors of Table 3",
    explanation="Table 7 was made with other words or parameters than Table 3",
)
def _table7_lower_bounds(p):
    """Check that a mean of magnitudes is at least the part that a few of its terms contribute."""
    count = int(p("prose", "target concepts", "professions"))
    for row, column in (
        ("word2vec hard-bolukbasi gender", "emb-word2vec"),
        ("word2vec soft-manzini gender", "emb-word2vec"),
        ("glove gn-glove gender", "emb-glove"),
    ):
        sizes = [text.lstrip("-") for text in _full_column(p, column, CENSUS_TARGETS)]
        least = 2 * math.fsum(bounds(size).low for size in sizes) / count
        place = f"Table 7, {row}, divdist-original, against Table 3"
        arithmetic = (
            f"2 ({' + '.join(sizes)}) / {count}, each less half a unit, is of these six alone"
        )
        text, implied = p("table7", row, "divdist-original"), f"at least {least:.4f}"
        yield holds(place, "bound", text, implied, arithmetic, bounds(text).high >= least)


@AUDIT.assuming(
    "no two of the eight professions are tied", explanation="the digits were cut off, not rounded"
)
def _table8_attainable(p):
    n = int(p("prose", "table 4", "professions"))
    for row, column in p.table("table8"):
        if column.endswith("spearman_rho") and (text := p("table8", row, column)):
            yield spearman_check(f"Table 8, {row}, {column}", text, n)


@AUDIT.assuming(
    "the professions list of appendix A.1 is the list of target concepts",
    explanation="the experiments use other targets than the list has",
)
def _listed_professions(p):
    listed = "the professions list of appendix A.1"
    told = p("prose", "target concepts", "professions")
    words = p("counts", "word list professions", "words")
    yield same("Section 5, target concepts", "prose", told, words, listed)
    found, rows = p("counts", "word list professions", "table3_targets_listed"), p.rows("table3")
    yield same("Table 3, targets in appendix A.1", "prose", str(len(rows)), found, listed)


@AUDIT.assuming("both places mean the same quantity", "both places, in the same words")
def _counts(p):
    rows3, rows7 = (str(len(p.rows(name))) for name in ("table3", "table7"))
    for place, cell, other, where in (
        ("Section 1, measures", ("measures", "instantiated"), p("counts", "table 1", "rows"),
         "Table 1, counted in rows,"),
        ("Section 6, professions of Table 4", ("table 4", "professions"), rows3,
         "Table 3, counted in rows,"),
        ("Section 6, methods of Table 7", ("table 7", "methods"), rows7,
         "Table 7, counted in rows,"),
        ("Section 6, professions, both experiments", ("table 5 diachronic", "professions"),
         p("prose", "table 5 contemporary", "professions"), "the contemporary experiment"),
        ("Section 7, kappa", ("agreement", "fleiss_kappa"),
         p("agreement", "fleiss_kappa", "value"), "the agreement artefact"),
    ):  # fmt: skip
        yield same(place, "prose", p("prose", *cell), other, where)
    criteria = p.row("counts", "table 2", "validity_rows", "reliability_rows")
    place, tested = "Section 1, criteria against Table 2", p("prose", "criteria", "tested")
    yield sum_check(place, tested, criteria)
    contexts, targets = p.row("prose", "agreement", "contexts", "targets")
    each, place = int(contexts) / int(targets), "Section 7, contexts by target"
    implied, arithmetic = f"{each:g} contexts a target", f"{contexts} / {targets} is a whole number"
    yield holds(place, "sum", contexts, implied, arithmetic, each.is_integer())
    first, end = p.row("prose", "table 5 diachronic", "first_year", "end_year")
    decades, implied = (int(end) - int(first)) / 10, f"{DECADES} decades"
    arithmetic = f"({end} - {first}) / 10 = {decades:g}"
    text, fits = f"{first} to {end}", decades == DECADES
    yield holds("Section 6, decades", "prose", text, implied, arithmetic, fits)
