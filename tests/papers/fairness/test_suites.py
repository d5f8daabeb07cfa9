"""Suites of a few templates and terms, worked out by hand."""

import json

import numpy as np
import pandas as pd

from socialbias.papers.fairness.suites import (
    capped,
    combinations,
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


def test_combinations_are_the_whole_product_where_it_is_small():
    table, _ = suite(GENDER, TERMS_OF_GENDER[TERMS_OF_GENDER["group"] != "c"])
    groups, rows, sources = combinations(table, 100, seed=7)
    assert groups == ["a", "b"]
    texts = table["text"].to_numpy()[rows].tolist()
    assert texts == [
        ["I am an old person.", "I am a tall person."],
        ["I am a young person.", "I am a tall person."],
        ["I am an elf.", "I am a tall person."],
        ["Old art is dull.", "Tall art is dull."],
        ["Young art is dull.", "Tall art is dull."],
    ]
    assert sources.tolist() == [0, 0, 0, 1, 1]


def test_a_template_without_a_variant_of_some_group_has_no_combination():
    _, rows, sources = combinations(suite(GENDER, TERMS_OF_GENDER)[0], 100, seed=7)
    assert sources.tolist() == [0, 0, 0]
    assert rows.shape == (3, 3)


def many(number):
    """Two groups of so many adjectives each."""
    part = [TERMS_OF_GENDER.iloc[:1]] * number
    return [
        frame.assign(group=group, term=f"{group}{i}", unit=f"{group}{i}")
        for group in "ab"
        for i, frame in enumerate(part)
    ]


def test_a_large_product_is_sampled_without_replacement_and_the_same_way_again():
    table, _ = suite(GENDER, pd.concat(many(20), ignore_index=True))
    _, rows, sources = combinations(table, 100, seed=7)
    assert np.bincount(sources).tolist() == [100, 100]
    assert len(np.unique(rows, axis=0)) == 200
    of_a, of_b = (table["group"].to_numpy()[rows[:, i]] for i in (0, 1))
    assert set(of_a) == {"a"}
    assert set(of_b) == {"b"}
    assert (table["source"].to_numpy()[rows] == sources[:, None]).all()
    assert (combinations(table, 100, seed=7)[1] == rows).all()
    assert (combinations(table, 100, seed=8)[1] != rows).any()
    # 20 of each group: nearly all are in 100 draws, each of which is as likely
    assert len(np.unique(rows[:100, 0])) > 15
