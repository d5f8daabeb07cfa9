"""Masked scores, worked out by hand for a model that is a table."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from socialbias.errors import UserError
from socialbias.models import masked_scoring
from socialbias.models.items import Intersentence, Intrasentence, Item, Pair
from socialbias.models.loading import load_model
from socialbias.models.scoring import Scores, score
from socialbias.models.token_scores import TokenScorer
from tests import tiny_models
from tests.table_model import table_model

# What is predicted in a text at a place, `[CLS]` being place 0.
TABLE = {
    ("he is [MASK] .", 3): {"un": 1 / 2, "old": 1 / 8},
    ("he is un [MASK] .", 4): {"##kind": 1 / 16},
    ("he is [MASK] [MASK] .", 3): {"un": 1 / 8},
    ("[MASK] is un ##kind .", 1): {"he": 1 / 2},
    ("he [MASK] un ##kind .", 2): {"is": 1 / 4},
    ("he is un ##kind [MASK]", 5): {".": 1 / 8},
    ("[MASK] is old .", 1): {"he": 1 / 4, "she": 1 / 32},
    ("he [MASK] old .", 2): {"is": 1 / 4},
    ("he is old [MASK]", 4): {".": 1 / 2},
    ("[MASK] is [MASK] .", 1): {"old": 1 / 4},
    ("[MASK] is [MASK] .", 3): {"old": 1 / 64},
    ("old is [MASK] .", 3): {"old": 1 / 2},
    ("she [MASK] old .", 2): {"is": 1 / 2},
    ("he is [MASK] . ", 3): {"old": 1 / 8},
    ("she is [MASK] .", 3): {"old": 1 / 2},
    ("she is old [MASK]", 4): {".": 1 / 4},
    ("[MASK] is . [SEP] she was good", 1): {"he": 1 / 2},
    ("he [MASK] . [SEP] she was good", 2): {"is": 1 / 4},
    ("he is [MASK] [SEP] she was good", 3): {".": 1 / 8},
    ("[MASK] is . [SEP] old", 1): {"he": 1 / 4},
    ("he [MASK] . [SEP] old", 2): {"is": 1 / 8},
    ("he is [MASK] [SEP] old", 3): {".": 1 / 4},
}


def predict(words: list[str], place: int, position: int) -> dict[str, float]:
    return TABLE.get((" ".join(words[1:-1]), place), {})


@pytest.fixture(scope="module")
def scorer() -> TokenScorer:
    return TokenScorer(table_model("masked", predict))


def one(scorer: TokenScorer, scoring: str, *items: Item) -> Scores:
    return score(scorer, items, [scoring])[scoring]


def powers(scores: Scores) -> list[float]:
    return (scores.values / np.log(2)).ravel().tolist()


def test_likelihood(scorer):
    item = Intrasentence("he is BLANK.", ("unkind", "old"))
    # un 1/2 with nothing after it, then kind 1/16; old 1/8.
    assert one(scorer, "likelihood_released", item).values[0] == pytest.approx([9 / 32, 1 / 8])
    quoted = Intrasentence("he is BLANK.", ("'unkind'", "old"))  # the code leaves out the quotes
    assert one(scorer, "likelihood_released", quoted).values[0] == pytest.approx([9 / 32, 1 / 8])
    # un 1/8 with a mask after it, then kind 1/16; old 1/8: the other one is preferred.
    assert powers(one(scorer, "likelihood_corrected", item)) == pytest.approx([-3.5, -3])


def test_two_gaps(scorer):
    item = Intrasentence("BLANK is BLANK.", ("old",))
    # Released: both are masked and the first is scored. Corrected: the second given the first.
    assert one(scorer, "likelihood_released", item).values[0] == pytest.approx([1 / 4])
    assert powers(one(scorer, "likelihood_corrected", item)) == pytest.approx([(-2 - 1) / 2])


def test_pseudo_likelihood_of_a_sentence_a_context_and_a_pair(scorer):
    item = Intrasentence("he is BLANK.", ("unkind", "old"))
    # he 1/2, is 1/4, full stop 1/8; he 1/4, is 1/4, full stop 1/2.
    assert powers(one(scorer, "pseudo_likelihood", item)) == pytest.approx([-6, -5])
    item = Intersentence("he is.", ("she was good", "old"))
    # he 1/2, is 1/4, full stop 1/8; he 1/4, is 1/8, full stop 1/4.
    assert powers(one(scorer, "pseudo_likelihood", item)) == pytest.approx([-6, -7])
    # is 1/4, old 1/8, full stop 1/2; is 1/2, old 1/2, full stop 1/4: never he or she.
    item = Pair(("he is old.", "she is old."))
    assert powers(one(scorer, "pseudo_likelihood", item)) == pytest.approx([-6, -4])


def test_the_space_before_the_attribute(tmp_path):
    model = load_model(tiny_models.write(tmp_path, "roberta", "masked"), "masked", device="cpu")
    names = model.tokenizer.convert_ids_to_tokens
    item = Intrasentence("the BLANK is", ("nurse",))
    released = masked_scoring.likelihood_released(model, item, 0)
    assert names([row.targets[0] for row in released]) == ["nurse"]
    corrected = masked_scoring.likelihood_corrected(model, item, 0)
    assert names([row.targets[0] for row in corrected]) == ["Ġnurse"]


def test_a_prompt_is_read_and_not_scored(tmp_path, monkeypatch):
    model = load_model(tiny_models.write(tmp_path, "xlnet", "causal"), "masked", device="cpu")
    assert masked_scoring.default_prompt(model)
    item = Intrasentence("the BLANK", ("nurse",))
    for prompt, before in (("", 0), ("a b", 5)):  # ▁, a, ▁, b, <sep>
        monkeypatch.setattr(masked_scoring, "PROMPT", prompt)
        rows = masked_scoring.pseudo_likelihood(model, item, 0)
        targets = [target for row in rows for target in row.targets]
        assert model.tokenizer.convert_ids_to_tokens(targets) == ["▁the"]
        assert rows[0].places == (before,)
        assert len(rows[0].ids) == before + 4  # the, nurse, <sep>, <cls>


def test_unusable(scorer):
    model = table_model("masked", predict)
    model.tokenizer.mask_token = None
    item = Intrasentence("he is BLANK.", ("old",))
    slow = SimpleNamespace(is_fast=False, mask_token_id=4)
    with pytest.raises(UserError, match="does not map pieces to characters"):
        one(TokenScorer(replace(model, tokenizer=slow)), "pseudo_likelihood", item)
    with pytest.raises(UserError, match="no mask token, which scoring pseudo_likelihood needs"):
        one(TokenScorer(model), "pseudo_likelihood", item)
    with pytest.raises(UserError, match="needs a causal model, but this one is loaded as masked"):
        one(scorer, "sentence_sum", item)
    with pytest.raises(UserError, match="has no BLANK"):
        one(scorer, "pseudo_likelihood", Intrasentence("he is", ("old",)))
    with pytest.raises(UserError, match="has no tokens"):
        one(scorer, "likelihood_released", Intrasentence("he is BLANK", ("?",)))
    with pytest.raises(UserError, match="is not the context"):
        one(scorer, "likelihood_released", Intrasentence("he is BLANK", ("old",), ("he",)))
    with pytest.raises(UserError, match="differ in their number of candidates"):
        score(scorer, [item, Intrasentence("he is BLANK", ("old", "un"))], ["pseudo_likelihood"])
