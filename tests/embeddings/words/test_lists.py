"""The packaged lists, and those of a user's own."""

import re
import unicodedata

import pytest

from socialbias import lists
from socialbias.embeddings.words.languages import checked_tag, lower, primary, spellings
from socialbias.embeddings.words.lists import groups_of, targets_of
from socialbias.embeddings.words.of_papers import all_words, read_word_lists
from socialbias.errors import UserError
from tests.paths import RESOURCES


def test_every_list_says_its_language_script_gender_source_and_licence():
    for name, found in lists().items():
        assert re.fullmatch(r"[a-z]+(-[a-z]+)*", name)
        assert found.kind in ("groups", "targets")
        assert checked_tag(found.language)
        assert found.script in ("Latn", "Cyrl")
        assert found.gender
        assert re.search(r"(19|20)\d\d|^this project$", found.source)  # who, and when
        assert all((found.about, found.licence))
        assert all(found.words.values())
        if found.pairs:
            assert len(set(map(len, found.words.values()))) == 1


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ("nurse, pilot,", {"": ("nurse", "pilot")}),
        (["nurse", "pilot"], {"": ("nurse", "pilot")}),
        ({"care": ["nurse"]}, {"care": ("nurse",)}),
        ("nurse", {"": ("nurse",)}),
    ],
)
def test_targets_may_be_given_as_words(given, words):
    assert targets_of(given).words == words


def test_lists_may_be_files(tmp_path):
    (tmp_path / "g.txt").write_text("# mine\n[women]\nshe\n[men]\nhe\nhim\n")
    (tmp_path / "t.txt").write_text("nurse\npilot\n")
    (tmp_path / "g.csv").write_text("set,word\nwomen,she\nmen,he\n")
    assert groups_of(tmp_path / "g.txt").words == {"women": ("she",), "men": ("he", "him")}
    assert groups_of(str(tmp_path / "g.csv")).words == {"women": ("she",), "men": ("he",)}
    assert targets_of(tmp_path / "t.txt").words == {"": ("nurse", "pilot")}
    assert targets_of(tmp_path / "t.txt").name == str(tmp_path / "t.txt")


def test_a_file_that_is_not_there_is_no_word(tmp_path):
    for given in (str(tmp_path / "t.txt"), "words.csv"):
        with pytest.raises(UserError, match="no list and no file is called"):
            targets_of(given)


# --- tags of languages, and words in lower case by the rule of their language ---------------


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


# --- the lists of the papers ------------------------------------------------------------------


PATH = RESOURCES / "word_lists" / "trustworthy.yaml"


@pytest.fixture(scope="module")
def trustworthy():
    return read_word_lists(PATH)


def test_every_word_is_a_lower_case_string(trustworthy):
    # YAML takes words such as `no` and `null` for something else.
    for word in all_words(trustworthy):
        assert isinstance(word, str), word
        assert word == word.strip().lower()
        assert word
