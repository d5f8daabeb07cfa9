"""The print audit of Bad Seeds (Antoniak & Mimno 2021)."""

from __future__ import annotations

from itertools import pairwise

from socialbias.reporting.print_checks import Audit, compare, exactly, holds, same

AUDIT = Audit()
# Panels whose seed sets are used as pairs (PCA), so that both sets have one length.
PAIRED = {
    "figure 3a": "Figure 3 (a)", "figure 3b": "Figure 3 (b)", "figure 3c": "Figure 3 (c)",
    "figure 4a": "Figure 4 (a)", "figure 4b": "Figure 4 (b)",
    "figure 5 roles": "Figure 5 (roles)", "figure 5 names": "Figure 5 (names)",
}  # fmt: skip
# Shuffled lists and the list that each one permutes.
SHUFFLED = [(key, key) for key in ("figure 3a", "figure 3b", "figure 3c")]
SHUFFLED += [("figure 4c", "figure 4a")]


@AUDIT.assuming("a mean document length is words over documents", "head of Table 2")
def _lengths(p):
    for row in p.rows("table2"):
        words, documents = (p("table2", row, column) for column in ("words", "documents"))
        mean, text = int(words) / int(documents), p("table2", row, "mean_document_length")
        place = f"Table 2, {row}, mean_document_length"
        yield compare(place, "mean", text, exactly(mean), f"{words} / {documents} = {mean:.2f}")


@AUDIT.assuming("its rows are ranked", "captions of Table 4 and Figure 4")
def _ranked(p):
    blocks: dict[str, list[str]] = {}
    for (_, column), (text, note) in p.table("table4").items():
        half = "generated" if "generated" in note else "gathered"
        blocks.setdefault(f"Table 4, {half} pairs, {column}", []).append(text)
    for (row, _), (text, _) in p.table("figure4").items():
        blocks.setdefault(f"Figure 4, {row}", []).append(text)
    for place, texts in blocks.items():
        rises = [f"{a} then {b}" for a, b in pairwise(texts) if float(b) > float(a)]
        found = "; ".join(rises) or "never rises"
        yield holds(place, "order", "ranked, largest first", found, " ".join(texts), not rises)


@AUDIT.assuming(
    "each seed of one set is linked to one seed of the other",
    "section 8",
    "words are missing from one list of the appendix, or were left out of the pairs",
)
def _paired_sets(p):
    for key, title in PAIRED.items():
        first, second = (p("counts", key, f"seeds_{which}") for which in (1, 2))
        place = f"{title} in appendix A.2, paired sets"
        yield same(place, "pairs", first, second, "the other set, counted in words,")


@AUDIT.assuming(
    "a shuffled list has the seeds of the original one",
    "section 8",
    "a word is missing from the list of the appendix",
)
def _shuffled_sets(p):
    for key, original in SHUFFLED:
        for which in (1, 2):
            place = f"{PAIRED.get(key, 'Figure 4 (c)')} in appendix A.2, shuffled set {which}"
            text, other = p("counts", key, f"seeds_{which}_shuffled"), f"seeds_{which}"
            before = p("counts", original, other)
            yield same(place, "pairs", text, before, "the list before shuffling, in words,")


@AUDIT.assuming(
    "as many components as announced are shown, of one matrix of paired differences",
    "section 8",
    "eight pairs have no more than eight components",
)
def _components(p):
    """Check that a matrix of n paired differences has at most n components."""
    claimed = p("prose", "figure 3", "components_in_prose")
    for panel in ("figure 3a", "figure 3b", "figure 3c"):
        shown, place = p("counts", panel, "components_on_axis"), PAIRED[panel]
        axis = "the axis, counted in components,"
        yield same(f"Section 8 against {place}, components", "prose", claimed, shown, axis)
        sizes = [int(p("counts", panel, f"seeds_{which}")) for which in (1, 2)]
        pairs = min(sizes)
        most, arithmetic = f"at most {pairs}", f"the smaller of {sizes}, counted in pairs"
        place, fits = f"{place}, components of its pairs", int(shown) <= pairs
        yield holds(place, "bound", shown, most, arithmetic, fits)


@AUDIT.assuming(
    "the examples of the paper are listed in its appendix",
    "section 3",
    "a word is missing from the list of the appendix",
)
def _table1_seeds(p):
    for row in p.rows("counts"):
        if row.startswith("table 1 "):
            shown, listed = (p("counts", row, f"seeds_shown{x}") for x in ("", "_and_listed"))
            place = f"Table 1, {row.removeprefix('table 1 ')}"
            yield same(place, "tables", shown, listed, "appendix A.2, of the words shown,")


@AUDIT.assuming(
    "the papers that section 4 names are among the 18 surveyed",
    explanation="one of the papers named is not among the 18",
)
def _sources(p):
    papers = int(p("prose", "seed sets", "papers"))
    for row in p.rows("table3"):
        counted, named = p("table3", row, "papers_of_18"), p.table("counts")
        low = int(named[row, "papers_named"].value) if (row, "papers_named") in named else 0
        place, fits = f"Table 3, {row}, against section 4", low <= int(counted) <= papers
        arithmetic = f"section 4 names {low} papers for it, if all are among the {papers} surveyed"
        yield holds(place, "tables", counted, f"{low} to {papers}", arithmetic, fits)


@AUDIT.assuming("both places mean the same quantity", "both places, in the same words")
def _prose(p):
    sets = p("figure1", "all", "seed_sets")
    for column in ("gathered_introduction", "gathered_section3", "gathered_conclusion"):
        text = p("prose", "seed sets", column)
        yield same(f"Seed sets, {column}", "prose", text, sets, "Figure 1")
    samples = p("prose", "training", "bootstrap_samples")
    for title in ("Figure 3", "Table 4"):
        text = p("prose", title.lower(), "bootstrap_samples")
        yield same(f"{title}, bootstrap samples", "prose", text, samples, "section 6")
    least, other = (p("prose", row, "minimum_count") for row in ("preprocessing", "training"))
    yield same("Section 3, minimum count", "prose", least, other, "section 6")
    text = p("figure5", *next(iter(p.table("figure5"))))
    other = p("prose", "figure 5", "pearson_r")
    yield same("Figure 5, correlation", "prose", text, other, "section 8")
    # The appendix rounds the number of WikiText articles to thousands.
    text = p("prose", "wikitext", "articles_appendix")
    articles = p("table2", "wikitext", "documents")
    place, rounded = "Appendix A.1 against Table 2, WikiText articles", round(int(articles), -3)
    arithmetic, fits = f"{articles} to thousands is {rounded}", rounded == int(text)
    yield holds(place, "prose", text, articles, arithmetic, fits)
    # The same number of reviews from each book makes the reviews a whole multiple of it.
    per_book = p("prose", "goodreads", "reviews_per_book")
    for row in ("goodreads-romance", "goodreads-history-biography"):
        reviews = p("table2", row, "documents")
        place = f"Appendix A.1 against Table 2, {row}, reviews"
        books = int(reviews) / int(per_book)
        arithmetic, fits = f"{reviews} / {per_book} = {books:g}", books.is_integer()
        yield holds(place, "sum", reviews, f"{books:g} books", arithmetic, fits)
