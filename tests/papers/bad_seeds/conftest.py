"""What the tests of Bad Seeds read and compute once."""

import pytest

from socialbias.embeddings.words.of_papers import read_word_lists
from tests.papers.bad_seeds.worlds import (
    ORDERED,
    PAIRS4,
    PANEL,
    REST4,
    corpus,
    figure3_of,
    figure4_of,
    vectors,
)
from tests.paths import RESOURCES


@pytest.fixture(scope="session")
def lists():
    return read_word_lists(RESOURCES / "word_lists" / "bad_seeds.yaml")


@pytest.fixture(scope="session")
def figure3_evidence():
    model = vectors(**ORDERED)
    corpora = {"nyt": corpus(model, model), "google-news": corpus(model)}
    return figure3_of(corpora, PANEL, 60)


@pytest.fixture(scope="session")
def figure4_evidence():
    model = vectors(**ORDERED, **REST4)
    counts = dict.fromkeys(model.words, 100) | {"a1": 99}
    printed = [*(("a ordered", word) for word in ("a1", "b2", "absent")), ("b random", "u")]
    news = corpus(model, model, counts=counts)
    return figure4_of({"nyt": news, "glove": corpus(model)}, PAIRS4, 30, printed)
