"""Scores of random models: against plain passes, in any batch and order."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch

from socialbias.errors import UserError
from socialbias.models import masked_scoring, token_scores
from socialbias.models.items import Intersentence, Intrasentence, Pair
from socialbias.models.loading import Model, load_model
from socialbias.models.scoring import score
from socialbias.models.scoring_methods import scorings_for
from socialbias.models.token_scores import Row, TokenScorer
from tests.shortened import later
from tests.worlds.models import folder_of, full

MASKED, CAUSAL = ("bert", "roberta", "albert", "xlnet"), ("gpt2", "llama", "opt")
ITEMS = [
    Intrasentence("the BLANK.", ("nurse", "businesswoman", "nurses")),
    Intrasentence("a nurse, the BLANK", ("nurse", "man", "woman")),
    Intrasentence("BLANK the nurse", ("the", "woman", "is a")),
    Intersentence("the nurse.", ("a man", "a nurse.", "the")),
    Intersentence("nurse", ("the woman", "the man", "the nurse")),
    Pair(("the nurse.", "the woman.")),
    Pair(("a man is", "a woman is")),
]
TYPES = (Intrasentence, Intersentence, Pair)


@pytest.fixture(scope="module")
def folders() -> dict[str, Path]:
    # transformers has no masked form of XLNet.
    heads = {name: "causal" if name in (*CAUSAL, "xlnet") else "masked" for name in MASKED + CAUSAL}
    made = {name: folder_of(name, head) for name, head in heads.items()}
    return made | {"next-sentence": folder_of("bert", "next-sentence")}


def load(folders: dict[str, Path], name: str) -> Model:
    kind = "masked" if name in MASKED else "causal" if name in CAUSAL else name
    return load_model(folders[name], kind, device="cpu")


@pytest.fixture(autouse=True)
def no_prompt(monkeypatch):
    monkeypatch.setattr(masked_scoring, "PROMPT", "")


def all_scores(scorer: TokenScorer, items: list) -> dict:
    found = {}
    for kind in TYPES:
        chosen = [item for item in items if type(item) is kind]
        names = scorings_for(scorer.model.kind, kind)
        scores = score(scorer, chosen, names)
        found |= {(kind, name): x for name, x in scores.items()}
    return found


def test_next_sentence_against_plain_passes(folders):
    model = load(folders, "next-sentence")
    items = [item for item in ITEMS if type(item) is Intersentence]
    found = score(TokenScorer(model), items, ["next_sentence"])["next_sentence"]
    for item, values in zip(items, found.values, strict=True):
        for text, value in zip(item.sentences, values, strict=True):
            with torch.no_grad():
                inputs = model.tokenizer(
                    item.context, text, return_tensors="pt", return_token_type_ids=True
                )
                logits = model.network(**inputs).logits[0]
            assert value == pytest.approx(float(logits[0] - logits[1]), abs=1e-4)


@pytest.mark.parametrize(
    "name",
    later(["bert", "gpt2", "xlnet", "next-sentence", "roberta", "albert", "llama", "opt"], 2),
)
def test_same_decisions_in_any_batch_and_order(folders, name):
    model = load(folders, name)
    with torch.no_grad():  # candidates nearly tie
        model.network.get_output_embeddings().weight.mul_(1e-2) if name in CAUSAL else None
    expected = all_scores(TokenScorer(model, share=False, tokens_per_batch=1), ITEMS)
    order = np.random.default_rng(1).permutation(len(ITEMS))
    shuffled = [ITEMS[i] for i in order]
    for budget in (16, 1000):
        found = all_scores(TokenScorer(model, tokens_per_batch=budget), shuffled)
        for (kind, scoring), scores in found.items():
            places = [i for i, item in enumerate(ITEMS) if type(item) is kind]
            where = [places.index(i) for i in order if i in places]
            wanted = expected[kind, scoring]
            assert (ranks(scores.values) == ranks(wanted.values[where])).all()
            both = scores.again & wanted.again[where]
            assert (scores.values[both] == wanted.values[where][both]).all()
    if name in CAUSAL:
        assert any(scores.again.any() for scores in expected.values())


def ranks(values: np.ndarray) -> np.ndarray:
    return values[:, :, None] > values[:, None, :]


def test_no_sharing_where_a_model_ignores_the_mask(folders, monkeypatch):
    model = load(folders, "llama")
    assert TokenScorer(model).shares
    everything = token_scores._mask
    monkeypatch.setattr(token_scores, "_mask", lambda *x: torch.zeros_like(everything(*x)))
    assert not TokenScorer(model).shares


def test_out_of_memory(folders, monkeypatch):
    model = load(folders, "gpt2")
    expected = all_scores(TokenScorer(model), ITEMS)
    run = token_scores._log_probabilities

    def little_memory(network, device, trees):
        if sum(len(tree.ids) for tree in trees) > 60:
            raise torch.OutOfMemoryError("out of memory")
        return run(network, device, trees)

    monkeypatch.setattr(token_scores, "_log_probabilities", little_memory)
    found = all_scores(TokenScorer(model), ITEMS)
    for key, scores in found.items():
        assert scores.values == pytest.approx(expected[key].values, abs=1e-3)


@pytest.mark.parametrize("name", ["gpt2", "bert"])
def test_float64_goes_to_the_cpu_where_a_card_has_no_room_for_it(folders, name):
    rows = [Row((1, 2, 3), (0, 1), (2, 3)), Row((1, 2), (0,), (4,))]
    expected = TokenScorer(load(folders, name)).exact(rows)
    said, tried = [], []
    scorer = TokenScorer(load(folders, name), log=said.append)
    read = scorer._read

    def on_a_full_card(network, device, trees):
        tried.append(device.type)
        if device.type == "cuda":
            raise torch.OutOfMemoryError("CUDA out of memory")
        return read(network, device, trees)

    scorer._read, scorer._exact_on = on_a_full_card, torch.device("cuda")
    scorer.__dict__["_double"] = None  # the copy that was on the card
    found = scorer.exact(rows)
    assert tried == ["cuda", "cpu", "cpu"]
    assert all(np.array_equal(a, b) for a, b in zip(found, expected, strict=True))
    assert said == [f"{scorer.model.name}: no room for float64 on cuda: close scores by the CPU"]


def test_what_does_not_fit(folders):
    scorer = TokenScorer(load(folders, "gpt2"))
    item = Intrasentence("nurse" * 40 + " BLANK", ("man", "woman"))
    with pytest.raises(UserError, match="pieces and the model takes 24"):
        score(scorer, [item], ["sentence_sum"])
    scorer._read = full
    with pytest.raises(UserError, match="a text of 2 pieces does not fit into the memory of cpu"):
        scorer.exact([Row((1, 2), (0,), (4,))])
