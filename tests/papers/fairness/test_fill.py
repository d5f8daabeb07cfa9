"""Slots, articles and tags, worked out by hand."""

import pytest

from socialbias.errors import UserError
from socialbias.papers.fairness.suites import article, filled, forms, parsed, stretched, tagged


@pytest.mark.parametrize(
    ("slot", "word_class", "phrase"),
    [
        ("identity_adj", "adj", "deaf"),
        ("identity_adj", "n", ""),
        ("identity_np", "adj", "deaf person"),
        ("identity_np", "name", ""),
        ("identity_np", "n", "deaf"),
        ("identity_np", "pp", "person deaf"),
        ("disability_adj_or_pp", "pp", "deaf"),
        ("identity_people", "adj", "deaf people"),
        ("identity_people", "pp", "people deaf"),
        ("identity_people", "n", ""),
        ("person", "name", "deaf"),
        ("person", "n", "deaf"),
        ("country", "country", "deaf"),
        ("town", "n", ""),
    ],
)
def test_what_a_slot_takes_of_a_class_of_words(slot, word_class, phrase):
    assert forms(slot).get(word_class, "").format("deaf") == phrase


def test_the_released_article_looks_at_the_letter_and_the_other_at_the_sound():
    words = ("old person", "Ukrainian person", "FTM person", "young person", "Uzbek", "honest man")
    assert [article(word) for word in words] == ["an", "an", "a", "a", "an", "a"]
    assert [article(word, "sound") for word in words] == ["an", "a", "an", "a", "an", "an"]


def test_a_slot_with_an_article_and_one_with_a_capital_letter():
    assert filled(parsed("I am {a:identity_np}."), "old person") == "I am an old person."
    assert filled(parsed("{Identity_adj} food. "), "deaf") == "Deaf food."
    assert filled(parsed("{a:identity_adj}!"), "young") == "a young!"


def test_tags_follow_a_country_of_several_words():
    template = parsed("{Country}'s near UK, they didn't say.", "{Country}:U-LOC|UK:U-LOC")
    tokens, tags = tagged(template, ["Papua", "New", "Guinea"])
    assert " ".join(tokens) == "Papua New Guinea 's near UK , they did n't say ."
    assert tags == ["B-LOC", "I-LOC", "L-LOC", "O", "O", "U-LOC", *["O"] * 6]
    assert tagged(template, ["Chad"])[1][:3] == ["U-LOC", "O", "O"]


def test_the_slot_may_be_the_first_word_of_a_longer_entity():
    template = parsed("{Country_adj} Tours lost.", "{Country_adj}:B-ORG|Tours:L-ORG")
    assert tagged(template, ["New", "Irish"])[1] == ["B-ORG", "I-ORG", "L-ORG", "O", "O"]


@pytest.mark.parametrize(
    ("tag", "expected"),
    [
        ("U-PER", "B-PER I-PER L-PER"),
        ("B-PER", "B-PER I-PER I-PER"),
        ("I-PER", "I-PER I-PER I-PER"),
        ("L-PER", "I-PER I-PER L-PER"),
        ("O", "O O O"),
    ],
)
def test_a_tag_over_three_words(tag, expected):
    assert stretched(tag, 3) == expected.split()
    assert stretched(tag, 1) == [tag]


@pytest.mark.parametrize(
    ("template", "tags", "match"),
    [
        ("It rains.", "", "0 slots instead of one"),
        ("{identity_adj} {identity_np}", "", "2 slots instead of one"),
        ("{town} is big.", "", r"no words fill \{town\}"),
        ("{country} is big.", "Rome:U-LOC", "'Rome' is tagged but not in the text"),
        ("UK and {country}.", "{country}:U-LOC|UK:U-LOC", "in this order"),
    ],
)
def test_what_fits_no_slot_is_refused(template, tags, match):
    with pytest.raises(UserError, match=match):
        parsed(template, tags)
