"""Table 2: the sizes of the corpora."""

import pytest

from socialbias.papers.bad_seeds import corpus_tables
from tests.papers.bad_seeds.worlds import corpus, numbers
from tests.worlds.jobs import summarised


def test_table2_counts_before_and_after_the_rare_words_go():
    news = corpus(counts={"a": 25, "b": 10, "c": 9, "null": 1}, documents=9)
    found = numbers(
        summarised(
            corpus_tables.table2,
            corpus_tables.evidence_of_table2({"nyt": news, "pretrained": corpus()}, 10),
        )
    )
    assert found == {
        ("nyt", "documents"): 9,
        ("nyt", "words"): 45,
        ("nyt", "words@frequent"): 35,
        ("nyt", "vocabulary"): 4,
        ("nyt", "vocabulary@frequent"): 2,
        ("nyt", "mean_document_length"): 5,
        ("nyt", "mean_document_length@frequent"): pytest.approx(35 / 9),
    }
