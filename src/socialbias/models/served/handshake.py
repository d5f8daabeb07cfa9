"""What a server really does, found out by questions with known answers before an item is scored."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from itertools import chain

import numpy as np

from socialbias.errors import UserError
from socialbias.models.served.logprob_protocols import (
    BY_ID,
    EVERY_TOKEN,
    MAX_NEXT_TOKENS,
    NEXT,
    PROMPT,
    Refused,
    Tokens,
    Way,
)
from socialbias.models.served.server import Server

TWICE, SPLIT = "the same question twice", "tokens joined or split"
CLOSED, SHUFFLED = "a closed set adds up", "shuffled sentences score lower"
CHECKS = (EVERY_TOKEN, TWICE, SPLIT, CLOSED, SHUFFLED)
SCORE_TOLERANCE = 0.1  # nats a token on average: bfloat16 in other batches gives a tenth of that
CERTAIN = 0.999  # probability that no few tokens have after the middle of every sentence
MOST_ORDERED = 7  # sentences of eight that must score higher than shuffled
SENTENCES = (
    "The children walked to school in the morning rain",
    "She put the keys on the table next to the window",
    "He bought some bread and milk at the store",
    "We watched the sun go down behind the mountains",
    "They have lived in the same house for ten years",
    "The dog slept in front of the fire all evening",
    "I wrote a long letter to my mother last week",
    "The train to the city leaves at seven in the evening",
)


def shuffled(sentence: str) -> str:
    """Return the words of a sentence in another order, always the same one."""
    words = sentence.lower().split()
    random.Random(len(words)).shuffle(words)
    return " ".join(words)


def agreed(server: Server, start: int) -> tuple[Asking, list[float]]:
    """Check a server."""
    texts = [*SENTENCES, *map(shuffled, SENTENCES)]
    tokens = [(start, *ids) for ids in server.in_parallel(server.tokens, texts)]
    asking = Asking(server, _way(server, tokens[0]), tokens[: len(SENTENCES)])
    first = asking.sequences(tokens)
    again = asking.sequences(tokens[::-4])  # some of them, after others and before others
    apart = max(_apart(one, two) for one, two in zip(first[::-4], again, strict=True))
    if apart > SCORE_TOLERANCE:
        asking.refuse(TWICE, f"the answers differ by {apart:.2g} nats a token")

    half = [sequence[: len(sequence) // 2 + 1] for sequence in tokens]
    parts = asking.last(half, cached=False)
    wholes = [values[len(part) - 2] for values, part in zip(first, half, strict=True)]
    apart = _apart(parts, wholes)
    if apart > SCORE_TOLERANCE:
        reason = f"a token has another probability if no token follows, by {apart:.2g} nats"
        asking.refuse(SPLIT, reason)

    _check_closed_set(asking, half)
    sums = np.array([sum(values) for values in first]).reshape(2, -1)
    ordered = int((sums[0] > sums[1]).sum())
    if ordered < MOST_ORDERED:
        reason = f"only {ordered} of {len(SENTENCES)} sentences are likelier than their words"
        asking.refuse(SHUFFLED, f"{reason} in another order")
    return asking, [*chain.from_iterable(first[: len(SENTENCES)])]


def _way(server: Server, sentence: Tokens) -> Way:
    """Return the way in which a server gives log-probabilities."""
    try:
        PROMPT.ask(server.client, server.model, sentence, True)
        return PROMPT
    except UserError as error:
        first = error
    try:
        NEXT.ask(server.client, server.model, sentence, True)
        return NEXT
    except Refused as error:  # it has this way, and does not do it right
        raise error from None
    except UserError:
        raise first from None


class Asking:
    """Questions to a server in one way, and how many were asked."""

    def __init__(self, server: Server, way: Way, sentences: Sequence[Tokens]):
        """`sentences` are the tokens of `SENTENCES`."""
        self.way, self.requests, self._server = way, 0, server
        self._sentences = sentences

    def identity(self) -> list[float]:
        """Return the log-probabilities of the sentences: another model has other ones."""
        return [*chain.from_iterable(self.sequences(self._sentences))]

    def sequences(self, tokens: Sequence[Tokens]) -> list[list[float]]:
        """Return the log-probabilities of all tokens but the first, of each sequence."""
        if self.way.whole:
            return self._ask(self.way.ask, tokens, True)
        parts = [part[: i + 1] for part in tokens for i in range(1, len(part))]
        values = iter(self._ask(self.way.ask, parts, True))
        return [[next(values)[0] for _ in part[1:]] for part in tokens]

    def last(self, tokens: Sequence[Tokens], cached: bool = True) -> list[float]:
        """Return the log-probability of the last token of each sequence."""
        return [values[-1] for values in self._ask(self.way.ask, tokens, cached)]

    def top(self, tokens: Sequence[Tokens]) -> list[dict[int, float]]:
        """Return the most probable tokens after each sequence."""
        named = self._ask(self.way.top, tokens)
        return [
            {id_: log for name, log in each.items() if (id_ := self._id(name)) is not None}
            for each in named
        ]

    def refuse(self, check: str, reason: str) -> None:
        """Raise the error of a failed check."""
        raise Refused(self._server.client.root, check, reason)

    def _ask(self, ask: Callable, tokens: Sequence[Tokens], *cached: bool) -> list:
        who = self._server.client, self._server.model
        self.requests += len(tokens)
        return self._server.in_parallel(lambda part: ask(*who, part, *cached), tokens)

    def _id(self, name: str) -> int | None:
        """Return the number of a token; None if its text alone does not tell."""
        if name.startswith(BY_ID):
            return int(name.removeprefix(BY_ID))
        ids = self._server.tokens(name)
        return ids[0] if len(ids) == 1 else None


def _check_closed_set(asking: Asking, sequences: Sequence[Tokens]) -> None:
    """Check the most probable next tokens: each alone has the probability that it has there.

    Together they have less than 1, since there are others.
    """
    tops = asking.top(sequences)
    chosen = [(*part, id_) for part, top in zip(sequences, tops, strict=True) for id_ in top]
    values = [log for top in tops for log in top.values()]
    if not chosen or _apart(values, asking.last(chosen)) > SCORE_TOLERANCE:
        reason = "the most probable next tokens have other probabilities when each is asked for"
        asking.refuse(CLOSED, reason)
    shares = [sum(np.exp([*top.values()])) for top in tops]
    if min(shares) > CERTAIN or max(shares) > 2 - CERTAIN:
        share = f"{min(shares):.3f} to {max(shares):.3f}"
        reason = f"{MAX_NEXT_TOKENS} next tokens together have a probability of {share}"
        asking.refuse(CLOSED, reason)


def _apart(one: Sequence[float], two: Sequence[float]) -> float:
    """Return the mean absolute difference."""
    return float(np.abs(np.subtract(one, two)).mean())
