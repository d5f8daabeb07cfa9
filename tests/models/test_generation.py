"""Samples: drawn as a slow loop draws them, whatever the batch, and resumed to the same bytes."""

import json
from dataclasses import replace

import numpy as np
import pytest
import torch
from tokenizers import Tokenizer, models, pre_tokenizers
from transformers import (
    GPT2Config,
    GPT2LMHeadModel,
    OpenAIGPTConfig,
    OpenAIGPTLMHeadModel,
    PreTrainedTokenizerFast,
)

from socialbias.errors import UserError
from socialbias.models import generation as module
from socialbias.models.generation import Options, generate, sample_tokens
from socialbias.models.loading import Model
from socialbias.models.threads import one_thread
from socialbias.stats.seeding import generator
from tests.worlds.models import full

WORDS = ("<unk>", "<eos>", "the", "nurse", "doctor", "said", ".")
CPU = torch.device("cpu")


def word_level() -> PreTrainedTokenizerFast:
    inner = Tokenizer(models.WordLevel({w: i for i, w in enumerate(WORDS)}, unk_token="<unk>"))
    inner.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    return PreTrainedTokenizerFast(
        tokenizer_object=inner, unk_token="<unk>", bos_token="<eos>", eos_token="<eos>"
    )


def random_gpt2(words: int, tokenizer: PreTrainedTokenizerFast) -> Model:
    """A small GPT-2 with weights so large that what it says depends on all that was said."""
    torch.manual_seed(3)
    config = GPT2Config(
        vocab_size=words, n_positions=12, n_embd=16, n_layer=2, n_head=2, initializer_range=0.4
    )
    network = GPT2LMHeadModel(config).eval()
    return Model("tiny", "causal", network, tokenizer, CPU, 12)


@pytest.fixture(scope="module")
def model() -> Model:
    return random_gpt2(9, word_level())  # two more rows than words


def read(path) -> list[dict]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def slowly(model: Model, number: int, seed: int, tokens: int) -> dict:
    """One sample alone, all of it computed anew for each word, by the definition of a draw."""
    chances, ids = generator(seed, "sample", number).random(tokens), [1]
    for chance in chances:
        with torch.no_grad():
            scores = model.network(torch.tensor([ids])).logits[0, -1, : len(WORDS)]
        weights = np.exp(scores.double().numpy())
        token, bound = 0, weights[0] / weights.sum()
        while chance >= bound:
            token += 1
            bound += weights[token] / weights.sum()
        if token == 1:
            return {"text": " ".join(WORDS[i] for i in ids[1:]), "ended": True}
        ids.append(token)
    return {"text": " ".join(WORDS[i] for i in ids[1:]), "ended": False}


@pytest.mark.parametrize("tokens", [None, 5])
def test_as_a_slow_loop(model, tmp_path, tokens):
    generate(model, tmp_path / "s.jsonl", 25, Options(tokens=tokens, batch=10), 5)
    samples = read(tmp_path / "s.jsonl")
    with one_thread():
        expected = [slowly(model, i, 5, tokens or 12) for i in range(25)]
    assert [s["id"] for s in samples] == list(range(25))
    assert [{"text": s["text"], "ended": s["ended"]} for s in samples] == expected
    assert [s["length"] for s in samples] == [len(s["text"].split()) for s in samples]
    assert {s["ended"] for s in samples} == {True, False}


@pytest.mark.parametrize("spared", [0, 1, 17, 900])
def test_an_interrupted_run_goes_on(model, tmp_path, monkeypatch, spared):
    """Interrupted in its fourth batch, what had arrived cut off at any byte."""
    options = Options(batch=8)
    generate(model, tmp_path / "whole", 50, options, 5)
    whole = (tmp_path / "whole").read_bytes()
    computed, batch = [], module._batch

    def three(*arguments):
        if len(computed) == 3:
            raise KeyboardInterrupt
        computed.append(arguments[3])
        return batch(*arguments)

    path = tmp_path / "again"
    with monkeypatch.context() as patch:
        patch.setattr(module, "_batch", three)
        with pytest.raises(KeyboardInterrupt):
            generate(model, path, 50, options, 5)
    (part,) = tmp_path.glob("again.*.part")
    left = part.read_bytes()
    assert whole.startswith(left)
    assert left.count(b"\n") == 24
    part.write_bytes(left[: len(left) - spared])
    kept = left[: len(left) - spared].count(b"\n")
    monkeypatch.setattr(module, "_batch", lambda *a: computed.append(a[3]) or batch(*a))
    generate(model, path, 50, options, 5)
    assert path.read_bytes() == whole
    assert computed[3].start == kept - kept % 8  # nothing that is there was drawn again
    assert sorted(p.name for p in tmp_path.iterdir()) == ["again", "whole"]


def test_parts_of_other_samples_are_not_used(model):
    other = random_gpt2(9, word_level())
    with torch.no_grad():
        other.network.lm_head.weight[0, 0] += 1e-3
    end = word_level()
    end.eos_token = "."
    asked = [
        (model, 9, Options(), 1),
        (model, 8, Options(), 1),
        (model, 9, Options(tokens=3), 1),
        (model, 9, Options(), 2),
        (other, 9, Options(), 1),
        (replace(model, tokenizer=end), 9, Options(), 1),
    ]
    assert len({module._key(*arguments) for arguments in asked}) == len(asked)


def test_draws_by_hand_and_as_often_as_they_should_come():
    scores = torch.log(torch.tensor([[0.0, 0.2, 0.3, 0.0, 0.5]])).repeat(6, 1)
    chances = torch.tensor([0.0, 0.19, 0.21, 0.49, 0.51, 1 - 2**-53], dtype=torch.float64)
    assert sample_tokens(scores, chances).tolist() == [1, 1, 2, 2, 4, 4]
    shares = torch.tensor([0.05, 0.15, 0.3, 0.5])
    chances = torch.from_numpy(np.random.default_rng(1).random(20_000))
    drawn = sample_tokens(shares.log().repeat(20_000, 1), chances)
    np.testing.assert_allclose(np.bincount(drawn) / 20_000, shares, atol=0.01)


def test_what_cannot_be_drawn_from(model, tmp_path):
    path = tmp_path / "s"
    with pytest.raises(UserError, match="tiny: loaded as encoder: samples need a causal model"):
        generate(replace(model, kind="encoder"), path, 1, Options(), 1)
    with pytest.raises(UserError, match="has no maximum length: set `tokens`"):
        generate(replace(model, limit=None), path, 1, Options(), 1)
    bare = PreTrainedTokenizerFast(tokenizer_object=Tokenizer(models.WordLevel({"a": 0}, "a")))
    with pytest.raises(UserError, match="no token for the beginning or end"):
        generate(replace(model, tokenizer=bare), path, 1, Options(), 1)

    model = random_gpt2(9, word_level())
    model.network.forward = full
    with pytest.raises(UserError, match="1 samples of 0 tokens do not fit on cpu: lower `batch`"):
        generate(model, path, 1, Options(), 1)
    assert not path.exists()


class Forgetful(GPT2LMHeadModel):
    """It takes what was kept of the words before, and does not look at it."""

    def forward(self, ids, past_key_values=None, **options):
        return super().forward(ids)


def test_a_model_that_would_see_one_word_alone_is_refused(model, tmp_path):
    config = OpenAIGPTConfig(vocab_size=9, n_positions=12, n_embd=16, n_layer=2, n_head=2)
    gpt = replace(model, network=OpenAIGPTLMHeadModel(config).eval())
    forgetful = replace(model, network=Forgetful(model.network.config).eval())
    for one in (gpt, forgetful):
        with pytest.raises(UserError, match="does not support `past_key_values`") as caught:
            generate(one, tmp_path / "s", 3, Options(), 1)
        assert "\n" not in str(caught.value)
    assert not (tmp_path / "s").exists()
