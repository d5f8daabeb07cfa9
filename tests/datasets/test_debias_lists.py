"""Word lists of the debiasing methods."""

from socialbias.datasets import debias_lists
from tests.datasets.failing import fails


def test_word_lists_of_bolukbasi(put):
    assert debias_lists.read_pairs(put([["she", "he"], ["Mary", "John"]])) == (
        ("she", "he"),
        ("Mary", "John"),
    )
    assert debias_lists.read_words(put(["he", "He"])) == ("he", "He")
    fails(debias_lists.read_pairs, put([["she"]]), "not a list of pairs")
    fails(debias_lists.read_words, put(["a", 1]), "not a list of strings")
