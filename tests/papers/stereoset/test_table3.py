"""Table 3: keywords, against numbers worked out by hand."""

import numpy as np
import pandas as pd
import pytest

from socialbias.papers.stereoset import table3
from socialbias.words.of_papers import read_word_lists
from tests.papers.stereoset.tiny import cells
from tests.paths import RESOURCES

# Words of two domains: of `a` three are of one term and one of another.
TEXTS = pd.DataFrame(
    [
        ("a", "t1", "stereotype", "kind"),
        ("a", "t1", "anti-stereotype", "kindly film"),
        ("a", "t2", "stereotype", "film"),
        ("a", "t2", "unrelated", "zebra"),
        ("b", "t3", "stereotype", "rude"),
    ],
    columns=["domain", "target", "gold", "attribute"],
).assign(sentence="She is rude.", context="She is BLANK.")
FILMS = {"film": 1e6}  # a corpus of one word
LISTS = {"a": ["kind", "zebra"], "b": ["rude", "film"]}


def values(reference=FILMS):
    return cells(table3.values(TEXTS, reference, LISTS, 1))


@pytest.mark.parametrize(
    ("word", "keyword", "is_one"),
    [
        ("hardworking", "hardwork", True),
        ("uncaring", "uncare", True),
        ("ma", "ma", True),
        ("masculine", "ma", False),
        ("intrude", "rude", False),
    ],
)
def test_forms_of_a_keyword(word, keyword, is_one):
    assert table3.is_form(word, keyword) == is_one


def test_keyness_is_kilgarriffs():
    """(40 + 10) / (0 + 10) and (40 + 10) / (90 + 10)."""
    assert table3.keyness([40, 40], [0, 90], 10).tolist() == [5, 0.5]


def test_words_are_placed_by_keyness_and_ties_by_the_order_of_the_words():
    counts = np.array([[2.0, 1.0, 1.0], [1.0, 1.0, 2.0]])
    result = table3.places(counts, np.array([0.0, 0.0, 0.0]), 1)
    assert result.tolist() == [[0, 1, 2], [1, 2, 0]]


def test_only_the_first_words_have_a_place():
    counts = np.arange(300, 0, -1, dtype=float)[None]
    result = table3.places(counts, np.zeros(300), 1)[0]
    assert result[:200].tolist() == list(range(200))
    assert set(result[200:]) == {200}


def test_keywords_found_among_the_first_words():
    known = [f"w{i:03}" for i in range(40)]
    result = table3.found_in(np.arange(40)[None], known, ["w003", "w016", "none"])
    assert {top: numbers.tolist() for top, numbers in result.items()} == {
        16: [1],
        50: [2],
        200: [2],
    }


def test_unrelated_candidates_are_no_words_of_a_domain():
    result = values()
    assert result["a a", "top16@k1"]["value"] == 1  # kind, of which kindly is a form; no zebra
    assert result["a b", "top16@k1"]["value"] == 1  # film
    assert result["own lists", "top16@k1"]["value"] == 2
    assert result["other lists", "top16@k1"]["value"] == 1
    assert result["a a", "top16@k1"]["note"] == "ours: kind, kindly, film"


def test_words_that_the_data_lack_are_named():
    result = values()
    assert result["a a", "in_attributes"]["value"] == 1
    assert result["a a", "in_attributes"]["note"] == "without: zebra"
    assert result["a b", "in_sentences"]["note"] == "without: film"


def test_without_a_reference_corpus_only_what_is_held_is_said():
    assert {column for _, column in values(reference=None)} == {"in_attributes", "in_sentences"}


def test_samples_are_of_terms():
    """A sample of a's two terms has t1 alone, t2 alone, or both; t1 has kind, t2 has not."""
    draws = values()["a a", "top16@k1"]["draws"]
    assert set(draws) == {0, 1}
    assert (draws == 0).mean() == pytest.approx(0.25, abs=0.06)


def test_print_has_16_keywords_a_domain():
    lists = read_word_lists(RESOURCES / "word_lists" / "stereoset.yaml")["keywords"]
    assert [len(words) for words in lists.values()] == [16] * 4
    assert all(len(set(words)) == 16 for words in lists.values())
