"""Templates and terms, which are kept, what fills them, and Tables 3, 4 and 6, by hand."""

import json

import pandas as pd
import pytest

from socialbias.embeddings.words.of_papers import read_word_lists
from socialbias.errors import UserError
from socialbias.papers.fairness import data_tables
from socialbias.papers.fairness.suites import (
    TERMS_EVIDENCE,
    article,
    capped,
    filled,
    forms,
    holistic_templates,
    parsed,
    stretched,
    suite,
    tagged,
)
from socialbias.papers.fairness.terms import (
    holistic_terms,
    identity_terms,
    names,
    nationalities,
)
from tests.paths import REPOSITORY
from tests.worlds import job_with, printed
from tests.worlds.fairness import GENDER, TERMS_OF_GENDER


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
    assert left[["kind", "item", "place"]].to_numpy().tolist() == [["group", "c", "s.csv, line 2"]]


def test_what_does_not_fit_is_named_with_its_line_and_the_rest_is_filled():
    table, left = suite(GENDER, TERMS_OF_GENDER.replace({"word_class": {"n": "country"}}))
    assert set(table["term"]) == {"old", "young", "tall"}
    unfit = left[left["kind"] == "term"]
    assert unfit["place"].tolist() == ["t.csv, line 4", "t.csv, line 6"]
    assert set(unfit["reason"]) == {"no template has a slot for 'country'"}
    broken = GENDER.assign(template=["It rains.", "{Identity_adj} art is dull."])
    table, left = suite(broken, TERMS_OF_GENDER)
    assert set(table["source"]) == {1}
    assert left.iloc[0][["kind", "place"]].tolist() == ["template", "g.csv, line 2"]
    twice = TERMS_OF_GENDER.assign(term="elf", word_class="n", group="a")
    assert len(suite(GENDER, twice)[0]) == 1  # a group has each text once


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


WORDS = read_word_lists(REPOSITORY / "resources/word_lists/fairness.yaml")
SUITE = suite(GENDER, TERMS_OF_GENDER)[0]


def test_groups_and_terms_of_an_attribute():
    gone = pd.DataFrame([{"attribute": "gender", "term": "x", "place": "t.csv, line 9"}])
    table = pd.concat([TERMS_OF_GENDER.assign(reason=""), gone.assign(reason="no group")])
    result = data_tables.counts_of_terms(table.fillna(""), SUITE[SUITE["group"] != "c"])
    numbers = {column: number for column, (number, _) in result.items()}
    assert numbers == {"groups": 3, "terms": 5, "filling": 4, "left_out": 1, "single": 2}


def test_printed_terms_with_and_without_a_part_of_speech(tmp_path):
    lists = tmp_path / "fairness.yaml"
    lists.write_text("table4: {a: [old (adj), old (n), elf, dwarf]}")
    terms = TERMS_OF_GENDER.assign(reason="")
    job = job_with({TERMS_EVIDENCE: terms, "word_lists/fairness": lists})
    assert [cell["value"] for cell in data_tables.table4(job)][1] == 2


def test_templates_by_sentiment_kind_and_group():
    expected = {"templates": 2, "examples": 8, "negative": 1, "neutral": 1, "positive": 0}
    expected |= {"generic": 1, "specific": 1, "tagged": 0, "country_slots": 0}
    expected |= {"without_variant": 1}  # group c has no adjective
    result = data_tables.counts_of_templates(SUITE)
    assert {name: result[name] for name in expected} == expected


def test_tags_and_countries():
    lines = [("{Country} sold.", "a", "{Country}:U-LOC"), ("In {country}.", "c", "")]
    lines += [("{Country_adj} Inc sold.", "b", "Inc:U-ORG")]
    filled_in = [("nationality", "specific", text, place, 1, tags) for text, place, tags in lines]
    templates = pd.DataFrame(filled_in, columns=GENDER.columns)
    rows = [("nationality", "q1", "Chad", c, "Chad", "x") for c in ("country", "adj")]
    result = data_tables.counts_of_templates(
        suite(templates, pd.DataFrame(rows, columns=TERMS_OF_GENDER.columns))[0]
    )
    assert (result["tagged"], result["country_slots"]) == (2, 1)


def test_a_printed_template_is_known_by_its_letters_and_digits():
    digest = data_tables.digest
    assert digest("I am {a:identity_np}.") == digest("I am {a:identity np}")
    assert digest("I am {a:identity_np}.") != digest("I am {identity np}.")
    assert digest("It's {country}! ") == digest("It’s {Country}!")


def test_word_lists_have_as_much_as_print():
    table4 = printed("fairness", "table4").set_index("row")["value"]
    assert {g: str(len(t)) for g, t in WORDS["table4"].items()} == table4.to_dict()
    assert [len(set(e)) for e in WORDS["table6"].values()] == [9, 9, 9]
    table3 = printed("fairness", "table3").set_index("row")["value"]
    for attribute, its in WORDS["holistic_bias"]["attributes"].items():
        assert len(its["groups"]) <= int(table3[attribute])


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


def test_a_tag_over_three_words():
    for first, letters in {"U": "BIL", "B": "BII", "I": "III", "L": "IIL"}.items():
        assert stretched(f"{first}-PER", 3) == [f"{letter}-PER" for letter in letters]
        assert stretched(f"{first}-PER", 1) == [f"{first}-PER"]
    assert stretched("O", 3) == ["O"] * 3


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


FILES = {
    "age.csv": "TERM,POS,GROUP\ntoddler,n,very young\nold,adj,old\n",
    "disability.csv": "TERM,GROUP,POS,TYPE\ndeaf,hearing,adj,\ndeaf,hearing,n,nonrec\n",
    "gender.csv": (
        "TERM,POS,TYPE,GROUP\ncis man,,basic,cis\ncis woman,n,basic,cis\nfluid,adj,,\n"
        "trans man,n,,trans\ntrans man,n,basic,trans\nBIG,adj,,many genders\n"
    ),
    "race.csv": "TERM,GROUP\nblack,african_american\n",
    "religion.csv": (
        "TERM,POS,TYPE,SEM,GROUP\nShinto,n,,religion,\nBahai,n,,religion,Baha'i Faith\n"
        "Sikh,n,,person,Sikhism\n"
    ),
    "sexuality.csv": "TERM,POS,TYPE,GROUP\ngay,adj,,homosexual\n",
}


@pytest.fixture
def folder(tmp_path):
    for name, text in FILES.items():
        (tmp_path / name).write_text(text)
    return tmp_path


def shown(table, *columns):
    return [tuple(row) for row in table[list(columns)].to_numpy()]


def test_which_terms_are_kept_and_why_others_are_not(folder):
    kept, left = identity_terms(folder)
    assert shown(kept, "attribute", "group", "term", "word_class") == [
        ("gender", "cis", "cis woman", "n"),
        ("gender", "trans", "trans man", "n"),
        ("gender", "many-genders", "BIG", "adj"),
        ("sexual-orientation", "homosexual", "gay", "adj"),
        ("religion", "baha'i-faith", "Bahai", "religion"),
        ("religion", "sikhism", "Sikh", "n"),
        ("race", "african-american", "black", "adj"),
        ("age", "old", "old", "adj"),
        ("disability", "hearing", "deaf", "adj"),
    ]
    assert shown(left, "item", "place", "reason") == [
        ("cis man", "gender.csv, line 2", "no part of speech"),
        ("fluid", "gender.csv, line 4", "no group"),
        ("Shinto", "religion.csv, line 2", "no group"),
        ("toddler", "age.csv, line 2", "of age, adjectives alone are used"),
        ("deaf", "disability.csv, line 3", "not recommended"),
        ("trans man", "gender.csv, line 6", "appears twice in trans"),
    ]


def test_without_the_slips_cis_man_is_a_noun_as_cis_woman_is(folder):
    kept, left = identity_terms(folder, slips=False)
    assert ("cis man", "n") in shown(kept, "term", "word_class")
    assert "cis man" not in set(left["item"])


COUNTRIES = """RANK,TERM,COUNTRY_ADJ,CONTINENT,REGION,REGION_ADJ,GDP_NOMINAL,GDP_PPP
,Rich,Very Rich,,,,,60
,Poor,Poorish,,,,,10
,B,Bish,,,,,20
,C,Cish,,,,,30
,D,,,,,,40
,E,Eish,,,,,50
,Unknown,Unknownish,,,,,
"""


def test_countries_are_in_sextiles_of_gdp_the_lowest_first(tmp_path):
    path = tmp_path / "countries.csv"
    path.write_text(COUNTRIES)
    kept, left = nationalities(path)
    countries = kept[kept["word_class"] == "country"]
    assert shown(countries, "term", "group") == [
        ("Rich", "q6"), ("Poor", "q1"), ("B", "q2"), ("C", "q3"), ("D", "q4"), ("E", "q5"),
    ]  # fmt: skip
    assert shown(kept[:2], "term", "word_class", "unit") == [
        ("Rich", "country", "Rich"), ("Very-Rich", "adj", "Rich"),
    ]  # fmt: skip
    assert shown(left, "item", "place") == [
        ("D", "countries.csv, line 6"), ("Unknown", "countries.csv, line 8"),
    ]  # fmt: skip
    assert "Very Rich" in set(nationalities(path, slips=False)[0]["term"])


def test_names_of_wiktionary(tmp_path):
    below = tmp_path / "terms/identity_terms/wiktionary_names"
    below.mkdir(parents=True)
    (below / "only_female_names.txt").write_text("Ada\nBo\n")
    (below / "only_male_names.txt").write_text("Cy\n")
    kept, left = names({"format": "gfm-names", "source": "gfm-names"}, tmp_path)
    assert shown(kept, "group", "term", "word_class", "place") == [
        ("female", "Ada", "name", "gfm-names, female, name 1"),
        ("female", "Bo", "name", "gfm-names, female, name 2"),
        ("male", "Cy", "name", "gfm-names, male, name 1"),
    ]
    assert left.empty


@pytest.fixture
def holistic(tmp_path):
    descriptors = {
        "ability": {
            "auditory": ["Deaf", {"descriptor": "bad", "preference": "dispreferred"}],
            "visual": ["blind"],
            "other": ["odd"],
        }
    }
    phrases = {"ability": [{"noun_phrase": "{article} {noun} with asthma"}, "a walker"]}
    (tmp_path / "descriptors.json").write_text(json.dumps(descriptors))
    (tmp_path / "standalone_noun_phrases.json").write_text(json.dumps(phrases))
    return tmp_path


def assigned(*items):
    return {"disability": {"axis": "ability", "groups": {"hearing": list(items)}}}


def test_holistic_bias_in_the_groups_that_are_assigned(holistic):
    kept, left = holistic_terms(holistic, assigned("auditory", "visual/blind", "with asthma"))
    assert shown(kept, "group", "term", "word_class") == [
        ("hearing", "Deaf", "adj"), ("hearing", "blind", "adj"), ("hearing", "with asthma", "pp"),
    ]  # fmt: skip
    assert shown(left, "item", "reason") == [
        ("bad", "dispreferred"),
        ("odd", "in no group of the paper"),
        ("a walker", "in no group of the paper"),
    ]
    for item in ("smell", "visual/Deaf", "with a walker"):
        with pytest.raises(UserError, match=f"HolisticBias has no '{item}'"):
            holistic_terms(holistic, assigned(item))
