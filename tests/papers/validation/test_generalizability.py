"""Planted components of numbers as the evidence of a run has them."""

import numpy as np
import pandas as pd
import pytest

from socialbias.papers.validation import generalizability
from socialbias.papers.validation.generalizability import Grid, of_pairs, of_words, records
from socialbias.pipeline.job import Job
from tests.records import values_table

PROFESSIONS = [f"profession {number}" for number in range(30)]
PAIRS = [(f"she {number}", f"he {number}") for number in range(6)]
SAID = {"unit": "professions", "trait": "gender"}


def cosines(rng: np.random.Generator, missing: str) -> pd.DataFrame:
    """Two vectors that agree on professions but for noise; one lacks a word."""
    lean = rng.standard_normal(len(PROFESSIONS))
    rows = []
    for method, size in (("glove", 1.0), ("word2vec", 5.0)):
        for pair in PAIRS:
            for pole, word in zip((1, -1), pair, strict=True):
                numbers = size * (pole * lean + 0.3 * rng.standard_normal(len(lean)))
                if (method, word) == ("glove", missing):
                    continue
                rows += [
                    {"term": term, "method": method, "pole": pole, "item": word, "number": number}
                    for term, number in zip(PROFESSIONS, numbers, strict=True)
                ]
    return pd.DataFrame(rows).assign(how="cosines", **SAID)


def test_professions_are_by_pairs_that_all_vectors_have_and_vectors_on_one_scale():
    [grid] = of_words(cosines(np.random.default_rng(1), "he 2"), PAIRS)
    assert grid.numbers.shape == (30, 5, 2)
    assert grid.numbers.std(axis=(0, 1)) == pytest.approx([1, 1])
    cells = {cell["column"]: cell for cell in records(grid, 0.95)}
    # A difference of two words: 4 by professions, 2 x .09 by noise.
    assert cells["things"]["ci_low"] <= 4 / 4.18 <= cells["things"]["ci_high"]
    assert cells["coefficient"]["note"] == "over 5 by 2"
    assert cells["first needed"]["value"] == cells["second needed"]["value"] == 1


def test_seed_pairs_are_by_bootstraps():
    pairs, models = range(8), range(3)
    index = pd.MultiIndex.from_product([pairs, models], names=["row", "model"])
    rng = np.random.default_rng(2)
    level = np.repeat(np.arange(8.0), 3)
    table = pd.DataFrame(
        {"coherence": level, "similarity": rng.standard_normal(24)}, index
    ).reset_index()
    table = table.assign(kind="gathered")
    coherent, noisy = of_pairs(table)
    assert {c["column"]: c["value"] for c in records(coherent, 0.95)}["things"] == 1
    values_table("generalizability", records(coherent, 0.95) + records(noisy, 0.95), 1)


def test_where_no_number_is_enough_the_cell_is_empty_and_says_so():
    rng = np.random.default_rng(3)
    noise = rng.standard_normal((40, 1, 2)) + 0.01 * rng.standard_normal((40, 6, 2))
    cells = records(Grid("row", noise, "terms"), 0.95)
    needed = {cell["column"]: cell for cell in cells}["first needed"]
    assert np.isnan(needed["value"])
    assert needed["note"].startswith("no number of levels is enough")
    values_table("generalizability", cells, 1)


def test_too_few_things_have_no_cells():
    assert records(Grid("row", np.eye(3), "terms"), 0.95) == []


def test_terms_are_by_the_templates_of_the_word_class_that_has_most():
    parts = [
        pd.DataFrame(
            {"term": f"{kind}{term}", "source": source, "positive": term + source, "kind": kind}
            for term in range(terms)
            for source in range(sources)
        ).assign(word_class="adj")
        for kind, terms, sources in (("generic", 6, 4), ("specific", 5, 3))
    ]
    assert generalizability._largest(pd.concat(parts)).shape == (6, 4)


def items(number, how: str, **others) -> pd.DataFrame:
    """A number of each profession and item, as evidence of the matrix has it."""
    parts = [
        {"term": term, "item": str(item), "number": number(i, item), "pole": 1, "how": how}
        for i, term in enumerate(PROFESSIONS)
        for item in range(8)
    ]
    return pd.DataFrame(parts).assign(method="m", **SAID | others)


def test_shares_of_a_text_are_by_parts_of_its_documents():
    women, men = (items(lambda i, item, n=n: n + i, "contexts") for n in (0, 30))
    table = pd.concat([women, men.assign(pole=-1)])
    table.loc[(table["term"] == PROFESSIONS[2]) & (table["item"] == "5"), "number"] = 0.0
    table.loc[(table["term"] == PROFESSIONS[2]) & (table["item"] == "1"), "number"] = 0.0
    [grid] = generalizability.of_text(pd.concat([table, table.assign(trait="valence")]))
    assert grid.numbers.shape == (30, 4)
    assert grid.numbers[sorted(PROFESSIONS).index("profession 3")] == pytest.approx([3 / 36] * 4)
    [row] = grid.numbers[np.isnan(grid.numbers).any(axis=1)]
    assert np.isnan(row).tolist() == [False, True, False, False]  # items 1 and 5


def test_an_encoder_is_by_pairs_of_words_and_by_templates():
    sentiment = items(lambda i, item: i + item, "log-odds", trait="valence")
    table = pd.concat(
        [cosines(np.random.default_rng(1), "he 2").query("method == 'glove'"),
         sentiment.assign(method="sentiment")]
    )  # fmt: skip
    pairs, templates = generalizability.of_encoder(table, PAIRS)
    assert (pairs.row, pairs.numbers.shape) == ("professions, word pairs, encoder", (30, 5))
    assert (templates.row, templates.numbers.shape) == (
        "professions, templates, sentiment",
        (30, 8),
    )


class _Tables(Job):
    def table(self, name: str) -> pd.DataFrame:
        return self.files[name]


def test_skip_gram_is_by_texts_and_checkpoints():
    rows = [
        {"unit": p, "part": part, "level": level, "bias": 100 * i + 10 * part + level}
        for i, p in enumerate("abcde")
        for level in (4.0, 1.0)
        for part in (1, 0)
    ]
    table = pd.DataFrame(rows)
    name, settings = "evidence/validation/dose_epochs", {"trustworthy.word_lists": ["x"]}
    [grid] = generalizability.of_trainings(_Tables({name: table}, settings, print))
    assert grid.numbers.shape == (5, 2, 2)
    assert grid.numbers[3].tolist() == [[301, 304], [311, 314]]


def test_pronouns_are_by_the_templates_of_each_model():
    table = items(lambda i, item: i * item, "log-odds")
    name = "evidence/validation/matrix_pronouns_mine"
    [grid] = generalizability.of_pronouns(_Tables({name: table}, {}, print))
    assert (grid.row, grid.numbers.shape) == ("professions, templates, mine", (30, 8))
