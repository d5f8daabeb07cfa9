"""The checks: each runs one path on the device and compares it with the CPU in float64."""

from __future__ import annotations

import json
import multiprocessing
import os
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from time import perf_counter

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from socialbias.contextual import causal_scoring
from socialbias.contextual.crf import Crf
from socialbias.contextual.extract import extract
from socialbias.contextual.features import text_features
from socialbias.contextual.fine_tuning import (
    NEXT_SENTENCE,
    SENTIMENT,
    Examples,
    fine_tune,
    load_classifier,
)
from socialbias.contextual.generation import Options as SampleOptions
from socialbias.contextual.generation import generate
from socialbias.contextual.models import DTYPES, Kind, Model, load_model
from socialbias.contextual.onednn import without_onednn
from socialbias.contextual.probe import Settings, probe
from socialbias.contextual.reduction import Sentence, reduce_words
from socialbias.contextual.scoring import score
from socialbias.contextual.scoring_methods import CLOSE_SUMS, Intersentence, Intrasentence, Pair
from socialbias.contextual.tagging import Tagged, fine_tune_tagger, load_tagger
from socialbias.contextual.threads import one_thread
from socialbias.contextual.token_scores import TokenScorer
from socialbias.contextual.training import Options
from socialbias.contextual.verification import made_up
from socialbias.contextual.verification.comparing import (
    Comparison,
    Output,
    classes,
    numbers,
    samples,
    scores,
    vectors,
)
from socialbias.errors import UserError
from socialbias.measures.spans import bilou
from socialbias.stats.seeding import generator

FLOAT32, TF32, BFLOAT16 = "float32", "tf32", "bfloat16"
# Largest differences of numbers from float64, as a share of the numbers' root mean square. In
# these models rounding adds up to about a quarter of each (TF32 rounds to 11 bits, bfloat16 to 8).
TOLERANCE = {FLOAT32: 1e-4, TF32: 2e-2, BFLOAT16: 2e-1}
ROUNDED = 3e-5  # what TF32 and bfloat16 exceed and float32 does not
NATS = 1e-3  # of a token's log-probability in float32: what scoring takes for granted
EXACT = 1e-9  # nats, in float64
SEED = 7


@dataclass(frozen=True)
class Setting:
    """What a path runs on.

    Attributes:
        device: As `load_model` takes it.
        work: A folder for what checks write; `bert` and `gpt2` in it are the models.
        dtype: As `load_model` takes it.
        exact: Whether this is for the reference: float32 is then float64 (`reference`).
        references: By path, what it gives on the CPU in float64.
    """

    device: str
    work: Path
    dtype: str = FLOAT32
    exact: bool = False
    references: dict[Route, list[Output]] = field(default_factory=dict)

    @classmethod
    def prepared(cls, device: str, work: Path) -> Setting:
        """A setting whose models have been written."""
        made_up.small_bert(work / "bert", 1)
        made_up.small_gpt2(work / "gpt2", 2)
        return cls(device, work)

    @property
    def bert(self) -> Path:
        """The folder of the small BERT."""
        return self.work / "bert"

    @property
    def gpt2(self) -> Path:
        """The folder of the small GPT-2."""
        return self.work / "gpt2"

    @property
    def tolerance(self) -> float:
        """The largest difference of numbers."""
        return TOLERANCE[self.dtype]

    def out(self, name: str) -> Path:
        """Where a path writes."""
        return self.work / f"{'float64' if self.exact else self.dtype}-{name}"

    def model(self, folder: Path, kind: Kind, seed: int | None = None) -> Model:
        """A model on the device."""
        # Random numbers in float64 would be others: TF32 is float32 on a CPU.
        drawn = self.exact and seed is not None
        dtype = TF32 if drawn else self.dtype
        model = load_model(folder, kind, device=self.device, dtype=dtype, seed=seed)
        if drawn:
            without_onednn(model.network).double()
        return model

    def scorer(self, folder: Path, kind: Kind) -> TokenScorer:
        """A model's scores of tokens."""
        return TokenScorer(self.model(folder, kind))

    @cached_property
    def texts(self) -> list[str]:
        """Texts of 3 to 14 words, some of several pieces."""
        return made_up.with_long_words(made_up.sentences(40, np.random.default_rng(SEED)))


Route = Callable[[Setting], Iterator[Output]]


def reference(setting: Setting, path: Route) -> list[Output]:
    """What a path gives on the CPU in float64, where float32 is asked for; made once."""
    if path not in setting.references:
        DTYPES[FLOAT32] = torch.float64
        try:
            exact = replace(setting, device="cpu", dtype=FLOAT32, exact=True)
            setting.references[path] = list(path(exact))
        finally:
            DTYPES[FLOAT32] = torch.float32
    return setting.references[path]


def compared(setting: Setting, path: Route, comparison: Comparison) -> None:
    """Compare a path on the device with the CPU in float64."""
    expected = reference(setting, path)
    for own, (*_, values) in zip(path(setting), expected, strict=True):
        own.form(comparison, own.what, own.values, values, own.tolerance)


@dataclass(frozen=True)
class Result:
    """One check in one dtype."""

    name: str
    dtype: str
    comparison: Comparison
    seconds: float

    @property
    def passed(self) -> bool:
        """Whether nothing was wrong."""
        return not self.comparison.problems


def run(setting: Setting, name: str, dtype: str) -> Result:
    """Run a check; an error of whatever it runs is a problem, and not the end."""
    comparison, started, check = Comparison(), perf_counter(), CHECKS[name]
    setting = replace(setting, dtype=dtype)
    try:
        with one_thread():
            if check.path:
                compared(setting, check.path, comparison)
            if check.also:
                check.also(setting, comparison)
    except Exception as error:  # any error, so that the other checks still run
        lines = str(error).splitlines() or [""]
        comparison.problems.append(f"{type(error).__name__}: {lines[0][:200]}")
    return Result(name, dtype, comparison, perf_counter() - started)


def _extraction(setting: Setting) -> Iterator[Output]:
    spans = [made_up.spans_of(text) for text in setting.texts]
    for folder, layer in ((setting.bert, 3), (setting.bert, 1), (setting.gpt2, 2)):
        result = extract(setting.model(folder, "encoder"), setting.texts, spans, layer=layer)
        what = f"{folder.name}, layer {layer}"
        yield Output(vectors, what, setting.tolerance, result.vectors)


def _features(setting: Setting) -> Iterator[Output]:
    texts = setting.texts
    pairs = [*texts[1:], texts[0]]
    cases = [(setting.bert, "mean", None), (setting.bert, "first", pairs)]
    for folder, pooling, seconds in [*cases, (setting.gpt2, "mean", None)]:
        result = text_features(setting.model(folder, "encoder"), texts, seconds, pooling)
        yield Output(vectors, f"{folder.name}, {pooling}", setting.tolerance, result)


def _reduction(setting: Setting) -> Iterator[Output]:
    words, rng = [f"w{i}" for i in range(24)], np.random.default_rng(SEED)
    sentences = []
    for number, text in enumerate(made_up.sentences(60, rng, words=26, lengths=(4, 10))):
        spans = [(text[a:b], (a, b)) for a, b in made_up.spans_of(text)]
        mentions = [(words.index(word), span) for word, span in spans if word in words[:23]]
        own, places = zip(*mentions, strict=True) if mentions else ((), ())
        sentences.append(Sentence(number // 5, text, own, places, number))
    model = setting.model(setting.bert, "encoder")
    reduced = reduce_words(model, sentences, words, layer=3, draws=3, seed=SEED)
    for draw, each in enumerate([reduced.vectors, *reduced.resampled]):
        yield Output(vectors, f"draw {draw}" if draw else "words", setting.tolerance, each)


def _probe(setting: Setting) -> Iterator[Output]:
    rng = np.random.default_rng(SEED)
    texts = [f"w{i % 4} {text}" for i, text in enumerate(made_up.sentences(160, rng, words=6))]
    labels = np.array(["w5" in text.split() for text in texts], int)
    spans = [[made_up.spans_of(text)[0]] for text in texts]
    result = extract(setting.model(setting.bert, "encoder"), texts, spans, layer=3)
    options = {"n_targets": 4, "k": 2, "seed": SEED}
    options["settings"] = Settings(epochs=6, learning_rate=1e-2)
    [own] = probe({"bert": result.vectors}, labels, np.arange(len(texts)) % 4, **options).runs
    # Training adds up what rounding does to each step.
    yield Output(classes, "probabilities", 2 * setting.tolerance, own.probabilities)


def _intrasentence(n: int) -> list[Intrasentence]:
    """Items with a gap in their middle, and three words for it, one of two pieces."""
    rng = np.random.default_rng(SEED)
    before, after = (made_up.sentences(n, rng, lengths=(1, 6)) for _ in range(2))
    words = [made_up.sentences(2, rng, lengths=(1, 1)) for _ in range(n)]
    gaps = zip(before, after, words, strict=True)
    return [Intrasentence(f"{a} BLANK {b} .", (*two, "w151")) for a, b, two in gaps]


def _intersentence(n: int) -> list[Intersentence]:
    """Items with a first sentence and three that may follow it."""
    rng = np.random.default_rng(SEED + 1)
    firsts = made_up.sentences(n, rng, lengths=(1, 6))
    seconds = [made_up.sentences(3, rng, lengths=(2, 8)) for _ in range(n)]
    each = zip(firsts, seconds, strict=True)
    return [Intersentence(f"{first} .", tuple(three)) for first, three in each]


def _scores(scorer: TokenScorer, items: list, tolerances: dict[str, float]) -> Iterator[Output]:
    """Scores by name, all of which are decided: near ties are scored again in float64."""
    for name, result in score(scorer, items, list(tolerances)).items():
        yield Output(scores, name, tolerances[name], result.values)


def _likelihood(setting: Setting) -> Iterator[Output]:
    scorer = setting.scorer(setting.gpt2, "causal")
    yield Output(numbers, "endings run side by side", EXACT, [float(scorer.shares)])
    tolerances = {"sentence_sum": 10 * NATS, "sentence_mean": NATS, "sentence_released": NATS}
    yield from _scores(scorer, _intrasentence(20), tolerances)
    yield from _scores(scorer, _intersentence(20), {"ratio": 10 * NATS})


def _pseudo_likelihood(setting: Setting) -> Iterator[Output]:
    scorer = setting.scorer(setting.bert, "masked")
    tolerances = {"pseudo_likelihood": 10 * NATS, "likelihood_corrected": NATS}
    yield from _scores(scorer, _intrasentence(5), tolerances)
    yield from _scores(scorer, _intersentence(5), {"pseudo_likelihood": 10 * NATS})


def _next_sentence_scores(setting: Setting) -> Iterator[Output]:
    scorer = setting.scorer(setting.bert, "next-sentence")
    yield from _scores(scorer, _intersentence(20), {"next_sentence": NATS})


def _rescoring(setting: Setting) -> Iterator[Output]:
    rng = np.random.default_rng(SEED)
    texts = made_up.sentences(600, rng, lengths=(4, 8))
    model = load_model(setting.gpt2, "causal", device="cpu")
    rows = [causal_scoring.sentence(model, text)[0] for text in texts]
    values = np.array([logs.sum() for logs in TokenScorer(model)(rows)])
    order = values.argsort()
    near = np.flatnonzero(np.diff(values[order]) < CLOSE_SUMS / 2)[:12]
    items = [Pair((texts[order[i + 1]], texts[order[i]])) for i in near]
    items.append(Pair((texts[0], texts[0])))

    def full(pieces: int, weights: torch.Tensor) -> None:
        if weights.dtype == torch.float64 and weights.device.type != "cpu":
            raise torch.OutOfMemoryError("out of memory, for a test")

    def again(what: str) -> Iterator[Output]:
        result = score(setting.scorer(setting.gpt2, "causal"), items, ["sentence_sum"])
        yield Output(numbers, f"{what} scored again", EXACT, result["sentence_sum"].again)
        yield Output(scores, what, EXACT, result["sentence_sum"].values)

    yield from again("near ties")
    with watching(full):  # then the CPU scores them
        yield from again("near ties on a full card")


def _parts(setting: Setting, comparison: Comparison) -> None:
    scorer, items = setting.scorer(setting.gpt2, "causal"), _intrasentence(30)
    whole, *parts = (
        score(scorer, part, ["sentence_sum"])["sentence_sum"].values
        for part in (items, items[:7], items[7:])
    )
    scores(comparison, "scores in two parts", np.concatenate(parts), whole, NATS)


PAIRS = replace(
    NEXT_SENTENCE, epochs=2, batch=6, learning_rate=2e-3, warmup=2, hidden=(8,), length=40,
    tokens=64, checkpoint=3, checkpointing=False,
)  # fmt: skip
TEXTS = replace(
    SENTIMENT, epochs=2, batch=6, learning_rate=2e-3, length=40, tokens=64, checkpointing=False
)


def _examples(n: int, seed: int, pairs: bool) -> Examples:
    """Texts, or pairs, whose class depends on their words."""
    rng = np.random.default_rng(seed)
    texts = made_up.sentences(n, rng, words=8, lengths=(2, 9))
    labels = [text.split().count("w1") + text.split().count("w2") > 0 for text in texts]
    seconds = made_up.sentences(n, rng, words=8, lengths=(1, 6)) if pairs else None
    return Examples(texts, np.array(labels, int), seconds)


def _fine_tuned(setting: Setting, folder: Path, options: Options) -> Iterator[Output]:
    """A trained classifier: its loss, and what it predicts."""
    train, held_out = (_examples(30, seed, options.hidden != ()) for seed in (1, 2))
    out, options = setting.out(f"{folder.name}-classifier"), replace(options, dtype=setting.dtype)
    report = fine_tune(folder, train, held_out, out, options, SEED, device=setting.device)
    classifier = load_classifier(out, setting.device)
    # Each step adds up what rounding did to those before.
    tolerance = 2 * setting.tolerance
    yield Output(numbers, "mean loss", tolerance, [report["loss"]])
    logs = classifier.log_probabilities(held_out.texts, held_out.pairs)
    yield Output(classes, "log-probabilities", tolerance, logs)


def _next_sentence_training(setting: Setting) -> Iterator[Output]:
    yield from _fine_tuned(setting, setting.bert, PAIRS)


def _text_training(setting: Setting) -> Iterator[Output]:
    yield from _fine_tuned(setting, setting.gpt2, TEXTS)


def _crf(setting: Setting) -> Iterator[Output]:
    torch.manual_seed(SEED)
    chain, device = Crf(3), setting.model(setting.bert, "encoder").device
    chain.between.data = 2 * torch.randn(3, 3)
    weights, lengths = torch.randn(12, 5, 3), torch.arange(12) % 4 + 2
    mask, tags = torch.arange(5) < lengths[:, None], torch.randint(3, (12, 5))
    if setting.exact:
        chain, weights = chain.double(), weights.double()
    inputs = [x.to(device) for x in (weights, mask, tags)]
    with torch.no_grad():
        loss, best = chain.to(device).loss(*inputs), chain.best(*inputs[:2])
    yield Output(numbers, "loss", setting.tolerance, [float(loss)])
    yield Output(numbers, "best sequences", EXACT, np.concatenate(best))


def _tagged(n: int, seed: int) -> Tagged:
    """Short sentences, in which `w1 w2` or `w3` is an entity."""
    rng = np.random.default_rng(seed)
    words = [text.split() for text in made_up.sentences(n, rng, words=6, lengths=(2, 4))]
    tags = []
    for sentence in words:
        own = ["O"] * len(sentence)
        for i, word in enumerate(sentence):
            if word in ("w2", "w3"):
                own[i] = "I-X" if i and word == "w2" and own[i - 1] != "O" else "B-X"
        tags.append(bilou(own))
    return Tagged(words, tags)


def _tagging(setting: Setting) -> Iterator[Output]:
    train, held_out = _tagged(24, 1), _tagged(24, 2)
    options = replace(TEXTS, epochs=4, learning_rate=3e-3, dtype=setting.dtype)
    where = {"crf": True, "device": setting.device}
    out, tolerance = setting.out("tagger"), 2 * setting.tolerance
    report = fine_tune_tagger(setting.bert, train, held_out, out, options, SEED, **where)
    yield Output(numbers, "mean loss", tolerance, [report["loss"]])
    tags, inside = load_tagger(out, setting.device).predict(held_out.words)
    inside = np.concatenate(inside)
    yield Output(classes, "probabilities", tolerance, np.hstack([1 - inside, inside]))
    entities = [tag != "O" for each in tags for tag in each]
    yield Output(numbers, "share of words in entities", tolerance, [np.mean(entities)])


SAMPLES, SAMPLED = 12, SampleOptions(tokens=12, batch=4)


def _generation(setting: Setting) -> Iterator[Output]:
    model, path = setting.model(setting.gpt2, "causal"), setting.out("samples.jsonl")
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
        # How far each draw was from giving another token, as a probability.
        margins = np.abs(bounds[:, :-1] - chances[:, None] * bounds[:, -1:]).min(axis=1)
        drawn.append((tokens, margins))
    yield Output(samples, "tokens", setting.tolerance / 10, drawn)


@contextmanager
def watching(action: Callable[[int, torch.Tensor], None]) -> Iterator[None]:
    """Call an action whenever a network is about to read a batch.

    It is given the number of pieces and the weights of the network's vocabulary.
    """

    def hook(module: nn.Module, inputs: tuple) -> None:
        is_vocabulary = isinstance(module, nn.Embedding) and module.num_embeddings > made_up.LIMIT
        if is_vocabulary and inputs:
            action(inputs[0].numel(), module.weight)

    handle = nn.modules.module.register_module_forward_pre_hook(hook)
    try:
        yield
    finally:
        handle.remove()


# What fits into memory in a check: fewer than a batch has.
PIECES = {"extraction": 90, "features": 90, "scores": 90, "training": 30}
LEAST = 8  # fewer than some text has; trial runs of two texts have no more


class _Full:
    """A memory that is full when a batch has more pieces than this.

    Evaluations of a classifier that is trained are left alone: they need less than training does,
    and so run as many pieces as that began with.
    """

    def __init__(self, pieces: int, training: bool):
        self.pieces, self.training, self.times = pieces, training, 0

    def __call__(self, pieces: int, weights: torch.Tensor) -> None:
        if pieces > self.pieces and torch.is_grad_enabled() == self.training:
            self.times += 1
            raise torch.OutOfMemoryError("out of memory, for a test")


def _memory(setting: Setting, comparison: Comparison) -> None:
    texts, spans = setting.texts, [made_up.spans_of(text)[:1] for text in setting.texts]
    bert, gpt2 = setting.model(setting.bert, "encoder"), setting.model(setting.gpt2, "causal")
    items = _intrasentence(20)

    def scores(step: int) -> NDArray:
        return score(TokenScorer(gpt2), items[::step], ["sentence_sum"])["sentence_sum"].values

    # By name, the path for texts in their order (1) or the last one first (-1).
    paths: dict[str, Callable[[int], NDArray]] = {
        "extraction": lambda step: extract(bert, texts[::step], spans[::step], layer=3).vectors,
        "features": lambda step: text_features(bert, texts[::step]),
        "scores": scores,
        "training": lambda step: _losses(setting, setting.work / f"memory{step}"),
    }
    for name, path in paths.items():
        full, over = (_Full(pieces, name == "training") for pieces in (PIECES[name], LEAST))
        expected = path(1)
        # In another order: what is left in freed memory must not look like a result.
        with watching(full):
            actual = path(-1)[::-1]
        comparison.holds(f"{name}: memory was never full", full.times > 0)
        comparison.close(f"{name} in smaller batches", actual, expected, TOLERANCE[FLOAT32])
        with watching(over):
            try:
                path(2)
                comparison.problems.append(f"{name}: no error where one text does not fit")
            except UserError as error:
                comparison.holds(f"{name}: {error}", "does not fit" in str(error))
    if bert.device.type == "cuda":
        _small_card(setting, comparison)


def _losses(setting: Setting, out: Path) -> NDArray:
    """The mean loss of a training."""
    train, held_out = _examples(18, 1, True), _examples(4, 2, True)
    report = fine_tune(setting.bert, train, held_out, out, PAIRS, SEED, device=setting.device)
    return np.array([report["loss"]])


ROOM = 400e6  # bytes that a card is left with beside the model


def _small_card(setting: Setting, comparison: Comparison) -> None:
    """Extraction at a real shape on a card of which only a little is left."""
    folder = made_up.bert_base(setting.work / "bert-base")
    model = load_model(folder, "encoder", device=setting.device, seed=SEED)
    rng = np.random.default_rng(SEED)
    texts = made_up.sentences(2000, rng, words=made_up.REAL_WORDS, lengths=made_up.LENGTHS)
    spans = [made_up.spans_of(text)[:1] for text in texts]
    expected = extract(model, texts, spans, layer=12)
    torch.cuda.empty_cache()
    card = torch.cuda.current_device() if model.device.index is None else model.device.index
    whole = torch.cuda.get_device_properties(card).total_memory
    torch.cuda.set_per_process_memory_fraction(
        (torch.cuda.memory_reserved(card) + ROOM) / whole, card
    )
    try:
        actual = extract(model, texts, spans, layer=12, tokens_per_batch=65_536)
    finally:
        torch.cuda.set_per_process_memory_fraction(1.0, card)
    comparison.holds("the card was never full", actual.report.halvings > 0)
    comparison.close(
        "extraction on a full card", actual.vectors, expected.vectors, TOLERANCE[FLOAT32]
    )
    comparison.notes.append(f"a full card: halved {actual.report.halvings} times")


def _interruption(setting: Setting, comparison: Comparison) -> None:
    for name, path, result in (
        ("training", _train_pairs, _weights), ("generation", _write_samples, Path.read_bytes)
    ):  # fmt: skip
        batches = [0, 0]

        def count(*_: object, batches: list[int] = batches) -> None:
            batches[-1] += 1

        whole, again = setting.work / f"{name}-whole", setting.work / f"{name}-again"
        with watching(count):
            path(setting, whole)
        comparison.holds(f"{name}: was not killed", _killed(path, setting, again) == KILLED)
        comparison.holds(f"{name}: was complete when killed", not again.exists())
        batches.append(0)
        with watching(count):
            path(setting, again)
        comparison.holds(f"{name}: began again after it was killed", batches[-1] < batches[-2])
        expected, actual = result(whole), result(again)
        if isinstance(expected, bytes):
            comparison.holds(f"{name}: other samples after it was killed", actual == expected)
        else:
            same = 0.0 if setting.device == "cpu" else TOLERANCE[FLOAT32]
            comparison.close(f"{name}, resumed", actual, expected, same or 1e-12)


KILLED = -signal.SIGKILL
LONGEST = 120  # seconds that a process of a check may take


def _train_pairs(setting: Setting, out: Path) -> None:
    train, held_out = _examples(30, 1, True), _examples(30, 2, True)
    fine_tune(setting.bert, train, held_out, out, PAIRS, SEED, device=setting.device)


def _weights(out: Path) -> np.ndarray:
    """All log-probabilities of a trained classifier."""
    held_out = _examples(30, 2, True)
    return load_classifier(out, "cpu").log_probabilities(held_out.texts, held_out.pairs)


def _write_samples(setting: Setting, out: Path) -> None:
    generate(setting.model(setting.gpt2, "causal"), out, SAMPLES, SAMPLED, SEED)


def _killed(path: Callable[[Setting, Path], None], setting: Setting, out: Path) -> int | None:
    """The exit code of a process that runs a path until something is kept, and kills itself."""
    # CUDA cannot be used in a copy of a process that has used it.
    way = "fork" if setting.device == "cpu" else "spawn"
    return _in_process(way, _until_kept, path, setting, out)


def _until_kept(path: Callable[[Setting, Path], None], setting: Setting, out: Path) -> None:
    def kill(*_: object) -> None:
        kept = [*out.parent.glob(f"{out.name}.*.part/checkpoint.pt")]
        kept += [part for part in out.parent.glob(f"{out.name}.*.part") if part.is_file()]
        if any(part.stat().st_size for part in kept):
            os.kill(os.getpid(), signal.SIGKILL)

    torch.set_num_threads(1)  # the threads of the process that this is a copy of are not in it
    with watching(kill):
        path(setting, out)


def _real_shape(setting: Setting) -> Iterator[Output]:
    folder = made_up.bert_base(setting.work / "bert-base")
    rng, size = np.random.default_rng(SEED), {"words": made_up.REAL_WORDS}
    texts = made_up.sentences(4, rng, lengths=(8, 24), **size)
    spans = [made_up.spans_of(text) for text in texts]
    result = extract(setting.model(folder, "encoder", SEED), texts, spans, layer=12)
    yield Output(vectors, "BERT-base", setting.tolerance, result.vectors)


def _is_rounded(setting: Setting, comparison: Comparison) -> None:
    if setting.dtype != FLOAT32:
        difference = comparison.difference * setting.tolerance
        what = f"as exact as float32, so not {setting.dtype}"
        comparison.holds(what, difference > ROUNDED)


def _choice(setting: Setting, comparison: Comparison) -> None:
    cards = torch.cuda.device_count()
    try:
        load_model(setting.bert, "encoder", device=f"cuda:{cards}")
        comparison.problems.append(f"no error where cuda:{cards} is not there")
    except UserError as error:
        comparison.holds(str(error), "is not available" in str(error))
    if not cards:
        comparison.notes.append("no card")
        return
    last = cards - 1
    before = [torch.cuda.memory_allocated(card) for card in range(cards)]
    model = load_model(setting.bert, "encoder", device=f"cuda:{last}")
    used = [torch.cuda.memory_allocated(card) > before[card] for card in range(cards)]
    comparison.holds(f"cuda:{last} is not the card that was used", used == [False] * last + [True])
    comparison.holds(f"the model is on {model.device}", model.device.index == last)
    code = _in_process("spawn", _has_one_card, setting, environment={VISIBLE: _last_card(cards)})
    comparison.holds("a process that is shown one card sees others, or none", code == 0)
    comparison.notes.append(f"{cards} cards" if cards > 1 else "one card")


VISIBLE = "CUDA_VISIBLE_DEVICES"


def _last_card(cards: int) -> str:
    """The last of the cards that this process sees, as CUDA is told of it."""
    listed = os.environ.get(VISIBLE)
    return listed.split(",")[cards - 1] if listed else str(cards - 1)


def _has_one_card(setting: Setting) -> None:
    """Exit with status 0 if there is one card and it can be used."""
    model = load_model(setting.bert, "encoder", device="cuda")
    extract(model, ["w1 w2"], [[(0, 2)]], layer=1)
    sys.exit(0 if torch.cuda.device_count() == 1 else 1)


def _in_process(
    way: str, function: Callable, *arguments: object, environment: dict[str, str] | None = None
) -> int | None:
    """The exit code of a process that runs a function; negative for a signal."""
    before = dict(os.environ)
    os.environ |= environment or {}
    try:
        process = multiprocessing.get_context(way).Process(target=function, args=arguments)
        process.start()
    finally:
        os.environ.clear()
        os.environ |= before
    process.join(LONGEST)
    return process.exitcode


@dataclass(frozen=True)
class Check:
    """What is compared with the CPU in float64, what else is checked, and the dtypes for it."""

    path: Route | None = None
    dtypes: tuple[str, ...] = (FLOAT32,)
    also: Callable[[Setting, Comparison], None] | None = None


ANY = (FLOAT32, TF32, BFLOAT16)
CHECKS = {
    "extraction": Check(_extraction, ANY),
    "extraction at BERT-base's shape": Check(_real_shape, ANY, _is_rounded),
    "features": Check(_features, ANY),
    "reduction": Check(_reduction, ANY),
    "probe": Check(_probe, ANY),
    "likelihood": Check(_likelihood),
    "pseudo-likelihood": Check(_pseudo_likelihood),
    "next-sentence scores": Check(_next_sentence_scores),
    "scoring again in float64": Check(_rescoring),
    "scores in parts": Check(also=_parts),
    "next-sentence training": Check(_next_sentence_training, ANY),
    "fine-tuning": Check(_text_training, ANY),
    "conditional random field": Check(_crf),
    "tagging": Check(_tagging, ANY),
    "generation": Check(_generation, ANY),
    "out of memory": Check(also=_memory),
    "killed and resumed": Check(also=_interruption),
    "choice of a card": Check(also=_choice),
}
