"""CoNLL-2003's sentences."""

import pytest

from socialbias.datasets import conll2003

CONLL = """-DOCSTART- -X- -X- O

Ada NNP B-NP B-PER
Byron NNP I-NP I-PER
met VBD B-VP O
Bo NNP B-NP B-PER

London NNP B-NP B-LOC

-DOCSTART- -X- -X- O

-DOCSTART- -X- O O
Paris NNP B-NP B-LOC"""


@pytest.mark.parametrize("end", ["", "\n", "\n\n", "\n\n\n"])
def test_conll_sentences_with_their_documents(put, end):
    sentences = list(conll2003.read_sentences(put(CONLL + end)))
    assert [s.tokens for s in sentences] == [("Ada", "Byron", "met", "Bo"), ("London",), ("Paris",)]
    assert [(s.document, s.line) for s in sentences] == [(1, 3), (1, 8), (3, 13)]
    assert sentences[0].entities == ("B-PER", "I-PER", "O", "B-PER")
    assert sentences[0].pos == ("NNP", "NNP", "VBD", "NNP")
    assert sentences[0].chunks == ("B-NP", "I-NP", "B-VP", "B-NP")


IOB1 = """-DOCSTART- -X- O O

Ada NNP I-NP I-PER
Byron NNP I-NP I-PER
Bo NNP B-NP B-PER
Paris NNP I-NP I-LOC
calls VBZ I-VP O
"""
