"""What small language models learn from a corpus: the next word, or the masked ones."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from itertools import pairwise

import numpy as np
import torch
from numpy.typing import NDArray
from torch.nn import functional
from transformers import BertConfig, BertForMaskedLM, GPT2Config, GPT2LMHeadModel

from socialbias.contextual.vocabulary import Vocabulary, vocabulary
from socialbias.corpora.prepared import Corpus
from socialbias.errors import UserError
from socialbias.seeding import generator

AT_ONCE = 4096  # words that are evaluated at a time
GPT2_SPECIAL = {"unk_token": "<unk>", "eos_token": "<eos>"}
BERT_SPECIAL = {"pad_token": "[PAD]", "unk_token": "[UNK]", "cls_token": "[CLS]"}
BERT_SPECIAL |= {"sep_token": "[SEP]", "mask_token": "[MASK]"}


@dataclass(frozen=True)
class Options:
    """What is trained, and how; the defaults are for a GPT-2 of some million words.

    Attributes:
        words: The corpus's most frequent words that the model knows.
        keep: Words that it knows however rare they are, such as targets and words of groups.
        layers: Blocks of attention.
        width: Of a vector; a multiple of `heads`.
        heads: Of attention.
        length: Words of a block, the longest text that the model can read at once.
        passage: Most words of the passages, runs of whole sentences, that documents are cut into
            before each is ended by a mark; None for whole documents. With passages a GPT-2 learns
            to begin and to end wherever a sentence does, so that its samples are passages of the
            corpus as a whole and not beginnings of documents.
        epochs: Times that the training part is gone through; may be a fraction.
        batch: Blocks of a step.
        learning_rate: The highest one; it rises to it and then falls to zero, both linearly.
        warmup: Share of the steps in which it rises.
        weight_decay: Of AdamW, on matrices.
        clip: Longest gradient; longer ones are shortened.
        noise: GPT-2 only. Words that stand in for the whole vocabulary in a training step, beside
            those of the batch itself; 0 for the whole vocabulary.
        masked: BERT only. Share of words that are predicted.
        held_out: Share of the documents, the last ones, that are not trained on.
    """

    words: int = 5000
    keep: tuple[str, ...] = ()
    layers: int = 2
    width: int = 64
    heads: int = 4
    length: int = 64
    passage: int | None = None
    epochs: float = 1.0
    batch: int = 16
    learning_rate: float = 6e-3
    warmup: float = 0.05
    weight_decay: float = 0.01
    clip: float = 1.0
    noise: int = 500
    masked: float = 0.15
    held_out: float = 0.05


@dataclass(frozen=True)
class Text:
    """A corpus as numbers of a model, in two parts.

    Attributes:
        train: (n,) the training part: texts with a mark before each, and behind the last.
        test: (m,) the held-out part.
        documents: How many documents the training part has.
        known: The vocabulary.
        options: How it was made.
        seed: The configuration's.
    """

    train: NDArray[np.int64]
    test: NDArray[np.int64]
    documents: int
    known: Vocabulary
    options: Options
    seed: int

    @classmethod
    def of(cls, corpus: Corpus, known: Vocabulary, options: Options, mark: str, seed: int) -> Text:
        """Read a corpus; `mark` is the role of the special word that ends a text.

        Raises:
            UserError: one document, or fewer tokens than a block.
        """
        parts, role = _parts(corpus, options), known.number(mark)
        streams = [_stream(corpus, known, part, options.passage, role) for part in parts]
        if len(streams[0]) <= options.length:
            raise UserError(
                f"language model: the training part has {len(streams[0])} tokens, fewer than a "
                f"block of {options.length}: give it more text, or lower `length`"
            )
        return cls(*streams, len(parts[0]), known, options, seed)

    def facts(self) -> dict:
        """What a report says before anything is trained."""
        unknown = self.train == self.known.number("unk_token")
        return {
            "options": asdict(self.options),
            "seed": self.seed,
            "vocabulary": len(self.known.words) - len(self.known.special),
            "documents": self.documents,
            "tokens": len(self.train),
            "unknown": float(unknown.mean()),
        }

    def unigram(self) -> NDArray[np.float64]:
        """The chance of each word in the training part, each counted once more than it occurs."""
        counts = np.bincount(self.train, minlength=len(self.known.words)) + 1.0
        return counts / counts.sum()


def _lower(corpus: Corpus) -> bool:
    """Whether the corpus's text was lower-cased."""
    return corpus.report.get("lower") in ("before", "after")


def _parts(corpus: Corpus, options: Options) -> tuple[range, range]:
    """The documents that are trained on, and those that are held out."""
    last = corpus.size - max(1, round(options.held_out * corpus.size))
    if last < 1:
        raise UserError(
            "language model: the corpus has one document: none is left to be held out; cut it "
            "into several"
        )
    return range(last), range(last, corpus.size)


def _stream(
    corpus: Corpus, known: Vocabulary, documents: range, passage: int | None, mark: int
) -> NDArray[np.int64]:
    """The model's numbers of some documents, a mark before each text and behind the last."""
    first, last = corpus.documents[[documents.start, documents.stop]]
    if passage is None:
        starts = corpus.documents[documents.start : documents.stop]
    else:
        starts = _passages(corpus, documents, passage)
    numbers = known.numbers[corpus.tokens[first:last]]
    return np.append(np.insert(numbers, starts - first, mark), mark)


def _passages(corpus: Corpus, documents: range, longest: int) -> NDArray[np.int64]:
    """The first tokens of passages: as many whole sentences of a document as do not exceed it."""
    first, last = np.searchsorted(
        corpus.sentences, corpus.documents[[documents.start, documents.stop]]
    )
    begins = set(corpus.documents[documents.start : documents.stop].tolist())
    starts: list[int] = []
    bounds = corpus.sentences[first : last + 1].tolist()
    for start, end in pairwise(bounds):
        if start in begins or end - starts[-1] > longest:
            starts.append(start)
    return np.asarray(starts, np.int64)


class Causal:
    """GPT-2, and how it learns: from blocks, each the text behind the one before."""

    name, kind = "gpt2", "causal"

    def __init__(self, corpus: Corpus, options: Options, seed: int):
        known = vocabulary(corpus, options.words, GPT2_SPECIAL, options.keep)
        self.tokenizer = known.tokenizer(lower=_lower(corpus), length=options.length)
        self.tokenizer.bos_token = GPT2_SPECIAL["eos_token"]
        self.text = Text.of(corpus, known, options, "eos_token", seed)
        self.network = _gpt2(len(known.words), known.number("eos_token"), options, seed)
        self.blocks = (len(self.text.train) - 1) // options.length
        self._stream = torch.from_numpy(self.text.train)
        self._places = torch.arange(options.length + 1)
        self._candidates = _Candidates(self.text.unigram(), options.noise)

    def loss(self, blocks: NDArray[np.int64], rng: np.random.Generator) -> torch.Tensor:
        """Mean cross-entropy of the next words in some blocks."""
        starts = torch.from_numpy(blocks)[:, None] * self.text.options.length
        rows = self._stream[starts + self._places]
        hidden, goals = self._hidden(rows), rows[:, 1:].flatten()
        embedding = self.network.lm_head.weight
        if not self._candidates.fewer(len(goals)):
            return functional.cross_entropy(hidden @ embedding.T, goals)
        chosen, places, chances = self._candidates.draw(goals, rng)
        scores = torch.addmm(-chances.log(), hidden, functional.embedding(chosen, embedding).T)
        return functional.cross_entropy(scores, places)

    def _hidden(self, rows: torch.Tensor) -> torch.Tensor:
        """Vectors before each word of the rows but the first, one below the other."""
        states = self.network.transformer(rows[:, :-1], use_cache=False).last_hidden_state
        return states.flatten(0, 1)

    @torch.no_grad()
    def held_out(self) -> tuple[int, float, float]:
        """Tokens, mean loss over the whole vocabulary, and that of the words' frequencies."""
        total = 0.0
        for rows in _rows(self.text.test, self.text.options.length):
            scores = self._hidden(rows) @ self.network.lm_head.weight.T
            total += functional.cross_entropy(scores, rows[:, 1:].flatten(), reduction="sum").item()
        goals = self.text.test[1:]
        return len(goals), total / len(goals), -np.log(self.text.unigram()[goals]).mean()


def _rows(stream: NDArray[np.int64], length: int) -> Iterator[torch.Tensor]:
    """Blocks with the word behind each, as many at once as are good, then the shorter last one."""
    words, at_once = torch.from_numpy(stream), max(1, AT_ONCE // length)
    whole = (len(stream) - 1) // length
    if whole:
        rows = words[: whole * length + 1].unfold(0, length + 1, length)
        yield from rows.split(at_once)
    if len(stream) - 1 > whole * length:
        yield words[None, whole * length :]


class _Candidates:
    """Words that stand in for the whole vocabulary."""

    def __init__(self, unigram: NDArray[np.float64], noise: int):
        flat = unigram**0.75  # as word2vec's noise: rarer words get their turn as well
        self._unigram, self._flat, self._noise = unigram, flat / flat.sum(), noise
        self._bounds = np.cumsum(self._flat)

    def fewer(self, goals: int) -> bool:
        """Whether they are fewer than all words."""
        return 0 < self._noise < len(self._unigram) - goals

    def draw(
        self, goals: torch.Tensor, rng: np.random.Generator
    ) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        """Draw noise words.

        Args:
            goals: (n,) the words of the batch, which are candidates as well.
            rng: For the noise.

        Returns:
            (c,) the candidates, (n,) the place of each goal among them, (c,) the chance of each
            to be one, when the batch's words are as random as the noise.
        """
        drawn = np.searchsorted(self._bounds, rng.random(self._noise) * self._bounds[-1], "right")
        both = torch.cat([goals, torch.from_numpy(drawn)])
        chosen, places = torch.unique(both, return_inverse=True)
        never = (1 - self._unigram[chosen]) ** len(goals) * (1 - self._flat[chosen]) ** self._noise
        return chosen, places[: len(goals)], torch.from_numpy(1 - never).float()


class Masked:
    """BERT, and how it learns: from blocks between two marks, some of whose words are masked."""

    name, kind = "bert", "masked"

    def __init__(self, corpus: Corpus, options: Options, seed: int):
        known = vocabulary(corpus, options.words, BERT_SPECIAL, options.keep)
        around = ("cls_token", "sep_token")
        self.tokenizer = known.tokenizer(lower=_lower(corpus), length=options.length, around=around)
        self.text = Text.of(corpus, known, options, "sep_token", seed)
        self.network = _bert(len(known.words), options, seed)
        self._inner = options.length - 2  # two places are for the marks
        self.blocks = len(self.text.train) // self._inner

    def loss(self, blocks: NDArray[np.int64], rng: np.random.Generator) -> torch.Tensor:
        """Mean cross-entropy of the masked words in some blocks."""
        places = blocks[:, None] * self._inner + np.arange(self._inner)
        scores, goals = self._predict(self.text.train[places], rng)
        # A short block may have no word that is masked, and then nothing to learn from.
        return functional.cross_entropy(scores, goals, reduction="sum") / max(1, len(goals))

    def _predict(
        self, rows: NDArray[np.int64], rng: np.random.Generator
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Scores (n, v) of all words for the n masked ones, and these."""
        goals, shown = self._mask(rows, rng)
        states = self.network.bert(torch.from_numpy(shown)).last_hidden_state
        masked = torch.from_numpy(goals >= 0)
        return self.network.cls(states[masked]), torch.from_numpy(goals[goals >= 0])

    def _mask(
        self, rows: NDArray[np.int64], rng: np.random.Generator
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """What is asked for, -1 where nothing is, and what is shown, between its marks."""
        known = self.text.known
        special, size = len(known.special), len(known.words)
        chance, manner = rng.random(rows.shape), rng.random(rows.shape)
        other = rng.integers(special, size, rows.shape)
        asked = (chance < self.text.options.masked) & (rows >= special)
        shown = np.where(asked & (manner < 0.9), other, rows)
        shown[asked & (manner < 0.8)] = known.number("mask_token")
        around = [known.number("cls_token")], [known.number("sep_token")]
        goals = np.pad(np.where(asked, rows, -1), ((0, 0), (1, 1)), constant_values=-1)
        marks = [np.repeat([mark], len(rows), axis=0) for mark in around]
        return goals, np.hstack([marks[0], shown, marks[1]])

    @torch.no_grad()
    def held_out(self) -> tuple[int, float, float]:
        """Masked words, their mean loss, and that of the words' frequencies."""
        rng = generator(self.text.seed, self.name, "held out")
        unigram, total, known, n = self.text.unigram(), 0.0, 0.0, 0
        for rows in _rows(self.text.test, self._inner):
            scores, goals = self._predict(rows[:, :-1].numpy(), rng)
            total += functional.cross_entropy(scores, goals, reduction="sum").item()
            known -= np.log(unigram[goals]).sum()
            n += len(goals)
        return n, total / max(1, n), known / max(1, n)


def _gpt2(size: int, mark: int, options: Options, seed: int) -> GPT2LMHeadModel:
    config = GPT2Config(
        vocab_size=size,
        n_positions=options.length,
        n_embd=options.width,
        n_layer=options.layers,
        n_head=options.heads,
        # The same function as GPT-2's own, computed at once.
        activation_function="gelu_pytorch_tanh",
        # A text is seen once or a few times: there is nothing to learn by heart.
        resid_pdrop=0.0,
        embd_pdrop=0.0,
        attn_pdrop=0.0,
        initializer_range=options.width**-0.5,
        bos_token_id=mark,
        eos_token_id=mark,
    )
    with _torch_seed(seed, "gpt2"):
        return GPT2LMHeadModel(config)


def _bert(size: int, options: Options, seed: int) -> BertForMaskedLM:
    config = BertConfig(
        vocab_size=size,
        max_position_embeddings=options.length,
        hidden_size=options.width,
        num_hidden_layers=options.layers,
        num_attention_heads=options.heads,
        intermediate_size=4 * options.width,
        hidden_dropout_prob=0.0,
        attention_probs_dropout_prob=0.0,
        initializer_range=options.width**-0.5,
        pad_token_id=list(BERT_SPECIAL).index("pad_token"),
    )
    with _torch_seed(seed, "bert"):
        return BertForMaskedLM(config)


@contextmanager
def _torch_seed(seed: int, name: str) -> Iterator[None]:
    """Let torch draw initial weights from the configuration's seed, and forget it again."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(int(generator(seed, name, "weights").integers(2**63)))
        yield
