"""HELM's text measure on texts counted by hand."""

import pytest

from socialbias.corpora.documents import Document
from socialbias.corpora.prepare import prepare
from socialbias.corpora.prepared import Corpus
from socialbias.measures.helm import cooccurrences

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
