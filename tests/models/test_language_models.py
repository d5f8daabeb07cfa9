"""Small language models: their words, what they learn from, and the folders they come in."""

import json
from dataclasses import replace

import numpy as np
import pytest
import torch

from socialbias.corpora.prepared import Corpus
from socialbias.errors import UserError
from socialbias.models.language_models import train_bert, train_gpt2
from socialbias.models.objectives import (
    GPT2_SPECIAL,
    Causal,
    Masked,
    Options,
    Text,
    _Candidates,
    vocabulary,
)
from tests.worlds import corpus

TINY = Options(words=50, width=16, heads=2, layers=1, length=16, batch=8, learning_rate=0.02)


@pytest.fixture(scope="module")
def round_and_round(tmp_path_factory) -> Corpus:
    """20 words that always follow each other in the same order; a text begins with any of them."""
    rng = np.random.default_rng(1)
    texts = [
        " ".join(f"w{(start + i) % 20}" for i in range(60)) for start in rng.integers(0, 20, 60)
    ]
    return corpus(tmp_path_factory.mktemp("corpus"), texts)


@pytest.fixture(scope="module")
def gpt2(round_and_round, tmp_path_factory):
    folder = tmp_path_factory.mktemp("models") / "gpt2"
    report = train_gpt2(round_and_round, folder, replace(TINY, epochs=4), 1)
    return folder, report


@pytest.fixture(scope="module")
def bert(round_and_round, tmp_path_factory):
    folder = tmp_path_factory.mktemp("models") / "bert"
    options = replace(TINY, width=32, learning_rate=0.005, masked=0.3, epochs=12)
    report = train_bert(round_and_round, folder, options, 1)
    return folder, report


def test_words_of_a_model(tmp_path):
    made = corpus(tmp_path, ["the nurse saw the doctor <unk> the nurse the <unk> <unk> saw"])
    assert made.words == ("the", "<unk>", "nurse", "saw", "doctor")
    known = vocabulary(made, 3, GPT2_SPECIAL, ["doctor", "absent"])
    assert known.words == ("<unk>", "<eos>", "the", "nurse", "doctor")
    assert known.numbers.tolist() == [2, 0, 3, 0, 4]
    assert known.number("eos_token") == 1


def test_the_tokenizer_cuts_at_white_space(tmp_path):
    made = corpus(tmp_path, ["she said : `` can't ! '' she"])
    tokenizer = vocabulary(made, 8, GPT2_SPECIAL).tokenizer(lower=True, length=9)
    pieces = tokenizer("She  said :\n can't xyz!", return_offsets_mapping=True)
    words = tokenizer.convert_ids_to_tokens(pieces["input_ids"])
    assert words == ["she", "said", ":", "can't", "<unk>"]
    assert pieces["offset_mapping"] == [(0, 3), (5, 9), (10, 11), (13, 18), (19, 23)]
    assert tokenizer.decode(pieces["input_ids"]) == "she said : can't <unk>"


def test_a_stream_has_a_mark_around_each_document(tmp_path):
    made = corpus(tmp_path, ["a b", "a", "b b a", "a a a"])  # a occurs six times, b three
    options = Options(words=2, length=2, held_out=0.25)
    known = vocabulary(made, 2, GPT2_SPECIAL)
    text = Text.of(made, known, options, "eos_token", 1)
    a, b = 2, 3
    assert text.train.tolist() == [1, a, b, 1, a, 1, b, b, a, 1]
    assert text.test.tolist() == [1, a, a, a, 1]
    assert text.summary()["documents"] == 3
    assert text.summary()["unknown"] == 0
    np.testing.assert_allclose(text.unigram() * 14, [1, 5, 4, 4])  # each once more than it occurs


def test_passages_are_whole_sentences(tmp_path):
    made = corpus(tmp_path, ["a b . a . a b b b b . a .", "b . a .", "a"])
    lengths = np.diff(made.sentences).tolist()
    if lengths != [3, 2, 6, 2, 2, 2, 1]:
        made = replace(made, sentences=np.cumsum([0, 3, 2, 6, 2, 2, 2, 1]))
    known = vocabulary(made, 3, GPT2_SPECIAL)
    options = Options(length=4, passage=5, held_out=0.1)
    text = Text.of(made, known, options, "eos_token", 1)
    words = " ".join(known.words[i] for i in text.train)
    expected = "<eos> a b . a . <eos> a b b b b . <eos> a . <eos> b . a . <eos>"
    assert words == expected


def test_both_learn_what_stands_in_a_place(gpt2, bert):
    _, report = gpt2
    # Each word leaves one that can follow, but for the first of a block and a document's end.
    assert report["perplexity"] < 1.6
    assert report["unigram_perplexity"] == pytest.approx(20, rel=0.15)
    assert report["vocabulary"] == 20
    assert report["documents"] == 57
    assert report["held_out"] == 3 * 61
    assert report["trained"] == 4 * (57 * 61 // 16) * 16
    _, report = bert
    assert report["perplexity"] < 4
    assert report["unigram_perplexity"] == pytest.approx(20, rel=0.15)


def test_held_out_loss_as_transformers_computes_it(round_and_round):
    task = Causal(round_and_round, TINY, 3)
    stream = torch.from_numpy(task.text.test)
    total = 0.0
    for first in range(0, len(stream) - 1, 16):
        block = stream[first : first + 17][None]
        scores = task.network(block[:, :-1]).logits.log_softmax(2)
        total -= scores[0].gather(1, block[0, 1:, None]).sum().item()
    n, loss, unigram = task.held_out()
    assert n == len(stream) - 1 == 183
    assert loss == pytest.approx(total / n, rel=1e-5)
    counts = np.bincount(task.text.train, minlength=22) + 1
    assert unigram == pytest.approx(-np.log(counts / counts.sum())[stream[1:]].mean())


def test_few_candidates_stand_for_all_words():
    """The sum over candidates, each divided by its chance, is that over all words on average."""
    rng = np.random.default_rng(2)
    unigram = 1 / np.arange(1, 201)
    unigram /= unigram.sum()
    candidates, scores = _Candidates(unigram, 30), torch.from_numpy(rng.normal(size=200)).exp()
    assert candidates.fewer(40)
    assert not candidates.fewer(180)
    assert not _Candidates(unigram, 0).fewer(1)
    sums, most = [], 0
    for _ in range(1000):
        goals = torch.from_numpy(rng.choice(200, 40, p=unigram))
        chosen, places, chances = candidates.draw(goals, rng)
        assert (chosen[places] == goals).all()
        sums.append((scores[chosen] / chances).sum().item())
        most = max(most, len(chosen))
    assert most < 70
    assert np.mean(sums) == pytest.approx(scores.sum().item(), rel=0.05)


def test_words_that_are_masked(round_and_round):
    task = Masked(round_and_round, TINY, 1)
    rows = np.random.default_rng(1).integers(0, 25, (4000, 10))
    goals, shown = task._mask(rows, np.random.default_rng(2))
    assert goals.shape == shown.shape == (4000, 12)
    assert (shown[:, 0] == 2).all()  # [CLS]
    assert (shown[:, -1] == 3).all()  # [SEP]
    asked, given = goals[:, 1:-1] >= 0, shown[:, 1:-1]
    np.testing.assert_array_equal(goals[:, 1:-1][asked], rows[asked])
    np.testing.assert_array_equal(given[~asked], rows[~asked])
    assert not asked[rows < 5].any()  # special ones
    assert asked[rows >= 5].mean() == pytest.approx(0.15, abs=0.01)
    assert (given[asked] == 4).mean() == pytest.approx(0.8, abs=0.02)
    same = (given == rows)[asked].mean()
    assert same == pytest.approx(0.1 + 0.1 / 20, abs=0.02)
    assert (goals[:, [0, -1]] == -1).all()


@pytest.mark.parametrize("train", [train_gpt2, train_bert])
def test_the_same_bytes_again(round_and_round, tmp_path, train):
    options = replace(TINY, epochs=0.2, noise=3, batch=1)
    for name, seed in (("a", 1), ("b", 1), ("c", 2)):
        torch.rand(len(name) + seed)  # torch's own state makes no difference
        train(round_and_round, tmp_path / name, options, seed)
    weights = {name: (tmp_path / name / "model.safetensors").read_bytes() for name in "abc"}
    assert weights["a"] == weights["b"] != weights["c"]
    report = json.loads((tmp_path / "a/report.json").read_text("utf-8"))
    assert report["options"]["epochs"] == 0.2
    assert report["seconds"] > 0


def test_too_little_text(tmp_path):
    one = corpus(tmp_path / "one", ["a b c"])
    with pytest.raises(UserError, match="a single document"):
        train_gpt2(one, tmp_path / "m", TINY, 1)
    few = corpus(tmp_path / "few", ["a b c", "a b"])
    with pytest.raises(UserError, match="training part has 5 tokens, fewer than a block of 16"):
        train_bert(few, tmp_path / "m", TINY, 1)
