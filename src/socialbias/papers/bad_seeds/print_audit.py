"""The print audit of Bad Seeds (Antoniak & Mimno 2021)."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from socialbias.reporting.print_checks import (
    Check,
    Range,
    Tables,
    assuming,
    bounds,
    compare,
    printed,
    row_names,
    same,
    verdict,
)

# Panels whose seed sets are used as pairs (PCA), so that both sets have one length.
PAIRED = {
    "figure 3a": "Figure 3 (a)", "figure 3b": "Figure 3 (b)", "figure 3c": "Figure 3 (c)",
    "figure 4a": "Figure 4 (a)", "figure 4b": "Figure 4 (b)",
    "figure 5 roles": "Figure 5 (roles)", "figure 5 names": "Figure 5 (names)",
}  # fmt: skip
# Shuffled lists and the list that each one permutes.
SHUFFLED = (
    ("figure 3a", "figure 3a"), ("figure 3b", "figure 3b"), ("figure 3c", "figure 3c"),
    ("figure 4c", "figure 4a"),
)  # fmt: skip


def _count(tables: Tables, row: str, column: str) -> str:
    return printed(tables, "bad_seeds_counts", row, column)


@assuming("a mean document length is words over documents", "head of Table 2")
def _lengths(tables: Tables) -> Iterator[Check]:
    """Words divided by documents give the mean document length."""
    name = "bad_seeds_table2"
    for row in row_names(tables[name]):
        words, documents = (int(printed(tables, name, row, c)) for c in ("words", "documents"))
        mean = words / documents
        text = printed(tables, name, row, "mean_document_length")
        arithmetic = f"{words} / {documents} = {mean:.2f}"
        place = f"Table 2, {row}, mean_document_length"
        yield compare(place, "mean", text, Range(mean, mean, mean), arithmetic)


@assuming("words that occur fewer than ten times are left out", "sections 3 and 6")
def _minimum_counts(tables: Tables) -> Iterator[Check]:
    """A vocabulary of words with at least m occurrences needs m times as many words of text."""
    name = "bad_seeds_table2"
    least = int(printed(tables, "bad_seeds_prose", "preprocessing", "minimum_count"))
    for row in row_names(tables[name]):
        words, vocabulary = (int(printed(tables, name, row, c)) for c in ("words", "vocabulary"))
        yield Check(
            f"Section 3 against Table 2, {row}, vocabulary", "bound", str(vocabulary),
            f"at most {words // least}", f"{words} / {least} = {words / least:.0f}",
            verdict(vocabulary * least <= words),
        )  # fmt: skip


@assuming("coherence is a difference of mean ranks, scaled to [0, 1]", "section 6")
def _coherence_of_overlapping_sets(tables: Tables) -> Iterator[Check]:
    """Words in both sets cancel, which bounds the difference of the two mean ranks.

    With ranks in [0, 1], a shared word adds rank * (1/n - 1/m) and a word of one set alone adds at
    most 1/n, so the coherence is at most the larger of the two one-sided sums.
    """
    for row in row_names(tables["bad_seeds_table4"]):
        if (row, "shared") not in tables["bad_seeds_counts"]:
            continue
        n, m, shared = (int(_count(tables, row, c)) for c in ("seeds_1", "seeds_2", "shared"))
        gain = shared * (1 / n - 1 / m)
        most = max((n - shared) / n + max(gain, 0), (m - shared) / m + max(-gain, 0))
        text = printed(tables, "bad_seeds_table4", row, "coherence")
        arithmetic = (
            f"sets of {n} and {m} words share {shared}: max({n - shared}/{n} + {max(gain, 0):.4f}, "
            f"{m - shared}/{m} + {max(-gain, 0):.4f}) = {most:.4f}"
        )
        yield Check(
            f"Table 4, {row}", "bound", text, f"at most {most:.4f}", arithmetic,
            verdict(bounds(text).low <= most),
        )  # fmt: skip


@assuming("coherence is a difference of mean ranks, scaled to [0, 1]", "section 6")
def _coherence_of_one(tables: Tables) -> Iterator[Check]:
    """Two sets of five words at the two ends of the vocabulary stay below 1, but round to it."""
    size = 1 + int(printed(tables, "bad_seeds_prose", "generated sets", "neighbours"))
    vocabulary = int(printed(tables, "bad_seeds_table2", "nyt", "vocabulary"))
    most = (vocabulary - size) / (vocabulary - 1)
    arithmetic = f"({vocabulary} - {size}) / ({vocabulary} - 1) = {most:.6f}"
    for (row, column), cell in tables["bad_seeds_table4"].items():
        if float(cell.value) == 1:
            yield Check(
                f"Table 4, {row}, {column}", "bound", cell.value, f"at most {most:.6f}",
                arithmetic, verdict(bounds(cell.value).low <= most),
            )  # fmt: skip


@assuming("its rows are ranked", "captions of Table 4 and Figure 4")
def _sorted(tables: Tables) -> Iterator[Check]:
    """Table 4 ranks its pairs by coherence, Figure 4 its words by cosine."""
    blocks: dict[str, list[str]] = {}
    for (_, column), cell in tables["bad_seeds_table4"].items():
        half = "generated" if "generated" in cell.note else "gathered"
        blocks.setdefault(f"Table 4, {half} pairs, {column}", []).append(cell.value)
    for (row, _), cell in tables["bad_seeds_figure4"].items():
        blocks.setdefault(f"Figure 4, {row}", []).append(cell.value)
    for place, texts in blocks.items():
        rises = [f"{a} then {b}" for a, b in pairwise(texts) if float(b) > float(a)]
        yield Check(
            place, "order", "ranked, largest first", "; ".join(rises) or "never rises",
            " ".join(texts), verdict(not rises),
        )  # fmt: skip


@assuming("each seed of one set is linked to one seed of the other", "section 8")
def _paired_sets(tables: Tables) -> list[Check]:
    """Section 8: with PCA each seed of one set is linked to one seed of the other."""
    return [
        same(f"{title} in appendix A.2, paired sets", "pairs",
             _count(tables, key, "seeds_1"), _count(tables, key, "seeds_2"),
             "the other set, counted in words,")
        for key, title in PAIRED.items()
    ]  # fmt: skip


@assuming("a shuffled list has the seeds of the original one", "section 8")
def _shuffled_sets(tables: Tables) -> list[Check]:
    """A shuffled list is a permutation of the original one, so it keeps the length."""
    return [
        same(f"{PAIRED.get(key, 'Figure 4 (c)')} in appendix A.2, shuffled set {which}",
             "pairs", _count(tables, key, f"seeds_{which}_shuffled"),
             _count(tables, original, f"seeds_{which}"), "the list before shuffling, in words,")
        for key, original in SHUFFLED
        for which in (1, 2)
    ]  # fmt: skip


@assuming(
    "as many components as announced are shown, of one matrix of paired differences",
    "section 8",
)
def _components(tables: Tables) -> Iterator[Check]:
    """Section 8 announces the first components of three matrices; the axes of Figure 3 show them.

    A matrix of n paired differences has at most n components.
    """
    claimed = printed(tables, "bad_seeds_prose", "figure 3", "components_in_prose")
    for panel in ("figure 3a", "figure 3b", "figure 3c"):
        shown = _count(tables, panel, "components_on_axis")
        yield same(
            f"Section 8 against {PAIRED[panel]}, components", "prose", claimed, shown,
            "the axis, counted in components,",
        )  # fmt: skip
        pairs = min(int(_count(tables, panel, f"seeds_{which}")) for which in (1, 2))
        yield Check(
            f"{PAIRED[panel]}, components of its pairs", "bound", shown,
            f"at most {pairs}", f"{pairs} pairs give at most {pairs} components",
            verdict(int(shown) <= pairs),
        )  # fmt: skip


@assuming("the examples of the paper are listed in its appendix", "section 3")
def _table1_seeds(tables: Tables) -> list[Check]:
    """Table 1 shows words of seed sets that appendix A.2 lists in full."""
    rows = [row for row in row_names(tables["bad_seeds_counts"]) if row.startswith("table 1 ")]
    return [
        same(f"Table 1, {row.removeprefix('table 1 ')}", "tables",
             _count(tables, row, "seeds_shown"), _count(tables, row, "seeds_shown_and_listed"),
             "appendix A.2, of the words shown,")
        for row in rows
    ]  # fmt: skip


@assuming("the papers that section 4 names are among the 18 surveyed")
def _sources(tables: Tables) -> Iterator[Check]:
    """Section 4 names papers as examples of each source, Table 3 counts the papers."""
    papers = printed(tables, "bad_seeds_prose", "seed sets", "papers")
    for row in row_names(tables["bad_seeds_table3"]):
        counted = printed(tables, "bad_seeds_table3", row, "papers_of_18")
        named = tables["bad_seeds_counts"].get((row, "papers_named"))
        low = int(named.value) if named else 0
        yield Check(
            f"Table 3, {row}, against section 4", "tables", counted, f"{low} to {papers}",
            f"section 4 names {low} papers for it, if all are among the {papers} surveyed",
            verdict(low <= int(counted) <= int(papers)),
        )  # fmt: skip


@assuming("both places mean the same quantity", "both places, in the same words")
def _prose(tables: Tables) -> Iterator[Check]:
    def prose(row: str, column: str) -> str:
        return printed(tables, "bad_seeds_prose", row, column)

    sets = printed(tables, "bad_seeds_figure1", "all", "seed_sets")
    for column in ("gathered_introduction", "gathered_section3", "gathered_conclusion"):
        text = prose("seed sets", column)
        yield same(f"Seed sets, {column}", "prose", text, sets, "Figure 1")
    samples = prose("training", "bootstrap_samples")
    for place in ("Figure 3", "Table 4"):
        text = prose(place.lower(), "bootstrap_samples")
        yield same(f"{place}, bootstrap samples", "prose", text, samples, "section 6")
    yield same(
        "Section 3, minimum count", "prose", prose("preprocessing", "minimum_count"),
        prose("training", "minimum_count"), "section 6",
    )  # fmt: skip
    correlation = printed(tables, "bad_seeds_figure5", *next(iter(tables["bad_seeds_figure5"])))
    yield same(
        "Figure 5, correlation", "prose", correlation, prose("figure 5", "pearson_r"), "section 8",
    )  # fmt: skip
    # The appendix rounds the number of WikiText articles to thousands.
    text = prose("wikitext", "articles_appendix")
    articles = int(printed(tables, "bad_seeds_table2", "wikitext", "documents"))
    rounded = round(articles, -3)
    yield Check(
        "Appendix A.1 against Table 2, WikiText articles", "prose", text, str(articles),
        f"{articles} to thousands is {rounded}", verdict(rounded == int(text)),
    )  # fmt: skip
    # The same number of reviews from each book makes the reviews a whole multiple of it.
    per_book = int(prose("goodreads", "reviews_per_book"))
    for row in ("goodreads-romance", "goodreads-history-biography"):
        reviews = printed(tables, "bad_seeds_table2", row, "documents")
        books = int(reviews) / per_book
        yield Check(
            f"Appendix A.1 against Table 2, {row}, reviews", "sum", reviews,
            f"{books:g} books", f"{reviews} / {per_book} = {books:g}", verdict(books.is_integer()),
        )  # fmt: skip


FAMILIES = (
    _lengths, _minimum_counts, _coherence_of_overlapping_sets, _coherence_of_one, _sorted,
    _paired_sets, _shuffled_sets, _components, _table1_seeds, _sources, _prose,
)  # fmt: skip
