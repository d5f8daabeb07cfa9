"""Fine-tuning: what it learns, and that it continues where it was killed."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from socialbias.errors import UserError
from socialbias.models import fine_tuning as module
from socialbias.models import training as training_loop
from socialbias.models.fine_tuning import (
    NEXT_SENTENCE,
    SENTIMENT,
    Examples,
    Options,
    fine_tune,
    load_classifier,
)
from socialbias.models.loading import load_model
from tests.shortened import later
from tests.worlds.models import check_continues_where_it_is_killed, contents, folder_of

TINY = Options(epochs=3, batch=6, learning_rate=3e-3, hidden=(5,), warmup=2, checkpoint=2)
WORDS = ["the", "nurse", "business", "woman", "a", "b", "c"]


def sentiment(n: int, seed: int, words=WORDS) -> Examples:
    """Texts of words; the class is whether `nurse` is among them."""
    rng = np.random.default_rng(seed)
    texts = [" ".join(rng.choice(words, 4)) for _ in range(n)]
    return Examples(texts, ["nurse" in text for text in texts])


def of_six_pieces(n: int, seed: int) -> Examples:
    """Texts of four words, each of which is a piece, between two special ones."""
    return sentiment(n, seed, ["the", "nurse", "a", "b"])


def next_sentence(n: int, seed: int) -> Examples:
    """Pairs of which the second follows if it has the same word as the first."""
    rng = np.random.default_rng(seed)
    firsts = rng.choice(WORDS, n).tolist()
    seconds = [w if rng.random() < 0.5 else str(rng.choice(WORDS)) for w in firsts]
    return Examples(firsts, [a == b for a, b in zip(firsts, seconds, strict=True)], seconds)


TASKS = {
    "sentiment": (sentiment, replace(SENTIMENT, epochs=2, batch=6, checkpoint=2)),
    "next sentence": (next_sentence, replace(NEXT_SENTENCE, epochs=2, batch=6, checkpoint=2)),
}


@pytest.fixture(scope="module")
def bert() -> Path:
    return folder_of("bert")


def run(folder: Path, out: Path, make, options: Options, **more) -> dict:
    return fine_tune(folder, make(20, 1), make(30, 2), out, options, 1, device="cpu", **more)


@pytest.mark.parametrize(
    ("task", "step"),
    later([("sentiment", 2), ("next sentence", 6), ("sentiment", 6), ("next sentence", 4)], 2),
)
def test_a_killed_run_continues_to_the_same_bytes(bert, tmp_path, task, step):
    make, options = TASKS[task]
    check_continues_where_it_is_killed(
        lambda out, **more: run(bert, out, make, options, **more), tmp_path, step
    )


def test_the_best_epoch_is_kept(bert, tmp_path, monkeypatch):
    """Of accuracies 0.5, 0.8, 0.8, 0.7 the second is the best; two more epochs are not better."""
    shares = iter([0.5, 0.8, 0.8, 0.7])
    found, kept = module._accuracy, []

    def accuracy(classifier, examples, threads=1):
        result = found(classifier, examples, threads)
        if len(examples.texts) == 15:
            kept.append([p.clone() for p in classifier.head.parameters()])
            return replace(result, share=next(shares))
        return result

    monkeypatch.setattr(module, "_accuracy", accuracy)
    options = replace(TINY, epochs=9, patience=2)
    report = run(bert, tmp_path / "out", sentiment, options, development=sentiment(15, 3))
    assert report["epochs"] == 4
    head = load_classifier(tmp_path / "out", "cpu").head
    assert all(torch.equal(a, b) for a, b in zip(head.parameters(), kept[1], strict=True))
    assert not all(torch.equal(a, b) for a, b in zip(head.parameters(), kept[3], strict=True))


def test_a_batch_in_parts_has_the_same_gradient(bert, tmp_path):
    model = load_model(bert, "encoder", device="cpu")  # in evaluation mode: without dropout
    training = module._ClassifierTraining(sentiment(20, 1), TINY, 1, 2, print, model, tmp_path)
    parameters, found = list(model.network.parameters()), []
    everything = np.arange(20)[::-1]
    for parts in ([[*range(20)]], [[*range(7)], [*range(7, 20)]]):
        training._optimizer.zero_grad()
        losses = [training._gradient(everything, part) for part in parts]
        found.append([sum(losses), *(p.grad.clone() for p in parameters if p.grad is not None)])
    assert len(found[0]) > 10
    for one, other in zip(*found, strict=True):
        np.testing.assert_allclose(one, other, atol=1e-6)
    logits = training.classifier.log_probabilities(sentiment(20, 1).texts)
    truth = logits[np.arange(20), np.array(sentiment(20, 1).labels, int)]
    assert found[0][0] == pytest.approx(-truth.mean(), abs=1e-5)


@pytest.fixture
def card(monkeypatch):
    """A device that runs out of memory in the backward pass of more than so many pieces."""
    gradient = module._ClassifierTraining._gradient

    def limited(most: int) -> list[int]:
        tried = []

        def within(self, examples, part):
            tried.append(sum(len(self._rows[examples[i]][0]) for i in part))
            loss = gradient(self, examples, part)  # what it has added must not count twice
            if tried[-1] > most:
                raise torch.OutOfMemoryError("CUDA out of memory")
            return loss

        monkeypatch.setattr(module._ClassifierTraining, "_gradient", within)
        return tried

    return limited


def test_parts_are_halved_when_memory_runs_out(bert, tmp_path, card):
    options, said = replace(TINY, batch=20), []
    card(10**9)
    halved = run(bert, tmp_path / "given", of_six_pieces, replace(options, tokens=30))
    tried = card(40)
    report = run(bert, tmp_path / "found", of_six_pieces, options, log=said.append)
    # Of 20 texts in a step neither 20 nor 10 fit at once, but 5 do.
    assert [n for n in tried if n > 40] == [120, 60]
    assert len(tried) == 2 + 3 * 4
    assert report["tokens"] == 30
    now = [line.partition("now ")[2] for line in said if "memory" in line]
    assert now == ["60 pieces at once", "30 pieces at once"]
    weights = "model.safetensors"
    assert contents(tmp_path / "found")[weights] == contents(tmp_path / "given")[weights]
    assert report["loss"] == halved["loss"]
    card(3)
    with pytest.raises(UserError, match=r"a text of 6 pieces does not fit .* set checkpointing"):
        run(bert, tmp_path / "out", of_six_pieces, TINY)


def test_the_rates_of_both_recipes():
    rates = [
        training_loop._schedule(step, 1500, NEXT_SENTENCE) for step in (0, 249, 499, 1000, 1499)
    ]
    assert rates == pytest.approx([1 / 500, 1 / 2, 1, 1 / 2, 1 / 1000])
    assert {training_loop._schedule(step, 70, SENTIMENT) for step in range(70)} == {1.0}


def test_a_complete_run_is_not_repeated(bert, tmp_path, monkeypatch):
    report = run(bert, tmp_path / "out", sentiment, replace(TINY, epochs=1))
    monkeypatch.setattr(training_loop, "load_model", None)
    assert run(bert, tmp_path / "out", sentiment, replace(TINY, epochs=1)) == report


def test_what_cannot_be_trained(bert, tmp_path):
    out, some = tmp_path / "out", Examples(["a", "b"], [0, 1])
    with pytest.raises(UserError, match="held-out part has no example"):
        fine_tune(bert, some, Examples([], []), out, TINY, 1)
    with pytest.raises(UserError, match=r"no head\.json"):
        load_classifier(bert)
    key = module._key(bert, (some, some, None), TINY, 1, 2)
    work = tmp_path / f"out.{key[:8]}.part"
    work.mkdir()
    (work / "checkpoint.pt").write_bytes(b"something else")
    with pytest.raises(UserError, match="not a checkpoint"):
        fine_tune(bert, some, some, out, TINY, 1, device="cpu")
