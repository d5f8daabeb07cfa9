"""Which released terms are kept, on files of a few lines."""

import json

import pytest

from socialbias.errors import UserError
from socialbias.papers.fairness.terms import (
    holistic_terms,
    identity_terms,
    names,
    nationalities,
)

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
