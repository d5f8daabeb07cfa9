"""Tags of languages, and words in lower case by the rule of their language."""

import unicodedata

import pytest

from socialbias.errors import UserError
from socialbias.words.languages import checked_tag, lower, primary, spellings


@pytest.mark.parametrize("tag", ["de", "hr", "de-CH", "sr-Cyrl", "zh-Hans-CN", "es-419", "nds"])
def test_tags_of_language_script_and_region(tag):
    assert checked_tag(tag) == tag
    assert primary(tag) == tag.split("-")[0]


@pytest.mark.parametrize("tag", ["", "DE", "German", "de_DE", "de-de", "d"])
def test_what_is_no_tag_is_one_line(tag):
    with pytest.raises(UserError, match="language: must be a tag such as de, pt-BR or sr-Cyrl"):
        checked_tag(tag)


@pytest.mark.parametrize(
    ("text", "language", "lowered"),
    [
        ("Straße", "de", "straße"),  # not folded to strasse: Maße and Masse are two words
        ("GROẞ", "de", "groß"),
        ("Ärztin", "de", "ärztin"),
        ("ЖЕНЩИНА Ё", "ru", "женщина ё"),
        ("ISPARTA İŞÇİ", "tr", "ısparta işçi"),
        ("kadın", "tr", "kadın"),
        ("ISPARTA İŞÇİ", "az", "ısparta işçi"),
        ("I\u0307zmir", "tr", "izmir"),  # a capital I and a dot of its own
        ("INSPECTOR", "es", "inspector"),
        ("ΟΔΟΣ", "el", "οδος"),
        ("INSPECTOR", "", "inspector"),
    ],
)
def test_lower_case_is_by_the_rule_of_the_language(text, language, lowered):
    assert lower(text, language) == lowered


def test_a_word_is_tried_as_given_before_it_is_tried_in_lower_case():
    assert spellings("Frau", "de")[:2] == ["Frau", "frau"]
    assert spellings("frau", "de") == ["frau"]
    assert spellings("İşçi", "tr")[1] == "işçi"
    apart = unicodedata.normalize("NFD", "Ärztin")
    assert spellings("Ärztin", "de") == ["Ärztin", "ärztin", apart, apart.lower()]
