"""Tables about StereoSet itself, against numbers worked out by hand."""

import numpy as np
import pandas as pd
import pytest

from socialbias.papers.stereoset import data_tables, model_tables, table3, table10
from socialbias.papers.stereoset.items import SPLITS
from tests.worlds import cells, job_with, numbers
from tests.worlds.stereoset import ITEMS


def table1(items):
    return data_tables.table1(job_with({"evidence/stereoset/items": items}))


def table9(items):
    return list(data_tables.table9(job_with({"evidence/stereoset/items": items})))


def test_terms_items_and_lengths_by_task_and_domain():
    result = numbers(table1(ITEMS))
    expected = {
        ("intra gender", "mean_length_words"): 4,
        ("inter race", "target_terms"): 1,
        ("inter race", "cats"): 2,
        ("inter race", "mean_length_words"): (6 + 3) / 2,
        ("overall", "target_terms"): 2,
        ("overall", "cats"): 3,
        # Print weighs domains and tasks equally.
        ("overall", "mean_length_words"): (4 + 4.5) / 2,
        ("overall", "mean_length_by_item"): (4 + 6 + 3) / 3,
    }
    assert {cell: result[cell] for cell in expected} == pytest.approx(expected)
    assert data_tables.lengths(ITEMS).tolist() == [4, 4, 4, 5, 5, 8, 3, 3, 3]  # with the context
    # Nothing varies in what was counted whole.
    assert all(record["draws"] == record["value"] for record in table1(ITEMS))


def test_the_unweighted_mean_of_a_total_ignores_how_many_items_a_domain_has():
    again = ITEMS.iloc[:3].assign(domain="race", item="i4", sentence="One two.")
    more = pd.concat([ITEMS, again, again.assign(item="i5")], ignore_index=True)
    result = cells(table1(more))
    total = result["intra total", "mean_length_words"]
    assert total["value"] == pytest.approx((4 + 2) / 2)
    assert total["n"] == 3
    assert result["intra total", "mean_length_by_item"]["value"] == pytest.approx(8 / 3)


SENTIMENT = pd.DataFrame(
    [
        ("intrasentence", "she", 0.9, 0.4, 0.2),
        ("intrasentence", "she", 0.8, 0.6, 0.2),
        ("intrasentence", "he", 0.4, 0.1, 0.2),
        ("intersentence", "he", 0.7, 0.5, 0.2),
    ],
    columns=["task", "target", "stereotype", "anti-stereotype", "unrelated"],
)


def shares(scores=SENTIMENT):
    scores = scores.assign(row="sentiment")
    return cells(model_tables.table2(job_with({"evidence/stereoset/predictions": scores})))


def test_a_sentence_is_negative_above_one_half():
    expected = {
        ("stereotype", "negative"): 75,
        ("stereotype", "positive"): 25,
        ("anti-stereotype", "negative"): 25,
        ("intra stereotype", "negative"): 200 / 3,
        ("inter unrelated", "negative"): 0,
    }
    result = shares()
    for (row, sign), percent in expected.items():
        assert result[row, f"{sign}_percent@released"]["value"] == pytest.approx(percent)
    assert result["stereotype", "negative_percent@released"]["n"] == 4
    parts = [result["stereotype", f"{sign}_percent@released"] for sign in ("positive", "negative")]
    assert set(parts[0]["draws"] + parts[1]["draws"]) == {100}
    # Draws are over terms: stereotypes of `she` are all negative, of `he` half: 1, 3/4 or 1/2.
    assert len({round(float(draw), 6) for draw in parts[1]["draws"]}) == 3
    tested = shares(SENTIMENT.assign(accuracy=0.732, held_out=500))
    note = tested["stereotype", "negative_percent@released"]["note"]
    assert note == "73.2% of 500 held-out reviews are right"


# Words of two domains: of `a` three are of one term and one of another.
TEXTS = pd.DataFrame(
    [
        ("a", "t1", "stereotype", "kind"),
        ("a", "t1", "anti-stereotype", "kindly film"),
        ("a", "t2", "stereotype", "film"),
        ("a", "t2", "unrelated", "zebra"),
        ("b", "t3", "stereotype", "rude"),
    ],
    columns=["domain", "target", "gold", "attribute"],
).assign(sentence="She is rude.", context="She is BLANK.")
FILMS = {"film": 1e6}  # a corpus of one word
LISTS = {"a": ["kind", "zebra"], "b": ["rude", "film"]}


def keywords(reference=FILMS):
    return cells(table3.values(TEXTS, reference, LISTS, 1))


@pytest.mark.parametrize(
    ("word", "keyword", "is_one"),
    [
        ("hardworking", "hardwork", True),
        ("uncaring", "uncare", True),
        ("ma", "ma", True),
        ("masculine", "ma", False),
        ("intrude", "rude", False),
    ],
)
def test_forms_of_a_keyword(word, keyword, is_one):
    assert table3.is_form(word, keyword) == is_one


def test_words_are_placed_by_keyness_and_ties_by_the_order_of_the_words():
    # Kilgarriff's: (40 + 10) / (0 + 10) and (40 + 10) / (90 + 10).
    assert table3.keyness([40, 40], [0, 90], 10).tolist() == [5, 0.5]
    counts = np.array([[2.0, 1.0, 1.0], [1.0, 1.0, 2.0]])
    assert table3.places(counts, np.zeros(3), 1).tolist() == [[0, 1, 2], [1, 2, 0]]
    result = table3.places(np.arange(300, 0, -1.0)[None], np.zeros(300), 1)[0]
    assert result.tolist() == [*range(200), *[200] * 100]  # only the first words have a place
    known = [f"w{i:03}" for i in range(40)]
    found = table3.found_in(np.arange(40)[None], known, ["w003", "w016", "none"])
    assert {top: numbers.tolist() for top, numbers in found.items()} == {16: [1], 50: [2], 200: [2]}


def test_keywords_of_the_domains():
    result = keywords()
    expected = {
        ("a a", "top16@k1"): 1,  # kind, of which kindly is a form; zebra is unrelated
        ("a b", "top16@k1"): 1,  # film
        ("own lists", "top16@k1"): 2,
        ("other lists", "top16@k1"): 1,
        ("a a", "in_attributes"): 1,
    }
    assert {cell: result[cell]["value"] for cell in expected} == expected
    assert result["a a", "top16@k1"]["note"] == "ours: kind, kindly, film"
    assert result["a a", "in_attributes"]["note"] == "without: zebra"
    assert result["a b", "in_sentences"]["note"] == "without: film"
    # A sample of a's two terms has t1 alone, t2 alone, or both; t1 has kind, t2 has not.
    draws = result["a a", "top16@k1"]["draws"]
    assert set(draws) == {0, 1}
    assert (draws == 0).mean() == pytest.approx(0.25, abs=0.06)
    without = {column for _, column in keywords(reference=None)}
    assert without == {"in_attributes", "in_sentences"}


def test_the_share_of_labels():
    """Of 45 labels three are `related`, of Peru's 30 all three, of its stereotypes' ten too."""
    result = cells(table9(ITEMS))
    assert result["all", "related"]["value"] == pytest.approx(100 * 3 / 45)
    assert result["race", "related"]["value"] == pytest.approx(100 * 3 / 30)
    assert result["race", "related stereotype"]["value"] == pytest.approx(100 * 3 / 10)
    assert result["race", "related unrelated"]["value"] == 0
    assert result["all", "related"]["n"] == 3
    assert table9(ITEMS[ITEMS["split"] == "development"]) == []  # of both splits alone


def test_domains_are_sampled_by_term_and_a_term_by_item():
    as_tailor = ITEMS.assign(target=ITEMS["target"].replace("Peru", "tailor"))
    result = cells(table9(as_tailor))
    # Samples of its two items have 2, 3 or 4 of 30 labels; stretched, these are three numbers.
    draws = result["tailor", "related stereotype"]["draws"]
    assert len({round(float(draw), 6) for draw in draws}) == 3
    assert result["tailor", "related"]["n"] == 2


PRINTED10 = {"she": 1.0, "peru": 0.38, "shiva": 0.72}


@pytest.fixture
def agreement():
    return cells(table10.values(ITEMS, PRINTED10))


def test_agreement_of_terms(agreement):
    """Of S S S A R the three labels give 9 + 1 of 25, of S S S R R 9.

    Pairs are of all four labels: S S S has three pairs of the ten; R R is one more.
    """
    assert agreement["she", "agreement"]["value"] == agreement["she", "pairs"]["value"] == 1
    assert agreement["peru", "agreement"]["value"] == pytest.approx((10 / 25 + 9 / 25) / 2)
    pairs = agreement["peru", "pairs"]
    assert pairs["value"] == pytest.approx((3 / 10 + 4 / 10) / 2)
    # t(1) at .975; of .3 and .4 the standard error is .05.
    assert (pairs["ci_low"], pairs["ci_high"]) == (0, pytest.approx(0.35 + 12.706205 * 0.05))
    assert "ci_low" not in agreement["she", "pairs"]
    # A printed term that was not released.
    assert agreement["shiva", "items"]["value"] == 0
    assert np.isnan(agreement["shiva", "agreement"]["value"])
    part = ITEMS[ITEMS["split"] == next(iter(SPLITS))]
    assert {row for row, _ in cells(table10.values(part, PRINTED10))} == {"she"}


@pytest.mark.parametrize(
    ("agreements", "printed", "fewest"),
    [
        ([0.6, 0.8], 0.7, 0),
        ([0.6, 0.8], 0.705, 0),  # .70 and .71 are as near
        ([0.6, 0.8], 0.8, 1),  # with an item of 1
        ([0.6, 0.8], 0.85, 2),  # one gives at most .8
        ([0.6, 0.8], 0.59, 1),  # .36 gives .587
        ([0.6, 0.8], 0.58, 2),
    ],
)
def test_the_fewest_further_items_for_a_printed_number(agreements, printed, fewest):
    assert table10.fewest_further(np.array(agreements), printed) == fewest


def test_totals_add_up_terms(agreement):
    """Peru has .38 in print and here; she too: nothing further is needed."""
    assert agreement["Total race", "items"]["value"] == 2
    assert agreement["Total", "items"]["value"] == 3
    assert agreement["Total", "as_printed"]["value"] == 2
    more = cells(table10.values(ITEMS, PRINTED10 | {"peru": 0.5}))
    # One item of 1 gives (.4 + .36 + 1) / 3 = .59, and one of .74 .5.
    assert more["Total race", "further"]["value"] == 1
    assert more["Total", "as_printed"]["value"] == 1
