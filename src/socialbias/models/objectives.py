"""Small language models before training: vocabulary, text, and objective.

The vocabulary has a corpus's most frequent words. The objectives are next-word and masked-word
prediction.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from itertools import pairwise

import numpy as np
import torch
from numpy.typing import NDArray
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors
from torch.nn import functional
from transformers import (
    BertConfig,
    BertForMaskedLM,
    GPT2Config,
    GPT2LMHeadModel,
    PreTrainedTokenizerFast,
)

from socialbias.corpora.prepared import Corpus
from socialbias.errors import UserError
from socialbias.stats.seeding import generator

BATCH_WORDS = 4096  # words evaluated at a time
GPT2_SPECIAL = {"unk_token": "<unk>", "eos_token": "<eos>"}
BERT_SPECIAL = {"pad_token": "[PAD]", "unk_token": "[UNK]", "cls_token": "[CLS]"}
BERT_SPECIAL |= {"sep_token": "[SEP]", "mask_token": "[MASK]"}


@dataclass(frozen=True)
class Options:
    """Architecture and training options; the defaults suit a GPT-2 of a few million words."""

    words: int = 5000  # number of the corpus's most frequent words in the vocabulary
    # Words in the vocabulary whatever their frequency, such as targets and group words.
    keep: tuple[str, ...] = ()
    layers: int = 2  # number of transformer blocks
    width: int = 64  # hidden size; a multiple of `heads`
    heads: int = 4  # attention heads
    length: int = 64  # words per block, the model's context length
    # Maximum words of a passage, a run of whole sentences into which documents are cut before each
    # is ended by the end token; None for whole documents. With passages, a GPT-2 learns to begin
    # and end at any sentence, so that its samples are passages from anywhere in the corpus and not
    # only from the beginnings of documents.
    passage: int | None = None
    epochs: float = 1.0  # training epochs; may be a fraction
    batch: int = 16  # blocks per step
    # The maximum, reached after warm-up; then it falls linearly to zero.
    learning_rate: float = 6e-3
    warmup: float = 0.05  # share of the steps with a linearly rising learning rate
    weight_decay: float = 0.01  # of AdamW, on matrices
    clip: float = 1.0  # maximum gradient norm
    # GPT-2 only. Noise words that replace the whole vocabulary in a training step, in addition to
    # the words of the batch; 0 for the whole vocabulary.
    noise: int = 500
    masked: float = 0.15  # BERT only. Share of words that are predicted.
    held_out: float = 0.05  # share of the documents, the last ones, that are not used for training


@dataclass(frozen=True)
class Vocabulary:
    """Words and their ids in a model."""

    words: tuple[str, ...]  # by id; special words come first
    # The roles of the first words, such as `{"unk_token": "<unk>"}`, in order.
    special: dict[str, str]
    # (v,) int64, the id of each of a corpus's words; that of `unk_token` for words that are too
    # rare.
    numbers: NDArray[np.int64]

    def number(self, role: str) -> int:
        """Return the id of a special word, such as that of `eos_token`."""
        return list(self.special).index(role)

    def tokenizer(
        self, *, lower: bool, length: int, marks: Sequence[str] = ()
    ) -> PreTrainedTokenizerFast:
        """Return a tokenizer that splits text at whitespace and looks up the words."""
        numbers = {word: i for i, word in enumerate(self.words)}
        inner = Tokenizer(models.WordLevel(numbers, unk_token=self.special["unk_token"]))
        inner.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
        if lower:
            inner.normalizer = normalizers.Lowercase()
        if marks:
            first, last = (self.special[role] for role in marks)
            inner.post_processor = processors.TemplateProcessing(
                single=f"{first} $A {last}",
                pair=f"{first} $A {last} $B:1 {last}:1",
                special_tokens=[(word, numbers[word]) for word in (first, last)],
            )
        return PreTrainedTokenizerFast(
            tokenizer_object=inner,
            model_max_length=length,
            clean_up_tokenization_spaces=False,
            **self.special,
        )


def vocabulary(
    corpus: Corpus, size: int, special: dict[str, str], keep: Iterable[str] = ()
) -> Vocabulary:
    """Return the most frequent words of a corpus."""
    kept, reserved = set(keep), set(special.values())
    chosen = [
        number
        for number, word in enumerate(corpus.words)
        if (number < size or word in kept) and word not in reserved and word.split() == [word]
    ]
    unknown = list(special).index("unk_token")
    numbers = np.full(len(corpus.words), unknown, np.int64)
    numbers[chosen] = len(special) + np.arange(len(chosen))
    words = (*special.values(), *(corpus.words[number] for number in chosen))
    return Vocabulary(words, dict(special), numbers)


@dataclass(frozen=True)
class Text:
    """A corpus as token ids of a model, in two parts."""

    # (n,) the training part: texts with the end token before each, and after the last.
    train: NDArray[np.int64]
    test: NDArray[np.int64]  # (m,) the held-out part
    documents: int  # number of documents in the training part
    vocabulary: Vocabulary  # the vocabulary
    options: Options  # the options
    seed: int  # the configuration's seed

    @classmethod
    def of(cls, corpus: Corpus, words: Vocabulary, options: Options, end: str, seed: int) -> Text:
        """Encode a corpus; `end` is the role of the special token that ends a text."""
        last = corpus.size - max(1, round(options.held_out * corpus.size))
        if last < 1:
            raise UserError(
                "language model: the corpus has a single document, so none can be held out: split "
                "it into several"
            )
        parts, mark = (range(last), range(last, corpus.size)), words.number(end)
        streams = [_stream(corpus, words, part, options.passage, mark) for part in parts]
        if len(streams[0]) <= options.length:
            raise UserError(
                f"language model: the training part has {len(streams[0])} tokens, fewer than a "
                f"block of {options.length}: use more text, or lower `length`"
            )
        return cls(*streams, len(parts[0]), words, options, seed)

    def summary(self) -> dict:
        """Return the part of the report that is known before training."""
        unknown = self.train == self.vocabulary.number("unk_token")
        return {
            "options": asdict(self.options),
            "seed": self.seed,
            "vocabulary": len(self.vocabulary.words) - len(self.vocabulary.special),
            "documents": self.documents,
            "tokens": len(self.train),
            "unknown": float(unknown.mean()),
        }

    def unigram(self) -> NDArray[np.float64]:
        """Return the probability of each word in the training part, with add-one smoothing."""
        counts = np.bincount(self.train, minlength=len(self.vocabulary.words)) + 1.0
        return counts / counts.sum()


def _lower(corpus: Corpus) -> bool:
    """Return whether the corpus's text was lower-cased."""
    return corpus.report.get("lower") in ("before", "after")


def _stream(
    corpus: Corpus, words: Vocabulary, documents: range, passage: int | None, mark: int
) -> NDArray[np.int64]:
    """Return the token ids of some documents, with a mark before each text and after the last."""
    first, last = corpus.documents[[documents.start, documents.stop]]
    starts = corpus.documents[documents.start : documents.stop]
    if passage is not None:  # as many whole sentences of a document as fit
        begins, starts = set(starts.tolist()), []
        low, high = np.searchsorted(corpus.sentences, [first, last])
        for start, end in pairwise(corpus.sentences[low : high + 1].tolist()):
            if start in begins or end - starts[-1] > passage:
                starts.append(start)
    numbers = words.numbers[corpus.tokens[first:last]]
    return np.append(np.insert(numbers, np.asarray(starts, np.int64) - first, mark), mark)


class Causal:
    """GPT-2 and its objective: predicting the next word in blocks of text."""

    name, kind = "gpt2", "causal"

    def __init__(self, corpus: Corpus, options: Options, seed: int):
        words = vocabulary(corpus, options.words, GPT2_SPECIAL, options.keep)
        self.tokenizer = words.tokenizer(lower=_lower(corpus), length=options.length)
        self.tokenizer.bos_token = GPT2_SPECIAL["eos_token"]
        self.text = Text.of(corpus, words, options, "eos_token", seed)
        config = GPT2Config(
            vocab_size=len(words.words),
            n_positions=options.length,
            n_embd=options.width,
            n_layer=options.layers,
            n_head=options.heads,
            # The same function as GPT-2's own, in a fused implementation.
            activation_function="gelu_pytorch_tanh",
            # A text is seen only once or a few times: overfitting is not a risk.
            resid_pdrop=0.0,
            embd_pdrop=0.0,
            attn_pdrop=0.0,
            initializer_range=options.width**-0.5,
            bos_token_id=words.number("eos_token"),
            eos_token_id=words.number("eos_token"),
        )
        with _torch_seed(seed, self.name):
            self.network = GPT2LMHeadModel(config)
        self.blocks = (len(self.text.train) - 1) // options.length
        self._stream = torch.from_numpy(self.text.train)
        self._places = torch.arange(options.length + 1)
        self._candidates = _Candidates(self.text.unigram(), options.noise)

    def loss(self, blocks: NDArray[np.int64], rng: np.random.Generator) -> torch.Tensor:
        """Mean cross-entropy of the next words in some blocks."""
        starts = torch.from_numpy(blocks)[:, None] * self.text.options.length
        rows = self._stream[starts + self._places]
        hidden, labels = self._hidden(rows), rows[:, 1:].flatten()
        embedding = self.network.lm_head.weight
        if not self._candidates.fewer(len(labels)):
            return functional.cross_entropy(hidden @ embedding.T, labels)
        chosen, places, inclusion = self._candidates.draw(labels, rng)
        logits = torch.addmm(-inclusion.log(), hidden, functional.embedding(chosen, embedding).T)
        return functional.cross_entropy(logits, places)

    def _hidden(self, rows: torch.Tensor) -> torch.Tensor:
        """Hidden states before each word of the rows but the first, stacked."""
        states = self.network.transformer(rows[:, :-1], use_cache=False).last_hidden_state
        return states.flatten(0, 1)

    @torch.no_grad()
    def held_out(self) -> tuple[int, float, float]:
        """Tokens, mean loss over the whole vocabulary, and the loss of unigram frequencies."""
        total = 0.0
        for rows in _rows(self.text.test, self.text.options.length):
            logits = self._hidden(rows) @ self.network.lm_head.weight.T
            total += functional.cross_entropy(logits, rows[:, 1:].flatten(), reduction="sum").item()
        labels = self.text.test[1:]
        return len(labels), total / len(labels), -np.log(self.text.unigram()[labels]).mean()


def _rows(stream: NDArray[np.int64], length: int) -> Iterator[torch.Tensor]:
    """Blocks with the word after each, several at once, then a shorter last one."""
    words, batch = torch.from_numpy(stream), max(1, BATCH_WORDS // length)
    whole = (len(stream) - 1) // length
    if whole:
        rows = words[: whole * length + 1].unfold(0, length + 1, length)
        yield from rows.split(batch)
    if len(stream) - 1 > whole * length:
        yield words[None, whole * length :]


class _Candidates:
    """Sampled words that replace the whole vocabulary in a training step."""

    def __init__(self, unigram: NDArray[np.float64], noise: int):
        flat = unigram**0.75  # as word2vec's noise distribution, in favour of rarer words
        self._unigram, self._flat, self._noise = unigram, flat / flat.sum(), noise
        self._bounds = np.cumsum(self._flat)

    def fewer(self, labels: int) -> bool:
        """Return whether they are fewer than the whole vocabulary."""
        return 0 < self._noise < len(self._unigram) - labels

    def draw(
        self, labels: torch.Tensor, rng: np.random.Generator
    ) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        """Draw noise words."""
        drawn = np.searchsorted(self._bounds, rng.random(self._noise) * self._bounds[-1], "right")
        both = torch.cat([labels, torch.from_numpy(drawn)])
        chosen, places = torch.unique(both, return_inverse=True)
        absent = (1 - self._unigram[chosen]) ** len(labels)
        absent *= (1 - self._flat[chosen]) ** self._noise
        return chosen, places[: len(labels)], torch.from_numpy(1 - absent).float()


class Masked:
    """BERT and its objective: predicting masked words in blocks between two marks."""

    name, kind = "bert", "masked"

    def __init__(self, corpus: Corpus, options: Options, seed: int):
        words = vocabulary(corpus, options.words, BERT_SPECIAL, options.keep)
        marks = ("cls_token", "sep_token")
        self.tokenizer = words.tokenizer(lower=_lower(corpus), length=options.length, marks=marks)
        self.text = Text.of(corpus, words, options, "sep_token", seed)
        config = BertConfig(
            vocab_size=len(words.words),
            max_position_embeddings=options.length,
            hidden_size=options.width,
            num_hidden_layers=options.layers,
            num_attention_heads=options.heads,
            intermediate_size=4 * options.width,
            hidden_dropout_prob=0.0,
            attention_probs_dropout_prob=0.0,
            initializer_range=options.width**-0.5,
            pad_token_id=words.number("pad_token"),
        )
        with _torch_seed(seed, self.name):
            self.network = BertForMaskedLM(config)
        self._inner = options.length - 2  # two positions are for the marks
        self.blocks = len(self.text.train) // self._inner

    def loss(self, blocks: NDArray[np.int64], rng: np.random.Generator) -> torch.Tensor:
        """Mean cross-entropy of the masked words in some blocks."""
        places = blocks[:, None] * self._inner + np.arange(self._inner)
        logits, labels = self._predict(self.text.train[places], rng)
        # A short block may have no masked word.
        return functional.cross_entropy(logits, labels, reduction="sum") / max(1, len(labels))

    def _predict(
        self, rows: NDArray[np.int64], rng: np.random.Generator
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Logits (n, v) for the n masked words, and these words."""
        labels, inputs = self._mask(rows, rng)
        states = self.network.bert(torch.from_numpy(inputs)).last_hidden_state
        masked = torch.from_numpy(labels >= 0)
        return self.network.cls(states[masked]), torch.from_numpy(labels[labels >= 0])

    def _mask(
        self, rows: NDArray[np.int64], rng: np.random.Generator
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return the labels, -1 where no word is predicted, and the inputs with their marks."""
        words = self.text.vocabulary
        special, size = len(words.special), len(words.words)
        chance, manner = rng.random(rows.shape), rng.random(rows.shape)
        other = rng.integers(special, size, rows.shape)
        predicted = (chance < self.text.options.masked) & (rows >= special)
        inputs = np.where(predicted & (manner < 0.9), other, rows)
        inputs[predicted & (manner < 0.8)] = words.number("mask_token")
        labels = np.pad(np.where(predicted, rows, -1), ((0, 0), (1, 1)), constant_values=-1)
        marks = [[words.number("cls_token")], [words.number("sep_token")]]
        before, after = (np.repeat([mark], len(rows), axis=0) for mark in marks)
        return labels, np.hstack([before, inputs, after])

    @torch.no_grad()
    def held_out(self) -> tuple[int, float, float]:
        """Masked words, their mean loss, and the loss of unigram frequencies."""
        rng = generator(self.text.seed, self.name, "held out")
        unigram, total, baseline, n = self.text.unigram(), 0.0, 0.0, 0
        for rows in _rows(self.text.test, self._inner):
            logits, labels = self._predict(rows[:, :-1].numpy(), rng)
            total += functional.cross_entropy(logits, labels, reduction="sum").item()
            baseline -= np.log(unigram[labels]).sum()
            n += len(labels)
        return n, total / max(1, n), baseline / max(1, n)


@contextmanager
def _torch_seed(seed: int, name: str) -> Iterator[None]:
    """Let torch draw initial weights from the configuration's seed, then restore its state."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(int(generator(seed, name, "weights").integers(2**63)))
        yield
