"""Each path on the device against a CPU in float64, a device that is full, and its speed."""

import json
import os
import subprocess
import sys
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np
import pytest
import torch
from torch import nn
from torch.optim.optimizer import register_optimizer_step_post_hook

from socialbias.errors import UserError
from socialbias.measures.spans import bilou
from socialbias.models import causal_scoring
from socialbias.models.crf import Crf
from socialbias.models.extract import extract
from socialbias.models.features import encoded, pooled
from socialbias.models.fine_tuning import (
    NEXT_SENTENCE,
    SENTIMENT,
    Examples,
    fine_tune,
    load_classifier,
)
from socialbias.models.generation import Options as SampleOptions
from socialbias.models.generation import generate
from socialbias.models.items import Intersentence, Intrasentence, Pair
from socialbias.models.loading import DTYPES, load_model
from socialbias.models.onednn import without_onednn
from socialbias.models.probe import Settings, probe
from socialbias.models.reduction import Sentence, reduce_words
from socialbias.models.scoring import score
from socialbias.models.scoring_methods import CLOSE_SUMS
from socialbias.models.tagging import Tagged, fine_tune_tagger, load_tagger
from socialbias.models.token_scores import TokenScorer
from socialbias.stats.seeding import generator
from tests import tiny_models
from tests.gpu import made_up

# Largest differences from float64, as a share of the numbers' root mean square. In these models
# rounding adds up to about a quarter of each (TF32 rounds to 11 bits, bfloat16 to 8).
TOLERANCE = {"float32": 1e-4, "tf32": 2e-2, "bfloat16": 2e-1}
NATS = 1e-3  # of a token's log-probability in float32: what scoring takes for granted
EXACT = 1e-9  # nats, in float64
SEED = 7
PAIRS = replace(
    NEXT_SENTENCE, epochs=2, batch=6, learning_rate=2e-3, warmup=2, hidden=(8,), length=40,
    tokens=64, checkpoint=3, checkpointing=False,
)  # fmt: skip
TEXTS = replace(
    SENTIMENT, epochs=2, batch=6, learning_rate=2e-3, length=40, tokens=64, checkpointing=False
)
SAMPLES, SAMPLED = 12, SampleOptions(tokens=12, batch=4)


@dataclass(frozen=True)
class Setting:
    """What a path runs on: a device, a folder with models `bert` and `gpt2`, and a dtype."""

    device: str
    work: Path
    dtype: str = "float32"

    @property
    def exact(self):
        return DTYPES["float32"] == torch.float64

    @property
    def tolerance(self):
        return TOLERANCE[self.dtype]

    @property
    def texts(self):
        """Texts of 3 to 14 words, two of each of several pieces."""
        texts = made_up.sentences(40, np.random.default_rng(SEED))
        return [f"w{60 + i % 40}1 {text} w{60 + i % 7}" for i, text in enumerate(texts)]

    def out(self, name):
        """Where a path writes."""
        return self.work / f"{'float64' if self.exact else self.dtype}-{name}"

    def model(self, name, kind, seed=None):
        # Random numbers in float64 would be others: TF32 is float32 on a CPU.
        drawn = self.exact and seed is not None
        dtype = "tf32" if drawn else self.dtype
        model = load_model(self.work / name, kind, device=self.device, dtype=dtype, seed=seed)
        if drawn:
            without_onednn(model.network).double()
        return model


class Output(NamedTuple):
    """What a path gives.

    The tolerance of `scores` (items by candidates) is in nats, and which of two is higher has to be
    the same: near ties are scored again in float64. Other numbers have a share of their root mean
    square. A decision that they leave open by twice the tolerance is then the same too.
    """

    what: str
    values: Any
    tolerance: float
    scores: bool = False


def compare(own, expected):
    """Compare an output with its reference; return the difference."""
    a, b = (np.asarray(output.values, float) for output in (own, expected))
    assert a.shape == b.shape, f"{own.what}: shape {a.shape} instead of {b.shape}"
    scale = 1.0 if own.scores else np.sqrt((b**2).mean())
    # A NaN differs from everything.
    difference = np.nan_to_num(np.abs(a - b), nan=np.inf).max() / scale
    limit = f"{difference:.1e}, over {own.tolerance:.0e}"
    assert difference <= own.tolerance, f"{own.what}: differs by up to {limit}"
    if own.scores:
        first, second = np.triu_indices(b.shape[1], 1)
        signs = [np.sign(x[:, first] - x[:, second]) for x in (a, b)]
        assert (signs[0] == signs[1]).all(), f"{own.what}: another candidate is preferred"
    return difference


def reference(setting, path):
    """What a path gives on the CPU in float64, where float32 is asked for."""
    DTYPES["float32"] = torch.float64
    try:
        return list(path(replace(setting, device="cpu", dtype="float32")))
    finally:
        DTYPES["float32"] = torch.float32


def extraction(setting):
    spans = [made_up.spans_of(text) for text in setting.texts]
    for name, layer in (("bert", 3), ("bert", 1), ("gpt2", 2)):
        result = extract(setting.model(name, "encoder"), setting.texts, spans, layer=layer)
        yield Output(f"{name}, layer {layer}", result.vectors, setting.tolerance)


def real_shape(setting):
    made_up.bert_base(setting.work / "bert-base")
    rng = np.random.default_rng(SEED)
    texts = made_up.sentences(4, rng, words=made_up.REAL_WORDS, lengths=(8, 24))
    spans = [made_up.spans_of(text) for text in texts]
    result = extract(setting.model("bert-base", "encoder", SEED), texts, spans, layer=12)
    yield Output("BERT-base", result.vectors, setting.tolerance)


def features(setting):
    texts = setting.texts
    pairs = [*texts[1:], texts[0]]
    cases = [("bert", "mean", None), ("bert", "first", pairs), ("gpt2", "mean", None)]
    for name, pooling, seconds in cases:
        model = setting.model(name, "encoder")
        with torch.no_grad():
            vectors = pooled(model, encoded(model, texts, seconds), pooling).cpu().numpy()
        yield Output(f"{name}, {pooling}", vectors, setting.tolerance)


def reduction(setting):
    words, rng = [f"w{i}" for i in range(24)], np.random.default_rng(SEED)
    sentences = []
    for number, text in enumerate(made_up.sentences(60, rng, words=26, lengths=(4, 10))):
        spans = [(text[a:b], (a, b)) for a, b in made_up.spans_of(text)]
        mentions = [(words.index(word), span) for word, span in spans if word in words[:23]]
        own, places = zip(*mentions, strict=True) if mentions else ((), ())
        sentences.append(Sentence(number // 5, text, own, places, number))
    model = setting.model("bert", "encoder")
    reduced = reduce_words(model, sentences, words, layer=3, draws=3, seed=SEED)
    for draw, vectors in enumerate([reduced.vectors, *reduced.resampled]):
        yield Output(f"draw {draw}", vectors, setting.tolerance)


def probes(setting):
    rng = np.random.default_rng(SEED)
    texts = [f"w{i % 4} {text}" for i, text in enumerate(made_up.sentences(160, rng, words=6))]
    labels = np.array(["w5" in text.split() for text in texts], int)
    spans = [[made_up.spans_of(text)[0]] for text in texts]
    result = extract(setting.model("bert", "encoder"), texts, spans, layer=3)
    options = {"n_targets": 4, "k": 2, "seed": SEED}
    options["settings"] = Settings(epochs=6, learning_rate=1e-2)
    [own] = probe({"bert": result.vectors}, labels, np.arange(len(texts)) % 4, **options).runs
    # Training adds up what rounding does to each step.
    yield Output("probabilities", own.probabilities, 2 * setting.tolerance)


def intrasentence(n):
    """Items with a gap in their middle, and three words for it, one of two pieces."""
    rng = np.random.default_rng(SEED)
    before, after = (made_up.sentences(n, rng, lengths=(1, 6)) for _ in range(2))
    words = made_up.sentences(n, rng, lengths=(2, 2))
    gaps = zip(before, after, words, strict=True)
    return [Intrasentence(f"{a} BLANK {b} .", (*two.split(), "w151")) for a, b, two in gaps]


def intersentence(n):
    """Items with a first sentence and three that may follow it."""
    rng = np.random.default_rng(SEED + 1)
    firsts = made_up.sentences(n, rng, lengths=(1, 6))
    seconds = (made_up.sentences(3, rng, lengths=(2, 8)) for _ in firsts)
    return [Intersentence(f"{a} .", tuple(b)) for a, b in zip(firsts, seconds, strict=True)]


def scores(setting, model, kind, *parts):
    """Scores of items, all of which are decided: near ties are scored again in float64.

    Each part has items, and by the name of a scoring its tolerance.
    """
    scorer = TokenScorer(setting.model(model, kind))
    if kind == "causal":
        yield Output("endings run side by side", [float(scorer.shares > 0)], EXACT)
    for items, tolerances in parts:
        for name, result in score(scorer, items, list(tolerances)).items():
            yield Output(name, result.values, tolerances[name], True)


def likelihood(setting):
    tolerances = {"sentence_sum": 10 * NATS, "sentence_mean": NATS, "sentence_released": NATS}
    parts = (intrasentence(20), tolerances), (intersentence(20), {"ratio": 10 * NATS})
    return scores(setting, "gpt2", "causal", *parts)


def pseudo_likelihood(setting):
    tolerances = {"pseudo_likelihood": 10 * NATS, "likelihood_corrected": NATS}
    parts = (intrasentence(5), tolerances), (intersentence(5), {"pseudo_likelihood": 10 * NATS})
    return scores(setting, "bert", "masked", *parts)


def next_sentence(setting):
    part = intersentence(20), {"next_sentence": NATS}
    return scores(setting, "bert", "next-sentence", part)


def rescoring(setting):
    """Scores of near ties, which are in float64."""
    texts = made_up.sentences(600, np.random.default_rng(SEED), lengths=(4, 8))
    model = load_model(setting.work / "gpt2", "causal", device="cpu")
    rows = [causal_scoring.sentence(model, Pair((text, text)), 0)[0] for text in texts]
    values = np.array([logs.sum() for logs in TokenScorer(model)(rows)])
    order = values.argsort()
    near = np.flatnonzero(np.diff(values[order]) < CLOSE_SUMS / 2)[:12]
    items = [Pair((texts[order[i + 1]], texts[order[i]])) for i in near]
    items.append(Pair((texts[0], texts[0])))
    scorer = TokenScorer(setting.model("gpt2", "causal"))
    result = score(scorer, items, ["sentence_sum"])["sentence_sum"]
    yield Output("scored again", result.again, EXACT)
    yield Output("near ties", result.values, EXACT, True)


def examples(n, seed, pairs):
    """Texts, or pairs, whose class depends on their words."""
    rng = np.random.default_rng(seed)
    texts = made_up.sentences(n, rng, words=8, lengths=(2, 9))
    labels = [not {"w1", "w2"}.isdisjoint(text.split()) for text in texts]
    seconds = made_up.sentences(n, rng, words=8, lengths=(1, 6)) if pairs else None
    return Examples(texts, np.array(labels, int), seconds)


def training(setting, name="bert"):
    """A classifier's loss, and what it predicts: of pairs by BERT, of texts by GPT-2."""
    options = replace(PAIRS if name == "bert" else TEXTS, dtype=setting.dtype)
    train, held_out = (examples(30, seed, name == "bert") for seed in (1, 2))
    folder, out = setting.work / name, setting.out(f"{name}-classifier")
    report = fine_tune(folder, train, held_out, out, options, SEED, device=setting.device)
    # Each step adds up what rounding did to those before.
    yield Output("mean loss", [report["loss"]], 2 * setting.tolerance)
    classifier = load_classifier(out, setting.device)
    logs = classifier.log_probabilities(held_out.texts, held_out.pairs)
    yield Output("log-probabilities", logs, 2 * setting.tolerance)


def random_field(setting):
    torch.manual_seed(SEED)
    chain = Crf(3)
    chain.between.data = 2 * torch.randn(3, 3)
    weights, lengths = torch.randn(12, 5, 3), torch.arange(12) % 4 + 2
    mask, tags = torch.arange(5) < lengths[:, None], torch.randint(3, (12, 5))
    if setting.exact:
        chain, weights = chain.double(), weights.double()
    allowed = torch.ones(4, 4)
    allowed[0, 1] = 0
    weights, mask, tags, allowed = (x.to(setting.device) for x in (weights, mask, tags, allowed))
    chain = chain.to(setting.device)
    with torch.no_grad():
        loss, best = chain.loss(weights, mask, tags), chain.best(weights, mask, allowed)
    yield Output("loss", [float(loss)], setting.tolerance)
    yield Output("best sequences", np.concatenate(best), EXACT)


def tagged(n, seed):
    """Short sentences, in which `w2` and `w3` are entities."""
    texts = made_up.sentences(n, np.random.default_rng(seed), words=6, lengths=(2, 4))
    words = [text.split() for text in texts]
    return Tagged(words, [bilou(["B-X" if w in ("w2", "w3") else "O" for w in s]) for s in words])


def tagging(setting):
    train, held_out = tagged(24, 1), tagged(24, 2)
    options = replace(TEXTS, epochs=4, learning_rate=3e-3, dtype=setting.dtype)
    bert, out, tolerance = setting.work / "bert", setting.out("tagger"), 2 * setting.tolerance
    report = fine_tune_tagger(bert, train, held_out, out, options, SEED, device=setting.device)
    yield Output("mean loss", [report["loss"]], tolerance)
    inside = np.concatenate(load_tagger(out, setting.device).predict(held_out.words)[1])
    yield Output("probabilities", np.hstack([1 - inside, inside]), tolerance)


def generation(setting):
    """Tokens of samples, and how far each draw was from giving another, as a probability."""
    model, path = setting.model("gpt2", "causal"), setting.out("samples.jsonl")
    generate(model, path, SAMPLES, SAMPLED, SEED)
    drawn = []
    for line in path.read_text("utf-8").splitlines():
        sample, end = json.loads(line), model.tokenizer.eos_token_id
        tokens = model.tokenizer(sample["text"], add_special_tokens=False)["input_ids"]
        tokens += [end] * sample["ended"]
        chances = generator(SEED, "sample", sample["id"]).random(SAMPLED.tokens)[: len(tokens)]
        with torch.no_grad():
            logits = model.network(torch.tensor([[end, *tokens[:-1]]], device=model.device)).logits
        bounds = logits[0].double().softmax(-1).cumsum(-1).cpu().numpy()
        margins = np.abs(bounds[:, :-1] - chances[:, None] * bounds[:, -1:]).min(axis=1)
        drawn.append((tokens, margins))
    return drawn


ANY, FLOAT32 = tuple(TOLERANCE), ("float32",)
PATHS = {
    "extraction": (extraction, ANY),
    "extraction at BERT-base's shape": (real_shape, ANY),
    "features": (features, ANY),
    "reduction": (reduction, ANY),
    "probe": (probes, ANY),
    "likelihood": (likelihood, FLOAT32),
    "pseudo-likelihood": (pseudo_likelihood, FLOAT32),
    "next-sentence scores": (next_sentence, FLOAT32),
    "scoring again in float64": (rescoring, FLOAT32),
    "next-sentence training": (training, ANY),
    "fine-tuning": (partial(training, name="gpt2"), ANY),
    "conditional random field": (random_field, FLOAT32),
    "tagging": (tagging, ANY),
}


ROUNDED = 3e-5  # what TF32 and bfloat16 exceed and float32 does not
LEAST = 1.0  # seconds of what is timed
ROOM = 400e6  # bytes that a card is left with beside the model
EACH = [(name, dtype) for name, (_, dtypes) in PATHS.items() for dtype in dtypes]


@pytest.mark.parametrize(("name", "dtype"), EACH)
def test_path(setting, name, dtype):
    path = PATHS[name][0]
    expected = reference(setting, path)
    differences = [compare(*each) for each in zip(path(setting), expected, strict=True)]
    if "shape" in name and dtype != "float32":
        assert max(differences) > ROUNDED, f"as exact as float32, so not {dtype}"


@pytest.mark.parametrize("dtype", TOLERANCE)
def test_generation(setting, dtype):
    """Tokens are compared up to the first that differs in a sample: then the texts differ."""
    each = zip(generation(setting), reference(setting, generation), strict=True)
    for (tokens, _), (own, margins) in each:
        agree = [a == b for a, b in zip(tokens, own, strict=False)]
        first = agree.index(False) if False in agree else None
        assert tokens == own if first is None else margins[first] <= setting.tolerance / 10


@pytest.mark.parametrize("name", ["roberta", "xlnet"])
def test_other_architectures(setting, name):
    """Against the CPU in float32: XLNet has steps that there is no float64 for."""
    tiny_models.write(setting.work / name, name, "causal" if name == "xlnet" else "masked")
    items = [Intrasentence("the BLANK a", ("nurse", "man", "cab"))]
    texts, spans = ["the nurse", "a woman the"], [[(4, 9)], [(2, 7)]]
    outputs = []
    for device in (setting.device, "cpu"):
        on = replace(setting, device=device)
        scorer = TokenScorer(on.model(name, "masked"))
        found = score(scorer, items, ["likelihood_corrected"])["likelihood_corrected"]
        vectors = extract(on.model(name, "encoder"), texts, spans, layer=2).vectors
        scored = Output("scores", found.values, NATS, True)
        outputs.append((scored, Output("vectors", vectors, on.tolerance)))
    for own, expected in zip(*outputs, strict=True):
        compare(own, expected)
    model = load_model(setting.work / name, "encoder", device="cpu", dtype="bfloat16")
    rounded = extract(model, texts, spans, layer=2).vectors
    compare(Output("vectors", rounded, TOLERANCE["bfloat16"]), expected)


def test_scores_in_parts(setting):
    scorer, items = TokenScorer(setting.model("gpt2", "causal")), intrasentence(30)
    whole, *parts = (
        score(scorer, part, ["sentence_sum"])["sentence_sum"].values
        for part in (items, items[:7], items[7:])
    )
    compare(Output("two parts", np.concatenate(parts), NATS), Output("", whole, NATS))


@contextmanager
def watching(action):
    """Call an action whenever a network is about to read a batch."""

    def hook(module, inputs):
        if isinstance(module, nn.Embedding) and module.num_embeddings > made_up.LIMIT and inputs:
            action()

    handle = nn.modules.module.register_module_forward_pre_hook(hook)
    try:
        yield
    finally:
        handle.remove()


def test_a_small_card(setting):
    """Extraction at a real shape on a card of which only a little is left."""
    if not setting.device.startswith("cuda"):
        pytest.skip("no card")
    made_up.bert_base(setting.work / "bert-base")
    model = setting.model("bert-base", "encoder", SEED)
    rng, card = np.random.default_rng(SEED), torch.cuda.current_device()
    texts = made_up.sentences(2000, rng, words=made_up.REAL_WORDS, lengths=made_up.LENGTHS)
    spans = [made_up.spans_of(text)[:1] for text in texts]
    expected = extract(model, texts, spans, layer=12)
    torch.cuda.empty_cache()
    left = torch.cuda.memory_reserved(card) + ROOM
    whole = torch.cuda.get_device_properties(card).total_memory
    torch.cuda.set_per_process_memory_fraction(left / whole, card)
    try:
        actual = extract(model, texts, spans, layer=12, tokens_per_batch=65_536)
    finally:
        torch.cuda.set_per_process_memory_fraction(1.0, card)
    assert actual.report.halvings, "the card was never full"
    compare(Output("", actual.vectors, TOLERANCE["float32"]), Output("", expected.vectors, 0))


class Enough(Exception):
    """As many steps of a training as are looked at."""


# A card of 24 GB, and the gigabytes that docs/models.md says a training takes of it.
CARD, TAKES, STEPS = 22e9, {"BERT": 11.0, "XLNet": 13.9, "GPT-2": 14.2}, 5


@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
@pytest.mark.parametrize("name", TAKES)
def test_training_at_its_large_shape(setting, monkeypatch, record_property, name, dtype):
    """Steps of a next-sentence training of a large model with random weights."""
    if not setting.device.startswith("cuda"):
        pytest.skip("no card")
    folder = made_up.large(setting.work / f"{name}-large", name)
    monkeypatch.setattr("socialbias.models.training.load_model", partial(load_model, seed=SEED))
    options, card = replace(NEXT_SENTENCE, dtype=dtype), torch.cuda.current_device()
    rng, n, size = np.random.default_rng(SEED), 6 * options.batch, {"words": made_up.REAL_WORDS}
    lengths = (8, 16) if name == "XLNet" else (30, 65)  # words, of up to six pieces in XLNet
    texts, pairs = (made_up.sentences(n, rng, **size, lengths=lengths) for _ in range(2))
    train, log, ends = Examples(texts, np.arange(n) % 2, pairs), [], []

    def step_done(*_):
        torch.cuda.synchronize(card)
        ends.append(perf_counter())
        if len(ends) == STEPS:
            raise Enough

    hook = register_optimizer_step_post_hook(step_done)
    torch.cuda.empty_cache()
    torch.cuda.reset_peak_memory_stats(card)
    torch.cuda.set_per_process_memory_fraction(
        CARD / torch.cuda.get_device_properties(card).total_memory, card
    )
    try:
        out = setting.out(f"{name}-large-trained")
        fine_tune(folder, train, train, out, options, SEED, device=setting.device, log=log.append)
    except Enough:
        pass
    finally:
        hook.remove()
        torch.cuda.set_per_process_memory_fraction(1.0, card)
    peak, seconds = torch.cuda.max_memory_reserved(card), (ends[-1] - ends[0]) / (STEPS - 1)
    step = f"a step of training, {name} large, {dtype}"
    record_property("step", {step: {"seconds": seconds, "peak_mb": peak / 1e6}})
    assert dtype != "float32" or peak <= 1.1e9 * TAKES[name]
    assert not [line for line in log if "memory" in line]


@pytest.mark.parametrize("part", ["training", "generation"])
def test_interrupted_and_resumed(setting, part):
    batches, train, held_out = [], examples(30, 1, True), examples(30, 2, True)

    def run(name):
        out = setting.work / f"{part}-{name}"
        if part == "generation":
            generate(setting.model("gpt2", "causal"), out, SAMPLES, SAMPLED, SEED)
            return np.frombuffer(out.read_bytes(), np.uint8)
        options = PAIRS, SEED
        fine_tune(setting.work / "bert", train, held_out, out, *options, device=setting.device)
        return load_classifier(out, "cpu").log_probabilities(held_out.texts, held_out.pairs)

    def interrupt(*_):
        kept = [path for path in setting.work.glob(f"{part}-again.*.part") if path.is_file()]
        kept += setting.work.glob(f"{part}-again.*.part/checkpoint.pt")
        if any(path.stat().st_size for path in kept):
            raise KeyboardInterrupt

    with watching(lambda: batches.append("whole")):
        expected = run("whole")
    with watching(interrupt), pytest.raises(KeyboardInterrupt):
        run("again")
    with watching(lambda: batches.append("again")):
        actual = run("again")
    assert batches.count("again") < batches.count("whole"), "began again"
    exact = part == "generation" or setting.device == "cpu"
    tolerance = 1e-12 if exact else TOLERANCE["float32"]
    compare(Output("resumed", actual, tolerance), Output("", expected, 0))


ONE_CARD = """
import pathlib, sys, torch
from socialbias.models.loading import load_model
load_model(pathlib.Path(sys.argv[1]), "encoder", device="cuda")
sys.exit(torch.cuda.device_count() != 1)
"""


def test_choice_of_a_card(setting):
    cards, bert = torch.cuda.device_count(), setting.work / "bert"
    with pytest.raises(UserError, match="is not available"):
        load_model(bert, "encoder", device=f"cuda:{cards}")
    if not cards:
        return
    before = [torch.cuda.memory_allocated(card) for card in range(cards)]
    model = load_model(bert, "encoder", device=f"cuda:{cards - 1}")
    used = [torch.cuda.memory_allocated(card) > before[card] for card in range(cards)]
    assert used == [False] * (cards - 1) + [True]
    assert model.device.index == cards - 1
    shown = os.environ.get("CUDA_VISIBLE_DEVICES", ",".join(map(str, range(cards)))).split(",")
    known = {"CUDA_VISIBLE_DEVICES": shown[cards - 1], "PYTHONPATH": ":".join(sys.path)}
    subprocess.run([sys.executable, "-c", ONE_CARD, bert], env=os.environ | known, check=True)


# -- how fast the device is ------------------------------------------------------------------------


def timed(function, device):
    """Seconds until a function and what it asked of the device are done."""
    started = perf_counter()
    function()
    if device.type == "cuda":
        torch.cuda.synchronize(device)
    elif device.type == "mps":
        torch.mps.synchronize()
    return perf_counter() - started


@pytest.mark.parametrize("dtype", TOLERANCE)
def test_rate_of_products(setting, record_property, dtype):
    """Operations a second in a product of two matrices that is large enough to be timed."""
    device, side, seconds = torch.device(setting.device), 256, 0.0
    torch.backends.cuda.matmul.allow_tf32 = dtype == "tf32"
    while seconds < LEAST / 20 and side < 16_384:
        side *= 2
        a = torch.randn(side, side, device=device).to(DTYPES[dtype])
        seconds = min(timed(lambda a=a: a @ a, device) for _ in range(4))
    torch.backends.cuda.matmul.allow_tf32 = False
    record_property("flops", {dtype: 2 * side**3 / seconds})
    record_property("rates", {})


@pytest.mark.parametrize("dtype", TOLERANCE)
def test_rate_of_extraction(setting, record_property, dtype):
    """Extraction of a word of each sentence by BERT-base, from its last layer.

    Operations are those of the blocks: two for each weight of a matrix, and four times the width
    for each token that is attended to.
    """
    made_up.bert_base(setting.work / "bert-base")
    model = setting.model("bert-base", "encoder", SEED)
    cuda, n, seconds = model.device.type == "cuda", 1, 0.0
    while seconds < LEAST and n < 262_144:
        n *= 2
        rng = np.random.default_rng(SEED)
        texts = made_up.sentences(n, rng, words=made_up.REAL_WORDS, lengths=made_up.LENGTHS)
        spans = [made_up.spans_of(text)[:1] for text in texts]
        if n == 2:
            extract(model, texts, spans, layer=12)  # the first call takes longer
        if cuda:
            torch.cuda.reset_peak_memory_stats(model.device)
        run = partial(extract, model, texts, spans, layer=12)
        seconds = timed(run, model.device)
    tokens = sum(map(len, model.tokenizer(texts)["input_ids"]))
    blocks = next(x for x in model.body.modules() if isinstance(x, nn.ModuleList))
    weights = sum(p.numel() for p in blocks.parameters() if p.dim() == 2)
    each = 2 * weights + 4 * model.layers * model.width * tokens / len(texts)
    rate = {"name": "extraction, BERT-base", "dtype": dtype, "tokens": tokens / seconds}
    rate["flops"] = rate["tokens"] * each
    rate["peak_mb"] = torch.cuda.max_memory_allocated(model.device) / 1e6 if cuda else None
    record_property("rates", {f"{rate['name']}, {dtype}": rate})
