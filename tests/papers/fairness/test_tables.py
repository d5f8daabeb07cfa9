"""Tables 3, 4 and 6 on templates and terms of a few lines."""

import pandas as pd
import pytest

from socialbias.papers.fairness import data_tables
from socialbias.papers.fairness.suites import suite
from socialbias.reporting.values import read_published
from socialbias.words.of_papers import read_word_lists
from tests.papers.fairness.tiny import GENDER, TERMS_OF_GENDER
from tests.paths import PUBLISHED, REPOSITORY

WORDS = read_word_lists(REPOSITORY / "resources/word_lists/fairness.yaml")
SUITE = suite(GENDER, TERMS_OF_GENDER)[0]


def test_groups_and_terms_of_an_attribute():
    gone = pd.DataFrame([{"attribute": "gender", "term": "x", "place": "t.csv, line 9"}])
    table = pd.concat([TERMS_OF_GENDER.assign(reason=""), gone.assign(reason="no group")])
    result = data_tables.counts_of_terms(table.fillna(""), SUITE[SUITE["group"] != "c"])
    numbers = {column: number for column, (number, _) in result.items()}
    assert numbers == {"groups": 3, "terms": 5, "filling": 4, "left_out": 1, "single": 2}


def test_a_country_without_an_adjective_is_not_left_out():
    rows = [("q1", "Chad", "country", "Chad", ""), ("", "Chad", "", "", "no adjective")]
    table = pd.DataFrame(rows, columns=["group", "term", "word_class", "unit", "reason"])
    table = table.assign(attribute="nationality", place="line 2")
    assert data_tables.counts_of_terms(table, SUITE.iloc[:0])["left_out"] == (0, "terms")


def test_printed_terms_with_and_without_a_part_of_speech():
    kept = TERMS_OF_GENDER[TERMS_OF_GENDER["group"] == "a"]
    assert data_tables.in_print(["old (adj)", "old (n)", "elf", "dwarf"], kept) == 2


def test_templates_by_sentiment_kind_and_group():
    result = data_tables.counts_of_templates(SUITE)
    assert (result["templates"], result["examples"]) == (2, 8)
    assert (result["negative"], result["neutral"], result["positive"]) == (1, 1, 0)
    assert (result["generic"], result["specific"]) == (1, 1)
    assert result["without_variant"] == 1  # group c has no adjective
    assert (result["tagged"], result["country_slots"]) == (0, 0)


def test_tags_and_countries():
    templates = pd.DataFrame(
        [
            ("nationality", "specific", "{Country} sold.", "a", 1, "{Country}:U-LOC"),
            ("nationality", "specific", "{Country_adj} Inc sold.", "b", 1, "Inc:U-ORG"),
            ("nationality", "specific", "In {country}.", "c", 1, ""),
        ],
        columns=GENDER.columns,
    )
    rows = [("nationality", "q1", "Chad", c, "Chad", "x") for c in ("country", "adj")]
    result = data_tables.counts_of_templates(
        suite(templates, pd.DataFrame(rows, columns=TERMS_OF_GENDER.columns))[0]
    )
    assert (result["tagged"], result["country_slots"]) == (2, 1)


def test_a_printed_template_is_known_by_its_letters_and_digits():
    templates = pd.Series(["I am {a:identity_np}.", "It's {country}! "])
    printed = [data_tables.digest(text) for text in ("I am {a:identity np}", "I am {identity np}.")]
    assert data_tables.templates_in_print(templates, printed) == 1
    assert data_tables.templates_in_print(templates, [data_tables.digest("It’s {Country}!")]) == 1


def test_word_lists_have_as_much_as_print():
    printed = read_published(PUBLISHED / "fairness_table4.csv")
    assert {g: str(len(t)) for g, t in WORDS["table4"].items()} == dict(
        zip(printed["row"], printed["value"], strict=True)
    )
    examples = read_published(PUBLISHED / "fairness_table6.csv").query("column == 'printed'")
    assert [len(set(e)) for e in WORDS["table6"].values()] == [9, 9, 9]
    assert set(examples["value"]) == {"9"}


@pytest.mark.parametrize("attribute", WORDS["holistic_bias"]["attributes"])
def test_groups_that_holistic_bias_plays_are_the_papers(attribute):
    printed = read_published(PUBLISHED / "fairness_table3.csv").set_index("row")["value"]
    groups = WORDS["holistic_bias"]["attributes"][attribute]["groups"]
    assert len(groups) <= int(printed[attribute])
