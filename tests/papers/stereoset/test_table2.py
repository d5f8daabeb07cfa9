"""Table 2: shares of negative sentences, against numbers worked out by hand."""

import pandas as pd
import pytest

from socialbias.papers.stereoset import model_tables
from tests.papers.stereoset.tiny import cells, printed

SCORES = pd.DataFrame(
    [
        ("intrasentence", "she", 0.9, 0.4, 0.2),
        ("intrasentence", "she", 0.8, 0.6, 0.2),
        ("intrasentence", "he", 0.4, 0.1, 0.2),
        ("intersentence", "he", 0.7, 0.5, 0.2),
    ],
    columns=["task", "target", "stereotype", "anti-stereotype", "unrelated"],
)


def values(scores=SCORES):
    return cells(model_tables.values_of_table2(scores, "released", 1))


def test_a_sentence_is_negative_above_one_half():
    result = values()
    assert result["stereotype", "negative_percent@released"]["value"] == 75
    assert result["stereotype", "positive_percent@released"]["value"] == 25
    assert result["anti-stereotype", "negative_percent@released"]["value"] == 25
    assert result["intra stereotype", "negative_percent@released"]["value"] == pytest.approx(
        200 / 3
    )
    assert result["inter unrelated", "negative_percent@released"]["value"] == 0
    assert result["stereotype", "negative_percent@released"]["n"] == 4


def test_both_shares_of_a_draw_add_up():
    result = values()
    parts = [result["stereotype", f"{sign}_percent@released"] for sign in ("positive", "negative")]
    assert (parts[0]["draws"] + parts[1]["draws"]).tolist() == [100] * 1000


def test_draws_are_over_terms_with_all_their_sentences():
    """Stereotypes of `she` are all negative, of `he` half: samples are 1, 3/4 or 1/2."""
    draws = values()["stereotype", "negative_percent@released"]["draws"]
    assert len({round(float(draw), 6) for draw in draws}) == 3


def test_a_tested_classifier_says_how_good_it_is():
    result = values(SCORES.assign(accuracy=0.732, held_out=500))
    note = result["stereotype", "negative_percent@released"]["note"]
    assert note == "73.2% of 500 held-out reviews are right"


def test_rows_of_print_are_there():
    assert set(printed("table2")["row"]) <= {row for row, _ in values()}
