"""What the validity matrix is computed from: counts in a text, and what a model says."""

import numpy as np
import pytest
import torch

from socialbias.contextual.models import load_model
from socialbias.papers.validation.matrix_items import PARTS, frequencies, of_text
from socialbias.papers.validation.matrix_models import pronouns
from socialbias.papers.validation.units import NATIONALITIES, PROFESSIONS
from tests import tiny_models
from tests.worlds.corpora import corpus as prepared

FILLER = "a b c d e"
TEXTS = {
    0: f"the nurse saw she left\n{FILLER}\nthe pilot saw he left",  # both poles: with neither
    1: f"the nurse saw her leave\n{FILLER}\n{FILLER}",
    # Two windows of three sentences have the pilot, one of them with `him`.
    2: f"then him again and again\nthe pilot saw a nurse\n{FILLER}\n{FILLER}",
    3: f"the nurse saw her leave\n{FILLER}",  # no window of three sentences
    PARTS + 1: f"the thai nurse saw her\n{FILLER}\n{FILLER}",
}


@pytest.fixture
def corpus(tmp_path):
    return prepared(tmp_path, [TEXTS.get(i, FILLER) for i in range(PARTS + 2)])


def test_contexts_with_one_pole_alone_in_the_parts_of_a_text(corpus):
    words = {PROFESSIONS: ["nurse", "pilot", "dean"], NATIONALITIES: ["Thai"]}
    table = of_text(corpus, words, (["she", "her"], ["he", "him"]))
    assert len(table) == 2 * PARTS * 4
    found = table[table["number"] > 0].set_index(["unit", "term", "pole", "item"])["number"]
    assert found.to_dict() == {
        (PROFESSIONS, "nurse", 1, "1"): 2,  # documents 1 and 21
        (PROFESSIONS, "nurse", -1, "2"): 1,
        (PROFESSIONS, "pilot", -1, "2"): 1,
        (NATIONALITIES, "Thai", 1, "1"): 1,
    }


def test_counts_of_words_in_the_parts_of_a_text(corpus):
    table = frequencies(corpus, ["nurse", "Thai", "dean"])
    assert table.shape == (3, PARTS)
    assert table.loc["nurse"].tolist() == [1, 2, 1, 1] + [0] * (PARTS - 4)
    assert table.loc["Thai"].tolist() == [0, 1] + [0] * (PARTS - 2)
    assert not table.loc["dean"].any()


def test_log_odds_of_pronouns_are_those_of_the_models_next_pieces(tmp_path):
    """The tiny vocabulary spells both after a blank: what is compared are "s" and "h" behind it."""
    tiny_models.write(tmp_path, "gpt2", "causal")
    model = load_model(tmp_path, "causal", device="cpu")
    texts = ["A nurse said", "A cook cried"]
    blank, s, h = (model.tokenizer.convert_tokens_to_ids(piece) for piece in ("Ġ", "s", "h"))
    expected = []
    for text in texts:
        ids = torch.tensor([[*model.tokenizer(text)["input_ids"], blank]])
        with torch.no_grad():
            logits = model.network(ids).logits[0, -1]
        expected.append(float(logits[s] - logits[h]))
    found = pronouns(model, texts, texts)
    np.testing.assert_allclose(found, expected, atol=1e-5)
    assert np.ptp(found) > 1e-4
