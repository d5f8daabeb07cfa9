import pytest

from socialbias.words.of_papers import all_words, read_word_lists
from tests.paths import RESOURCES

PATH = RESOURCES / "word_lists" / "trustworthy.yaml"


@pytest.fixture(scope="module")
def lists():
    return read_word_lists(PATH)


def leaves(lists):
    if isinstance(lists, list):
        return [lists]
    return [leaf for value in lists.values() for leaf in leaves(value)]


def test_no_list_is_empty_or_has_a_word_twice(lists):
    assert leaves(lists)
    for words in leaves(lists):
        assert words
        assert len(set(words)) == len(words), words


def test_every_word_is_a_lower_case_string(lists):
    # YAML takes words such as `no` and `null` for something else.
    for word in all_words(lists):
        assert isinstance(word, str), word
        assert word == word.strip().lower()
        assert word


@pytest.mark.parametrize(("variant", "size"), [("released-code", 8), ("appendix", 20)])
def test_gender_lists_are_as_long_as_the_paper_says(lists, variant, size):
    assert {group: len(words) for group, words in lists["gender"][variant].items()} == {
        "female": size,
        "male": size,
    }


@pytest.mark.parametrize("variant", ["released-code", "appendix"])
@pytest.mark.parametrize(
    "pair", [("she", "he"), ("woman", "man"), ("mother", "father"), ("daughter", "son")]
)
def test_gender_lists_are_pairs_row_by_row(lists, variant, pair):
    female, male = lists["gender"][variant]["female"], lists["gender"][variant]["male"]
    assert pair in zip(female, male, strict=True)
    assert not set(female) & set(male)


def test_race_lists_have_the_sizes_in_print_and_share_no_name(lists):
    sizes = {group: len(names) for group, names in lists["race"].items()}
    assert sizes == {"white": 20, "hispanic": 16, "asian": 20}
    assert len(all_words(lists["race"])) == sum(sizes.values())
