"""Word lists of the debiasing methods."""

from socialbias.datasets import debias_lists


def test_word_lists_of_bolukbasi(put):
    assert debias_lists.read_pairs(put([["she", "he"], ["Mary", "John"]])) == (
        ("she", "he"),
        ("Mary", "John"),
    )
    assert debias_lists.read_words(put(["he", "He"])) == ("he", "He")
