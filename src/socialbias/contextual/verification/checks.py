"""The checks: each runs one path on the device and compares it with its definition."""

from __future__ import annotations

import json
import multiprocessing
import os
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from time import perf_counter

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn
from torch.nn import functional

from socialbias.contextual import causal_scoring
from socialbias.contextual.crf import Crf
from socialbias.contextual.extract import Span, extract
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
from socialbias.contextual.models import Kind, Model, load_model
from socialbias.contextual.probe import Settings, probe, split
from socialbias.contextual.reduction import Sentence, reduce_words
from socialbias.contextual.scoring import Scores, score
from socialbias.contextual.scoring_methods import CLOSE_SUMS, Intersentence, Intrasentence, Pair
from socialbias.contextual.tagging import Tagged, TagHead, fine_tune_tagger, load_tagger
from socialbias.contextual.threads import one_thread
from socialbias.contextual.token_scores import TokenScorer
from socialbias.contextual.training import Options
from socialbias.contextual.verification import made_up, reference
from socialbias.contextual.verification.comparing import Comparison, nearest
from socialbias.contextual.verification.reference import Array, Reference
from socialbias.errors import UserError
from socialbias.measures.spans import bilou, bilou_tags, may_follow
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
    """What checks run on.

    Attributes:
        device: As `load_model` takes it.
        work: A folder for what checks write; `bert` and `gpt2` in it are the models.
    """

    device: str
    work: Path

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

    def model(self, folder: Path, kind: Kind, dtype: str = FLOAT32) -> Model:
        """A model on the device."""
        return load_model(folder, kind, device=self.device, dtype=dtype)

    @cached_property
    def texts(self) -> list[str]:
        """Texts of 3 to 14 words, some of several pieces."""
        return made_up.with_long_words(made_up.sentences(40, np.random.default_rng(SEED)))

    @cached_property
    def real_shape(self) -> tuple[Path, list[str], list[list[Span]], Array]:
        """A folder in the shape of BERT-base, texts, their words and these words' vectors."""
        folder = made_up.bert_base(self.work / "bert-base")
        rng, size = np.random.default_rng(SEED), {"words": made_up.REAL_WORDS}
        texts = made_up.sentences(4, rng, lengths=(8, 24), **size)
        spans = [made_up.spans_of(text) for text in texts]
        truth = Reference(folder, "encoder", seed=SEED)
        each = [truth.word_vectors(*text, 12) for text in zip(texts, spans, strict=True)]
        return folder, texts, spans, np.concatenate(each)


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
    comparison, started = Comparison(), perf_counter()
    try:
        with one_thread():
            CHECKS[name].function(setting, dtype, comparison)
    except Exception as error:  # any error, so that the other checks still run
        lines = str(error).splitlines() or [""]
        comparison.problems.append(f"{type(error).__name__}: {lines[0][:200]}")
    return Result(name, dtype, comparison, perf_counter() - started)


def _extraction(setting: Setting, dtype: str, comparison: Comparison) -> None:
    spans = [made_up.spans_of(text) for text in setting.texts]
    for folder, layer in ((setting.bert, 3), (setting.bert, 1), (setting.gpt2, 2)):
        model, truth = setting.model(folder, "encoder", dtype), Reference(folder, "encoder")
        actual = extract(model, setting.texts, spans, layer=layer).vectors
        each = zip(setting.texts, spans, strict=True)
        expected = np.concatenate([truth.word_vectors(*text, layer) for text in each])
        _vectors(comparison, f"{folder.name}, layer {layer}", actual, expected, TOLERANCE[dtype])


def _vectors(comparison: Comparison, what: str, actual, expected, tolerance: float) -> None:
    """Compare vectors, and for each of some which one is nearest to it."""
    comparison.close(f"vectors of {what}", actual, expected, tolerance)
    best, margins = nearest(expected)
    # Errors of a vector's numbers partly cancel in a cosine.
    comparison.same(f"nearest of {what}", nearest(actual)[0], best, margins, tolerance / 10)


def _features(setting: Setting, dtype: str, comparison: Comparison) -> None:
    texts = setting.texts
    pairs = [*texts[1:], texts[0]]
    cases = [(setting.bert, "mean", None), (setting.bert, "first", pairs)]
    for folder, pooling, seconds in [*cases, (setting.gpt2, "mean", None)]:
        model, truth = setting.model(folder, "encoder", dtype), Reference(folder, "encoder")
        actual = text_features(model, texts, seconds, pooling)
        partners = seconds or [None] * len(texts)
        each = zip(texts, partners, strict=True)
        expected = np.array([truth.feature(*text, pooling) for text in each])
        _vectors(comparison, f"{folder.name}, {pooling}", actual, expected, TOLERANCE[dtype])


def _reduction(setting: Setting, dtype: str, comparison: Comparison) -> None:
    words, draws, layer = [f"w{i}" for i in range(24)], 3, 3
    rng = np.random.default_rng(SEED)
    texts = made_up.sentences(60, rng, words=26, lengths=(4, 10))
    sentences = []
    for number, text in enumerate(texts):
        spans = [(text[a:b], (a, b)) for a, b in made_up.spans_of(text)]
        mentions = [(words.index(word), span) for word, span in spans if word in words[:23]]
        numbers, places = zip(*mentions, strict=True) if mentions else ((), ())
        sentences.append(Sentence(number // 5, text, numbers, places, number))
    model, truth = setting.model(setting.bert, "encoder", dtype), Reference(setting.bert, "encoder")
    reduced = reduce_words(model, sentences, words, layer=layer, draws=draws, seed=SEED)
    totals = np.zeros((draws + 1, len(words), made_up.WIDTH))
    weights = np.zeros((draws + 1, len(words)))
    for sentence in filter(lambda sentence: sentence.words, sentences):
        vectors = truth.word_vectors(sentence.text, sentence.spans, layer)
        drawn = generator(SEED, "reduction", sentence.document).poisson(1, draws)
        for word in set(sentence.words):
            mean = vectors[[w == word for w in sentence.words]].mean(axis=0)
            totals[:, word] += np.r_[1, drawn][:, None] * mean
            weights[:, word] += np.r_[1, drawn]
    alone = np.array([truth.word_vectors(word, [(0, len(word))], layer)[0] for word in words])
    known = weights[..., None] > 0
    expected = np.where(known, totals / np.maximum(weights, 1)[..., None], alone)
    actual = np.concatenate([reduced.vectors[None], reduced.resampled])
    for draw, pair in enumerate(zip(actual, expected, strict=True)):
        what = f"draw {draw}" if draw else "words"
        _vectors(comparison, what, *pair, TOLERANCE[dtype])


def _probe(setting: Setting, dtype: str, comparison: Comparison) -> None:
    rng = np.random.default_rng(SEED)
    texts = [f"w{i % 4} {text}" for i, text in enumerate(made_up.sentences(160, rng, words=6))]
    targets = np.arange(len(texts)) % 4
    labels = np.array(["w5" in text.split() for text in texts], int)
    spans = [[made_up.spans_of(text)[0]] for text in texts]
    model, truth = setting.model(setting.bert, "encoder", dtype), Reference(setting.bert, "encoder")
    vectors = extract(model, texts, spans, layer=3).vectors
    settings = Settings(epochs=6, learning_rate=1e-2)
    options = {"n_targets": 4, "k": 2, "settings": settings, "seed": SEED}
    [actual] = probe({"bert": vectors}, labels, targets, **options).runs
    features = [truth.word_vectors(*text, 3)[0] for text in zip(texts, spans, strict=True)]
    features, training = np.array(features), split(targets, settings.train_share)
    rng = generator(SEED, "probe", "bert", "real", 0)
    weights, intercepts = reference.probe(features[training], labels[training], 3, settings, rng)
    chances = reference.softmax(features[~training] @ weights.T + intercepts)
    # Training adds up what rounding does to each step.
    tolerance = 2 * TOLERANCE[dtype]
    comparison.close("probabilities", actual.probabilities, chances, tolerance)
    ordered = np.sort(chances, axis=1)
    margins = ordered[:, -1] - ordered[:, -2]
    comparison.same(
        "predictions", actual.predictions, chances.argmax(axis=1), margins, tolerance / 4
    )


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


def _scores(comparison: Comparison, what: str, actual: Scores, expected, nats: float) -> None:
    """Compare scores, all of which are decided: near ties are scored again in float64."""
    values, expected = actual.values, np.asarray(expected)
    comparison.close(what, values, expected, nats, scale=1.0)
    first, second = np.triu_indices(expected.shape[1], 1)
    above, truth = (np.sign(x[:, first] - x[:, second]) for x in (values, expected))
    comparison.same(f"preferences by {what}", above, truth, np.ones(truth.shape), 0)


def _likelihood(setting: Setting, dtype: str, comparison: Comparison) -> None:
    scorer = TokenScorer(setting.model(setting.gpt2, "causal"))
    comparison.holds("endings are not run side by side", scorer.shares)
    truth, items, pairs = Reference(setting.gpt2, "causal"), _intrasentence(20), _intersentence(20)
    found = score(scorer, items, ["sentence_sum", "sentence_mean", "sentence_released"])
    logs = [[truth.sentence(text) for text in item.sentences] for item in items]
    released = [[truth.released(text).mean() for text in item.sentences] for item in items]
    sums = [[each.sum() for each in item] for item in logs]
    means = [[each.mean() for each in item] for item in logs]
    _scores(comparison, "sums of log-probabilities", found["sentence_sum"], sums, 10 * NATS)
    _scores(comparison, "means of log-probabilities", found["sentence_mean"], means, NATS)
    _scores(comparison, "geometric means", found["sentence_released"], np.exp(released), NATS)
    ratios = [[truth.ratio(item.context, text) for text in item.sentences] for item in pairs]
    found = score(scorer, pairs, ["ratio"])
    _scores(comparison, "ratios", found["ratio"], ratios, 10 * NATS)


def _pseudo_likelihood(setting: Setting, dtype: str, comparison: Comparison) -> None:
    scorer = TokenScorer(setting.model(setting.bert, "masked"))
    truth, items, pairs = Reference(setting.bert, "masked"), _intrasentence(5), _intersentence(5)
    found = score(scorer, items, ["pseudo_likelihood", "likelihood_corrected"])
    around, inside = [], []
    for item in items:
        lead = len(truth.tokens(item.context.partition("BLANK")[0]))
        sizes = [len(truth.tokens(word)) for word in item.attributes]
        gaps = [list(range(lead + 1, lead + 1 + size)) for size in sizes]
        each = list(zip(item.sentences, gaps, strict=True))
        others = [
            [i for i in range(1, len(truth.tokens(text)) + 1) if i not in gap] for text, gap in each
        ]
        around.append(
            [truth.pseudo_likelihood(*x) for x in zip(item.sentences, others, strict=True)]
        )
        inside.append([truth.from_left(text, gap) for text, gap in each])
    _scores(comparison, "contexts given words", found["pseudo_likelihood"], around, 10 * NATS)
    _scores(comparison, "words given contexts", found["likelihood_corrected"], inside, NATS)
    found = score(scorer, pairs, ["pseudo_likelihood"])
    expected = []
    for item in pairs:
        places = range(1, len(truth.tokens(item.context)) + 1)
        expected.append(
            [truth.pseudo_likelihood(item.context, places, text) for text in item.sentences]
        )
    _scores(comparison, "contexts given sentences", found["pseudo_likelihood"], expected, 10 * NATS)


def _next_sentence_scores(setting: Setting, dtype: str, comparison: Comparison) -> None:
    items = _intersentence(20)
    scorer = TokenScorer(setting.model(setting.bert, "next-sentence"))
    truth = Reference(setting.bert, "next-sentence")
    expected = [[truth.follows(item.context, text) for text in item.sentences] for item in items]
    found = score(scorer, items, ["next_sentence"])["next_sentence"]
    _scores(comparison, "log-odds", found, expected, NATS)


def _rescoring(setting: Setting, dtype: str, comparison: Comparison) -> None:
    scorer = TokenScorer(setting.model(setting.gpt2, "causal"))
    truth, rng = Reference(setting.gpt2, "causal"), np.random.default_rng(SEED)
    pool = [Pair((text, text)) for text in made_up.sentences(600, rng, lengths=(4, 8))]
    rows = [causal_scoring.sentence(scorer.model, pair.sentences[0])[0] for pair in pool]
    values = np.array([logs.sum() for logs in scorer(rows)])
    order = values.argsort()
    near = np.flatnonzero(np.diff(values[order]) < CLOSE_SUMS / 2)[:12]
    texts = [pair.sentences[0] for pair in pool]
    items = [Pair((texts[order[i + 1]], texts[order[i]])) for i in near] + pool[:1]
    found = score(scorer, items, ["sentence_sum"])
    expected = [[truth.sentence(text).sum() for text in item.sentences] for item in items]
    comparison.holds(
        "some near ties were not scored again", bool(found["sentence_sum"].again.all())
    )
    _scores(comparison, "near ties", found["sentence_sum"], expected, EXACT)
    comparison.notes.append(f"{len(near)} near ties and one tie")
    if scorer.model.device.type == "cpu":
        return

    def full(pieces: int, weights: torch.Tensor) -> None:
        if weights.dtype == torch.float64 and weights.device.type != "cpu":
            raise torch.OutOfMemoryError("out of memory, for a test")

    with watching(full):
        found = score(TokenScorer(scorer.model), items, ["sentence_sum"])
    _scores(comparison, "near ties, by the CPU", found["sentence_sum"], expected, EXACT)


def _parts(setting: Setting, dtype: str, comparison: Comparison) -> None:
    scorer = TokenScorer(setting.model(setting.gpt2, "causal"))
    items = _intrasentence(30)
    whole = score(scorer, items, ["sentence_sum"])["sentence_sum"].values
    parts = [score(scorer, part, ["sentence_sum"]) for part in (items[:7], items[7:])]
    values = np.concatenate([part["sentence_sum"].values for part in parts])
    comparison.close("scores in two parts", values, whole, NATS, scale=1.0)
    ones = np.ones(len(items))
    comparison.same("preferences", values.argsort(1)[:, 0], whole.argsort(1)[:, 0], ones, 0)


PAIRS = replace(
    NEXT_SENTENCE, epochs=2, batch=6, learning_rate=2e-3, warmup=2, hidden=(8,), length=40,
    tokens=64, checkpoint=3,
)  # fmt: skip
TEXTS = replace(SENTIMENT, epochs=2, batch=6, learning_rate=2e-3, length=40, tokens=64)


def _examples(n: int, seed: int, pairs: bool) -> Examples:
    """Texts, or pairs, whose class depends on their words."""
    rng = np.random.default_rng(seed)
    texts = made_up.sentences(n, rng, words=8, lengths=(2, 9))
    labels = [text.split().count("w1") + text.split().count("w2") > 0 for text in texts]
    seconds = made_up.sentences(n, rng, words=8, lengths=(1, 6)) if pairs else None
    return Examples(texts, np.array(labels, int), seconds)


def _fine_tuned(
    setting: Setting, dtype: str, comparison: Comparison, folder: Path, options: Options
) -> None:
    """Compare a trained classifier: the loss of its steps, and what it predicts."""
    pairs, sees_all = options.hidden != (), folder == setting.bert
    train, held_out = _examples(30, 1, pairs), _examples(30, 2, pairs)
    out = setting.work / f"{folder.name}-{dtype}-classifier"
    options = replace(options, dtype=dtype)
    report = fine_tune(folder, train, held_out, out, options, SEED, device=setting.device)
    found = load_classifier(out, setting.device)
    actual = found.log_probabilities(held_out.texts, held_out.pairs)

    truth = Reference(folder, "encoder")
    head = reference.new_head(lambda: reference.linear([made_up.WIDTH, *options.hidden, 2]), SEED)
    labels = torch.as_tensor(np.asarray(train.labels))

    def logits(examples: Examples, i: int) -> torch.Tensor:
        pair = None if examples.pairs is None else examples.pairs[i]
        inputs = truth.inputs(examples.texts[i], pair)
        hidden = truth.network(**inputs).last_hidden_state[0]
        return head(hidden[0] if sees_all else hidden.mean(dim=0))

    def loss(i: int) -> torch.Tensor:
        return functional.cross_entropy(logits(train, i), labels[i])

    losses = reference.train(truth.network, head, loss, len(labels), options, SEED)
    with torch.no_grad():
        each = [logits(held_out, i).log_softmax(-1).numpy() for i in range(len(held_out.texts))]
    _trained(comparison, dtype, report["loss"], losses, actual, np.array(each))


def _trained(comparison: Comparison, dtype: str, loss: float, losses, actual, expected) -> None:
    """Compare the mean loss, and log-probabilities (n, k) and their largest."""
    # Each step adds up what rounding did to those before.
    tolerance = 2 * TOLERANCE[dtype]
    comparison.close("mean loss", [loss], [losses.mean()], tolerance)
    comparison.holds("nothing was learned", losses[-3:].mean() < losses[:3].mean())
    comparison.close("log-probabilities", actual, expected, tolerance)
    ordered = np.sort(expected, axis=1)
    margins = ordered[:, -1] - ordered[:, -2]
    comparison.same("predictions", actual.argmax(1), expected.argmax(1), margins, tolerance / 4)


def _next_sentence_training(setting: Setting, dtype: str, comparison: Comparison) -> None:
    _fine_tuned(setting, dtype, comparison, setting.bert, PAIRS)


def _text_training(setting: Setting, dtype: str, comparison: Comparison) -> None:
    _fine_tuned(setting, dtype, comparison, setting.gpt2, TEXTS)


def _crf(setting: Setting, dtype: str, comparison: Comparison) -> None:
    torch.manual_seed(SEED)
    chain = Crf(3)
    with torch.no_grad():
        chain.between.copy_(torch.randn(3, 3) * 2)
    scores, lengths = torch.randn(12, 5, 3), torch.arange(12) % 4 + 2
    mask = torch.arange(5) < lengths[:, None]
    tags = torch.randint(3, (12, 5))
    device = setting.model(setting.bert, "encoder").device
    moved = chain.to(device)
    with torch.no_grad():
        loss = moved.loss(scores.to(device), mask.to(device), tags.to(device))
        best = moved.best(scores.to(device), mask.to(device))
    between, expected, paths, margins = chain.between.detach().double().cpu(), 0.0, [], []
    for i, n in enumerate(lengths.tolist()):
        every, of_paths = reference.paths(scores[i, :n].double(), between)
        own = (every == tags[i, :n]).all(dim=1)
        expected += float(of_paths.logsumexp(0) - of_paths[own][0])
        first, second = of_paths.topk(2).values.tolist()
        paths.append(every[of_paths.argmax()].tolist())
        margins.append(first - second)
    comparison.close("loss", [float(loss)], [expected], TOLERANCE[FLOAT32])
    different = [a != b for a, b in zip(best, paths, strict=True)]
    comparison.same("best sequences", different, [False] * 12, margins, 1e-4)


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


def _tagging(setting: Setting, dtype: str, comparison: Comparison) -> None:
    train, held_out = _tagged(24, 1), _tagged(24, 2)
    options = replace(TEXTS, learning_rate=5e-3, dtype=dtype)
    out = setting.work / f"{dtype}-tagger"
    where = {"crf": True, "device": setting.device}
    report = fine_tune_tagger(setting.bert, train, held_out, out, options, SEED, **where)
    actual, probable = load_tagger(out, setting.device).predict(held_out.words)

    truth, names = Reference(setting.bert, "encoder"), bilou_tags(("X",))
    head = reference.new_head(lambda: TagHead(made_up.WIDTH, len(names), True), SEED)

    def scores(words: list[str]) -> torch.Tensor:
        hidden = truth.network(**truth.inputs(" ".join(words), None)).last_hidden_state[0]
        return head.linear(hidden[1:-1])  # each word is one piece

    def loss(i: int) -> torch.Tensor:
        every, of_paths = reference.paths(scores(train.words[i]), head.crf.between)
        own = torch.tensor([names.index(tag) for tag in train.tags[i]])
        return of_paths.logsumexp(0) - of_paths[(every == own).all(dim=1)][0]

    losses = reference.train(truth.network, head, loss, len(train.words), options, SEED)
    tolerance = 2 * TOLERANCE[dtype]
    comparison.close("mean loss", [report["loss"]], [losses.mean()], tolerance)
    different, margins, inside = [], [], []
    with torch.no_grad():
        for words, tags in zip(held_out.words, actual, strict=True):
            inside.append(scores(words).softmax(1)[:, 1:].sum(dim=1, keepdim=True))
            every, of_paths = reference.paths(scores(words), head.crf.between)
            each = [[names[i] for i in path] for path in every.tolist()]
            allowed = torch.tensor([_is_allowed(path) for path in each])
            of_paths = of_paths.masked_fill(~allowed, -torch.inf)
            first, second = of_paths.topk(2).values.tolist()
            different.append(tags != each[int(of_paths.argmax())])
            margins.append(first - second)
    comparison.close("probabilities", np.concatenate(probable), np.concatenate(inside), tolerance)
    none = [False] * len(different)
    comparison.same("tags of sentences", different, none, margins, tolerance / 4)


def _is_allowed(tags: list[str]) -> bool:
    """Whether a sentence may have these tags in BILOU."""
    return all(may_follow(b, a) for a, b in zip(["O", *tags], [*tags, "O"], strict=True))


SAMPLES, SAMPLED = 12, SampleOptions(tokens=12, batch=4)


def _generation(setting: Setting, dtype: str, comparison: Comparison) -> None:
    model, truth = setting.model(setting.gpt2, "causal", dtype), Reference(setting.gpt2, "causal")
    path = setting.work / f"{dtype}.jsonl"
    generate(model, path, SAMPLES, SAMPLED, SEED)
    actual, expected, margins = [], [], []
    for number, (tokens, ended) in enumerate(_samples(path, truth)):
        own, distances = truth.sample(number, SEED, SAMPLED.tokens)
        tokens = [*tokens, truth.tokenizer.eos_token_id] if ended else tokens
        # What comes after a different token is another text.
        agree = [a == b for a, b in zip(tokens, own, strict=False)]
        n = agree.index(False) + 1 if False in agree else len(agree)
        comparison.holds(f"sample {number} has a wrong length", n < len(own) or tokens == own)
        actual += tokens[:n]
        expected += own[:n]
        margins += distances[:n]
    comparison.same("tokens", actual, expected, margins, TOLERANCE[dtype] / 10)


def _samples(path: Path, truth: Reference) -> Iterator[tuple[list[int], bool]]:
    """The tokens of each sample in a file, and whether the model ended it."""
    for line in path.read_text("utf-8").splitlines():
        sample = json.loads(line)
        yield truth.tokens(sample["text"]), sample["ended"]


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


def _memory(setting: Setting, dtype: str, comparison: Comparison) -> None:
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


def _interruption(setting: Setting, dtype: str, comparison: Comparison) -> None:
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


def _real_shape(setting: Setting, dtype: str, comparison: Comparison) -> None:
    folder, texts, spans, expected = setting.real_shape
    model = load_model(folder, "encoder", device=setting.device, dtype=dtype, seed=SEED)
    actual = extract(model, texts, spans, layer=12).vectors
    _vectors(comparison, "BERT-base", actual, expected, TOLERANCE[dtype])
    if dtype != FLOAT32:
        difference = comparison.difference * TOLERANCE[dtype]
        comparison.holds(f"as exact as float32, so not {dtype}", difference > ROUNDED)


def _choice(setting: Setting, dtype: str, comparison: Comparison) -> None:
    cards = torch.cuda.device_count()
    try:
        load_model(setting.bert, "encoder", device=f"cuda:{cards}")
        comparison.problems.append(f"no error where cuda:{cards} is not there")
    except UserError as error:
        comparison.holds(str(error), "is not available" in str(error))
    if not cards:
        comparison.notes.append("no card here")
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
    """A check and what it can be run in."""

    function: Callable[[Setting, str, Comparison], None]
    dtypes: tuple[str, ...] = (FLOAT32,)


ANY = (FLOAT32, TF32, BFLOAT16)
CHECKS = {
    "extraction": Check(_extraction, ANY),
    "extraction at BERT-base's shape": Check(_real_shape, ANY),
    "features": Check(_features, ANY),
    "reduction": Check(_reduction, ANY),
    "probe": Check(_probe, ANY),
    "likelihood": Check(_likelihood),
    "pseudo-likelihood": Check(_pseudo_likelihood),
    "next-sentence scores": Check(_next_sentence_scores),
    "scoring again in float64": Check(_rescoring),
    "scores in parts": Check(_parts),
    "next-sentence training": Check(_next_sentence_training, ANY),
    "fine-tuning": Check(_text_training, ANY),
    "conditional random field": Check(_crf),
    "tagging": Check(_tagging, ANY),
    "generation": Check(_generation, ANY),
    "out of memory": Check(_memory),
    "killed and resumed": Check(_interruption),
    "choice of a card": Check(_choice),
}
