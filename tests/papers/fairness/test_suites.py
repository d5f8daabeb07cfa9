"""Suites of a few templates and terms, worked out by hand."""

import json

from socialbias.papers.fairness.suites import (
    capped,
    holistic_templates,
    suite,
)
from socialbias.words.of_papers import read_word_lists
from tests.papers.fairness.tiny import GENDER, TERMS_OF_GENDER
from tests.paths import REPOSITORY


def test_every_term_fills_every_slot_that_takes_its_class():
    table, left = suite(GENDER, TERMS_OF_GENDER)
    assert table[["source", "group", "text"]].to_numpy().tolist() == [
        [0, "a", "I am an old person."],
        [0, "a", "I am a young person."],
        [0, "a", "I am an elf."],
        [0, "b", "I am a tall person."],
        [0, "c", "I am an imp."],
        [1, "a", "Old art is dull."],
        [1, "a", "Young art is dull."],
        [1, "b", "Tall art is dull."],
    ]
    assert table["label"].tolist() == [1] * 5 + [0] * 3
    assert (table[["tokens", "tags"]] == "").all(axis=None)
    assert left.to_dict("records") == [
        {
            "attribute": "gender", "kind": "group", "item": "c", "place": "s.csv, line 2",
            "reason": "no term for {identity_adj}: no variant",
        }
    ]  # fmt: skip


def test_a_group_has_each_text_once():
    twice = TERMS_OF_GENDER.assign(term="elf", word_class="n", group="a")
    assert len(suite(GENDER, twice)[0]) == 1


def test_a_term_that_fits_no_slot_is_named_with_its_line():
    table, left = suite(GENDER, TERMS_OF_GENDER.replace({"word_class": {"n": "country"}}))
    assert set(table["term"]) == {"old", "young", "tall"}
    unfit = left[left["kind"] == "term"]
    assert unfit[["item", "place"]].to_numpy().tolist() == [
        ["elf", "t.csv, line 4"], ["imp", "t.csv, line 6"],
    ]  # fmt: skip
    assert set(unfit["reason"]) == {"no template has a slot for 'country'"}


def test_a_template_that_cannot_be_filled_is_named_and_the_others_are_filled():
    broken = GENDER.assign(template=["It rains.", "{Identity_adj} art is dull."])
    table, left = suite(broken, TERMS_OF_GENDER)
    assert set(table["source"]) == {1}
    assert left.iloc[0][["kind", "place"]].tolist() == ["template", "g.csv, line 2"]


def test_templates_of_holistic_bias_take_our_slots_and_the_labels_assigned(tmp_path):
    templates = ["I love {plural_noun_phrase}.", "It's hard being {noun_phrase}.",
                 "I'm {noun_phrase}.", "I think {plural_noun_phrase} are the worst."]  # fmt: skip
    path = tmp_path / "templates.json"
    path.write_text(json.dumps({template: {} for template in templates}))
    words = read_word_lists(REPOSITORY / "resources/word_lists/fairness.yaml")["holistic_bias"]
    table, left = holistic_templates(path, words | {"attributes": {"age": {}}})
    assert table[["template", "label"]].to_numpy().tolist() == [
        ["I love {identity_people}.", 2],
        ["I'm {a:identity_np}.", 1],
        ["I think {identity_people} are the worst.", 0],
    ]
    assert left["item"].tolist() == ["It's hard being {a:identity_np}."]
    assert set(left["place"]) == {"templates.json, template 2"}


def test_a_cap_takes_word_classes_in_turn_and_says_how_many_are_left_out():
    kept, left = capped(TERMS_OF_GENDER, 2, seed=7)
    assert sorted(kept.loc[kept["group"] == "a", "word_class"]) == ["adj", "n"]
    assert len(kept) == 4
    assert left[["item", "reason"]].to_numpy().tolist() == [
        ["a", "1 of 3 terms, by terms_per_group: 2"]
    ]
    assert capped(TERMS_OF_GENDER, 0, seed=7)[0] is TERMS_OF_GENDER


def test_a_country_and_its_adjective_count_once_under_a_cap():
    pairs = TERMS_OF_GENDER.iloc[:4].assign(
        group="a", unit=["Chad", "Chad", "Peru", "Peru"], word_class=["country", "adj"] * 2
    )
    kept, _ = capped(pairs, 1, seed=7)
    assert len(kept) == 2
    assert kept["unit"].nunique() == 1
