"""HELM's text measure on texts counted by hand."""

import numpy as np
import pytest

from socialbias.corpora.documents import Document
from socialbias.corpora.prepare import prepare
from socialbias.corpora.prepared import Corpus
from socialbias.measures.helm import cooccurrences, total_variation

TEXTS = (
    "She met a nurse . The nurse saw her .",  # 2 nurses with she and her
    "He and she met a pilot .",  # both groups: the exclusive rule would leave it out
    "A nurse slept .",
    "The Nurse met him .",
)


@pytest.fixture
def corpus(tmp_path):
    documents = (Document(str(i), text) for i, text in enumerate(TEXTS))
    prepare(documents, tmp_path, tokenizer="whitespace")
    return Corpus.load(tmp_path)


def test_every_token_of_a_target_counts_with_every_token_of_a_group(corpus):
    groups = {"female": ["she", "her"], "male": ["he", "him"]}
    table = cooccurrences(corpus, ["nurse", "pilot"], groups)
    assert table.to_dict("split")["data"] == [
        ["nurse", 0, 4, 0],
        ["pilot", 1, 1, 1],
        ["nurse", 3, 0, 1],
    ]


def test_counts_are_divided_by_the_length_of_the_list():
    # 4/2 = 2 and 1/1 = 1: shares 2/3 and 1/3, half the l1 distance to (1/2, 1/2) is 1/6.
    assert total_variation([[4, 1]], [2, 1]) == pytest.approx([1 / 6])
    assert total_variation([[4, 2]], [2, 1]) == pytest.approx([0])
    # Three groups, one of them alone: (1 - 1/3 + 1/3 + 1/3) / 2 = 2/3.
    assert total_variation([[5, 0, 0]], [1, 1, 1]) == pytest.approx([2 / 3])


def test_a_target_without_a_pair_has_no_bias():
    assert np.isnan(total_variation([[0, 0]], [2, 1])).all()
