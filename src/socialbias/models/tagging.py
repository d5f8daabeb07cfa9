"""Fine-tuning a whole model to tag the words of sentences, resumable.

Czarnowska, Vyas and Shah 2021 (section 5, Models) put a conditional random field on RoBERTa and tag
entities in BILOU. What is read of a word is the mean over its pieces, as in the released
configuration.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import cached_property, partial
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from socialbias.errors import UserError
from socialbias.measures.spans import OUTSIDE, bilou, bilou_tags, f1, may_follow, spans
from socialbias.models.batching import BATCH_TEXTS, Ids, Log
from socialbias.models.crf import Crf
from socialbias.models.extract import piece_offsets
from socialbias.models.features import batches, hidden_states
from socialbias.models.loading import Model
from socialbias.models.threads import threads
from socialbias.models.training import (
    Options,
    Training,
    load_trained,
    run_key,
    trained,
)
from socialbias.stats.seeding import generator

Owners = NDArray[np.int64]  # of each piece of a sentence its word, -1 for none
Sentences = Sequence[Sequence[str]]  # words, or their tags


@dataclass(frozen=True)
class Tagged:
    """Sentences of words with their tags."""

    words: Sentences  # n sentences
    tags: Sentences  # as many tags, BILOU or IOB2


class TagHead(nn.Module):
    """A linear layer that scores tags, with a conditional random field on it."""

    def __init__(self, width: int, tags: int, dropout: float = 0.0):
        super().__init__()
        self.dropout = nn.Dropout(dropout)
        self.linear = nn.Linear(width, tags)
        self.crf = Crf(tags)


@dataclass(frozen=True)
class Tagger:
    """A model with a head that tags words."""

    model: Model  # without a head of its own
    head: TagHead  # what scores tags
    kinds: tuple[str, ...]  # classes of entities
    length: int  # maximum pieces of a sentence. Words beyond are outside of entities.
    tokens: int  # maximum pieces run at once

    @property
    def form(self) -> dict:
        """What the head's weights do not say, for `load_tagger`."""
        form = {"width": self.head.linear.in_features, "kinds": list(self.kinds)}
        return form | {"length": self.length, "tokens": self.tokens}

    @cached_property
    def tags(self) -> list[str]:
        """Of `kinds`, in BILOU."""
        return bilou_tags(self.kinds)

    def scores(self, rows: Sequence[Ids], owners: Sequence[Owners]) -> tuple[Tensor, Tensor]:
        """(n, w, k) scores of tags, and (n, w) which words there are, run as one batch."""
        hidden, _ = hidden_states(self.model, rows)
        words = [read(owned) for owned in owners]
        shares = np.zeros((len(rows), max(map(len, words)), hidden.shape[1]), np.float32)
        for share, owned, numbers in zip(shares, owners, words, strict=True):
            pieces = np.flatnonzero(owned >= 0)
            share[np.searchsorted(numbers, owned[pieces]), pieces] = 1
        sizes = shares.sum(axis=2, keepdims=True)
        mean = torch.from_numpy(shares / np.maximum(sizes, 1)).to(hidden)
        scores = self.head.linear(self.head.dropout((mean @ hidden).float())).float()
        return scores, torch.from_numpy(sizes[..., 0] > 0).to(hidden.device)

    @torch.no_grad()
    def predict(
        self, sentences: Sentences, number: int = 1
    ) -> tuple[list[list[str]], list[NDArray[np.float64]]]:
        """Return the tags of words, and how probable each class is for each word."""
        rows, owners = encoded_words(self.model, sentences, self.length)
        tags = [[OUTSIDE] * len(words) for words in sentences]
        probable = [np.zeros((len(words), len(self.kinds))) for words in sentences]
        ends = [*self.tags, OUTSIDE]  # a sentence begins and ends as if outside of entities
        allowed = torch.tensor([[may_follow(tag, other) for tag in ends] for other in ends])
        allowed = allowed.to(self.model.device)
        some = [i for i, owned in enumerate(owners) if len(read(owned))]
        self.model.network.eval()
        self.head.eval()
        with threads(number):
            for batch in batches([rows[i] for i in some], self.tokens):
                numbers = [some[i] for i in batch]
                scores, mask = self.scores([rows[i] for i in numbers], [owners[i] for i in numbers])
                soft = torch.softmax(scores.double(), dim=2).cpu().numpy()
                paths = self.head.crf.best(scores, mask, allowed)
                for i, path, p in zip(numbers, paths, soft, strict=True):
                    words = read(owners[i])
                    each = p[: len(words), 1:].reshape(len(words), len(self.kinds), 4)
                    probable[i][words] = each.sum(axis=2)
                    for word, tag in zip(words, path, strict=True):
                        tags[i][word] = self.tags[tag]
        return tags, probable


def encoded_words(
    model: Model, sentences: Sentences, longest: int
) -> tuple[list[Ids], list[Owners]]:
    """Return the pieces of sentences, and of each piece its word; -1 for special pieces."""
    limit = min(n for n in (longest, model.limit) if n is not None)
    rows, owners = [], []
    for first in range(0, len(sentences), BATCH_TEXTS):
        batch = sentences[first : first + BATCH_TEXTS]
        pieces = model.tokenizer(
            [" ".join(words) for words in batch], padding=False, truncation=True, max_length=limit,
            return_offsets_mapping=True, return_token_type_ids=True, verbose=False,
        )  # fmt: skip
        for i, words in enumerate(batch):
            ids, types, mapping = (
                pieces[name][i] for name in ("input_ids", "token_type_ids", "offset_mapping")
            )
            if not words or not len(ids):
                raise UserError(f"{model.name}: sentence {first + i + 1} has no word or no piece")
            rows.append((np.array(ids, np.int32), np.array(types, np.int8)))
            # A piece is of the word of its first visible character.
            of_characters = np.concatenate([[*[k] * len(word), -1] for k, word in enumerate(words)])
            owned = np.full(len(ids), -1)
            for piece, (start, end) in enumerate(piece_offsets(model.tokenizer, ids, mapping)):
                owned[piece] = next((k for k in of_characters[start:end] if k >= 0), -1)
            owners.append(owned)
    return rows, owners


def read(owners: Owners) -> NDArray[np.int64]:
    """Return the words of a sentence that have a piece."""
    return np.unique(owners[owners >= 0])


def fine_tune_tagger(
    folder: Path,
    train: Tagged,
    development: Tagged,
    out: Path,
    options: Options,
    seed: int,
    *,
    device: str = "auto",
    log: Log | None = None,
) -> dict:
    """Fine-tune a model to tag words, and save it. It is killed and continues as `fine_tune`."""
    for name, part in (("train", train), ("development", development)):
        if not len(part.words):
            raise UserError(f"fine-tuning: the {name} part has no sentence")
    kinds = tuple(sorted({tag[2:] for tags in train.tags for tag in tags if tag != OUTSIDE}))
    if not kinds:
        raise UserError("fine-tuning: the train part has no entity")
    contents = [asdict(options), seed, train.words, train.tags]
    key = run_key(folder, [*contents, development.words, development.tags])

    begin = partial(_TaggerTraining, train, kinds, options, seed, log)

    def report(tagger: Tagger) -> dict:
        owners = encoded_words(tagger.model, train.words, tagger.length)[1]
        unread = sum(map(len, train.words)) - sum(len(read(owned)) for owned in owners)
        return {"kinds": kinds, "unread": unread}

    return trained(folder, out, key, begin, development, report, options, device)


def load_tagger(folder: Path, device: str = "auto") -> Tagger:
    """Load what `fine_tune_tagger` wrote."""
    model, form, weights = load_trained(folder, "kinds", device)
    kinds = tuple(form["kinds"])
    head = TagHead(form["width"], len(bilou_tags(kinds)))
    head.load_state_dict(weights)
    return Tagger(model, head.to(model.device), kinds, form["length"], form["tokens"])


class _TaggerTraining(Training):
    """The training of a tagger."""

    def __init__(
        self,
        train: Tagged,
        kinds: tuple[str, ...],
        options: Options,
        seed: int,
        log: Log | None,
        model: Model,
        work: Path,
    ):
        rows, owners = encoded_words(model, train.words, options.length)
        kept = [i for i, owned in enumerate(owners) if len(read(owned))]
        numbers = {tag: i for i, tag in enumerate(bilou_tags(kinds))}
        self._owners = [owners[i] for i in kept]
        tags = ([numbers[tag] for tag in bilou(train.tags[i])] for i in kept)
        self._tags = [np.array(each)[read(owners[i])] for i, each in zip(kept, tags, strict=True)]
        with torch.no_grad():
            width = hidden_states(model, rows[:1])[0].shape[2]
        torch.manual_seed(int(generator(seed, "head", "random weights").integers(2**31)))
        head = TagHead(width, len(numbers), options.dropout).to(model.device)
        tagger = Tagger(model, head, kinds, options.length, options.tokens)
        super().__init__(tagger, [rows[i] for i in kept], options, seed, work, log)

    def _loss(self, numbers: NDArray[np.int64]) -> Tensor:
        rows, owners = ([each[i] for i in numbers] for each in (self._rows, self._owners))
        scores, mask = self.classifier.scores(rows, owners)
        tags = np.zeros(mask.shape, np.int64)
        for row, i in zip(tags, numbers, strict=True):
            row[: len(self._tags[i])] = self._tags[i]
        tags = torch.from_numpy(tags).to(scores.device)
        return self.classifier.head.crf.loss(scores, mask, tags)

    def _score(self, development: Tagged) -> float:
        predicted, _ = self.classifier.predict(development.words, self._options.threads)
        return f1(map(spans, development.tags), map(spans, predicted))
