"""`python -m bench.accelerator`: extraction in BERT-base's shape on a GPU.

Tokens a second, what share of the card's speed that is, and how far its vectors are from a CPU's.
Weights are random and words made up: neither changes what is computed. `--sentences 200` makes it
small enough to be tried on a CPU.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter

import numpy as np
import torch
from tokenizers import Tokenizer, models, pre_tokenizers, processors
from transformers import BertConfig, PreTrainedTokenizerFast

from bench.report import machine
from socialbias.contextual.extract import extract
from socialbias.contextual.models import Model, load_model

WORDS = 30_000
LENGTHS = (5, 40)  # words of a sentence
COMPARED = 100  # sentences whose vectors are compared with a CPU's
SIDE = 8192  # of the matrices whose product shows what the card can do
ROUNDS = 5


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="python -m bench.accelerator", description=__doc__)
    parser.add_argument("--device", default="auto", help="auto (default), cuda, mps or cpu")
    parser.add_argument("--sentences", type=int, default=20_000)
    parser.add_argument("--tokens-per-batch", type=int, default=65_536)
    options = parser.parse_args()
    with TemporaryDirectory() as folder:
        write(Path(folder))
        models_of = {
            dtype: load_model(Path(folder), "encoder", device=options.device, dtype=dtype, seed=1)
            for dtype in ("bfloat16", "float32")
        }
        on_cpu = load_model(Path(folder), "encoder", device="cpu", seed=1)
    model = models_of["bfloat16"]
    print(f"{machine()}; torch {torch.__version__}; {name_of(model.device)}")
    peak = product_rate(model.device, SIDE if model.device.type != "cpu" else SIDE // 8)
    print(f"a product of matrices in bfloat16: {peak / 1e12:.1f} TFLOP/s")
    texts, spans = made_up(options.sentences)
    size, length = options.tokens_per_batch, sum(LENGTHS) // 2 + 2

    seconds = quickest(lambda: extract(model, texts, spans, layer=12, tokens_per_batch=size), 2)
    tokens = sum(len(text.split()) + 2 for text in texts)
    tell("extract, text to vectors", model, tokens, length, seconds, peak)

    rows = max(1, min(size, tokens) // length)
    ids = torch.randint(5, WORDS, (rows, length), device=model.device)
    with torch.inference_mode():
        seconds = quickest(lambda: model.body(input_ids=ids), ROUNDS)
    tell(f"the network alone, {rows:,} x {length}", model, rows * length, length, seconds, peak)

    expected = extract(on_cpu, texts[:COMPARED], spans[:COMPARED], layer=12).vectors
    for dtype, other in models_of.items():
        found = extract(other, texts[:COMPARED], spans[:COMPARED], layer=12).vectors
        norms = np.linalg.norm(found, axis=1) * np.linalg.norm(expected, axis=1)
        cosines = (found * expected).sum(1) / norms
        print(
            f"{dtype} on {other.device} against float32 on a CPU: at most "
            f"{np.abs(found - expected).max():.1e} apart, cosines at least {cosines.min():.6f}"
        )


def write(folder: Path) -> None:
    """A model of BERT-base's shape with a vocabulary of made-up words."""
    words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *(f"w{i}" for i in range(WORDS))]
    vocabulary = {word: i for i, word in enumerate(words)}
    tokenizer = Tokenizer(models.WordLevel(vocabulary, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.post_processor = processors.BertProcessing(("[SEP]", 3), ("[CLS]", 2))
    PreTrainedTokenizerFast(tokenizer_object=tokenizer, unk_token="[UNK]").save_pretrained(folder)
    BertConfig(vocab_size=len(words)).save_pretrained(folder)


def made_up(n: int) -> tuple[list[str], list[list[tuple[int, int]]]]:
    """Sentences, of each of which the first word is wanted."""
    rng = np.random.default_rng(0)
    lengths = rng.integers(LENGTHS[0], LENGTHS[1] + 1, n)
    texts = [" ".join(f"w{i}" for i in rng.integers(0, WORDS, length)) for length in lengths]
    return texts, [[(0, text.index(" "))] for text in texts]


def flops_of(model: Model, length: int) -> float:
    """Operations for each token of a text of this length: two for a weight, and attention."""
    weights = sum(
        module.weight.numel()
        for name, module in model.body.named_modules()
        if isinstance(module, torch.nn.Linear) and "pooler" not in name
    )
    return 2 * weights + 4 * model.layers * model.width * length


def tell(what: str, model: Model, tokens: int, length: int, seconds: float, peak: float) -> None:
    """One line."""
    rate = tokens / seconds
    speed = rate * flops_of(model, length)
    print(
        f"{what}: {rate:,.0f} tokens/s, {speed / 1e12:.2f} TFLOP/s, "
        f"{speed / peak:.0%} of what the product of matrices reaches"
    )


def product_rate(device: torch.device, side: int) -> float:
    """Operations a second in a product of two square matrices in bfloat16."""
    a = torch.randn(side, side, device=device, dtype=torch.bfloat16)
    return 2 * side**3 / quickest(lambda: a @ a, ROUNDS)


def quickest(function: Callable[[], object], rounds: int) -> float:
    """The least seconds of some calls, after one that is not timed."""
    function()
    times = []
    for _ in range(rounds):
        wait()
        start = perf_counter()
        function()
        wait()
        times.append(perf_counter() - start)
    return min(times)


def wait() -> None:
    """Until the card is done."""
    if torch.cuda.is_available():
        torch.cuda.synchronize()
    elif torch.backends.mps.is_available():
        torch.mps.synchronize()


def name_of(device: torch.device) -> str:
    """The card's name."""
    return torch.cuda.get_device_name(device) if device.type == "cuda" else device.type


if __name__ == "__main__":
    main()
