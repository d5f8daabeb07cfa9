"""How fast a device is: products of matrices, and models of real shapes with random weights."""

from dataclasses import replace
from time import perf_counter

import numpy as np
import pytest
import torch
from torch import nn
from torch.optim.optimizer import register_optimizer_step_post_hook

from socialbias.contextual.extract import extract
from socialbias.contextual.fine_tuning import NEXT_SENTENCE, Examples, fine_tune
from socialbias.contextual.models import DTYPES, load_model, save_model
from tests.gpu import made_up
from tests.gpu.test_device import SEED, TOLERANCE

LEAST = {"cuda": 2.0, "mps": 2.0, "cpu": 1.0}  # seconds of what is timed
MOST_SIDE, MOST_TEXTS = 16_384, 262_144
STEPS = 120  # in an epoch, at the end of which a checkpoint is written


def timed(function, device):
    """Seconds until a function and what it asked of the device are done."""
    wait(device)
    started = perf_counter()
    function()
    wait(device)
    return perf_counter() - started


def wait(device):
    if device.type == "cuda":
        torch.cuda.synchronize(device)
    elif device.type == "mps":
        torch.mps.synchronize()


@pytest.mark.parametrize("dtype", TOLERANCE)
def test_product(setting, record_property, dtype):
    """Operations a second in a product of two matrices that is large enough to be timed."""
    device, side, seconds = torch.device(setting.device), 256, 0.0
    torch.backends.cuda.matmul.allow_tf32 = dtype == "tf32"
    while seconds < LEAST[device.type] / 20 and side < MOST_SIDE:
        side *= 2
        a = torch.randn(side, side, device=device).to(DTYPES[dtype])
        seconds = min(timed(lambda a=a: a @ a, device) for _ in range(3))
    torch.backends.cuda.matmul.allow_tf32 = False
    record_property("flops", {dtype: 2 * side**3 / seconds})
    record_property("rates", {})


def rate(name, dtype, model, tokens, length, seconds, passes=1):
    """A rate as it is written: tokens and operations a second, and the most memory of the card.

    Two operations for each weight of a matrix of the blocks, and four times the width for each
    token that is attended to.
    """
    blocks = next(x for x in model.body.modules() if isinstance(x, nn.ModuleList))
    weights = sum(p.numel() for p in blocks.parameters() if p.dim() == 2)
    each = 2 * weights + 4 * model.layers * model.width * length
    peak = (
        torch.cuda.max_memory_allocated(model.device) / 1e6 if model.device.type == "cuda" else None
    )
    facts = {"name": name, "dtype": dtype, "tokens": tokens / seconds}
    return {
        f"{name}, {dtype}": facts | {"flops": tokens / seconds * each * passes, "peak_mb": peak}
    }


def timed_texts(model, run):
    """The pieces of each text of as many as take long enough, and the seconds."""
    n, seconds = 1, 0.0
    while seconds < LEAST[model.device.type] and n < MOST_TEXTS:
        n *= 2
        rng = np.random.default_rng(SEED)
        texts = made_up.sentences(n, rng, words=made_up.REAL_WORDS, lengths=made_up.LENGTHS)
        if n == 2:
            run(texts)  # the first call takes longer
        reset_peak(model.device)
        seconds = timed(lambda texts=texts: run(texts), model.device)
    return texts, seconds


def reset_peak(device):
    if device.type == "cuda":
        torch.cuda.reset_peak_memory_stats(device)


@pytest.mark.parametrize("dtype", TOLERANCE)
def test_extraction(setting, record_property, dtype):
    """Extraction of a word of each sentence by BERT-base, from its last layer."""
    made_up.real_shape(setting.work / "bert-base", "bert")
    model = setting.model("bert-base", "encoder", SEED)

    def run(texts):
        extract(model, texts, [made_up.spans_of(text)[:1] for text in texts], layer=12)

    texts, seconds = timed_texts(model, run)
    tokens = sum(map(len, model.tokenizer(texts)["input_ids"]))
    name, length = "extraction, BERT-base", tokens / len(texts)
    record_property("rates", rate(name, dtype, model, tokens, length, seconds))


class Enough(Exception):
    """Enough steps were timed."""


@pytest.mark.parametrize("dtype", TOLERANCE)
def test_training(setting, record_property, dtype):
    """Steps of next-sentence training of BERT-base, on pairs of about 60 pieces."""
    device = torch.device(setting.device)
    if device.type == "cpu" and dtype != "float32":
        pytest.skip("a step takes a CPU too long to take it twice")
    folder = made_up.real_shape(setting.work / "training", "bert")
    model = load_model(folder, "encoder", device=setting.device, seed=SEED)
    if not (folder / "model.safetensors").exists():
        save_model(model, folder)
    options = replace(NEXT_SENTENCE, dtype=dtype)
    options = replace(options, batch=2) if device.type == "cpu" else options
    rng, pairs = np.random.default_rng(SEED), options.batch * STEPS
    size = {"words": made_up.REAL_WORDS, "lengths": (15, 40)}
    firsts, seconds = (made_up.sentences(pairs, rng, **size) for _ in range(2))
    train = Examples(firsts, np.arange(pairs) % 2, seconds)
    held_out, times = Examples(firsts[:2], [0, 1], seconds[:2]), []

    def stepped(*_):
        wait(device)
        times.append(perf_counter())
        enough = len(times) > 2 and times[-1] - times[0] > LEAST[device.type]
        if enough or len(times) == STEPS - 1:
            raise Enough

    handle = register_optimizer_step_post_hook(stepped)
    reset_peak(device)
    with pytest.raises(Enough):
        fine_tune(folder, train, held_out, folder / dtype, options, SEED, device=setting.device)
    handle.remove()
    length = np.mean([len(ids) for ids in model.tokenizer(firsts, seconds)["input_ids"]])
    tokens, name = length * options.batch * (len(times) - 1), "next-sentence training, BERT-base"
    done = times[-1] - times[0]
    record_property("rates", rate(name, dtype, model, tokens, length, done, passes=3))
