"""A language model behind an address, as a scorer of tokens."""

from __future__ import annotations

import sys
import time
from collections.abc import Hashable, Sequence
from types import SimpleNamespace

import numpy as np
from numpy.typing import NDArray

from socialbias.errors import UserError
from socialbias.models.served.handshake import agreed
from socialbias.models.served.logprob_protocols import Tokens
from socialbias.models.served.server import Server
from socialbias.system.progress import time_left

MODEL_CHANGED = 0.02  # nats a token, on average over the handshake's sentences


class ServedScorer:
    """Log-probabilities from a server, in the place of `models.token_scores.TokenScorer`."""

    def __init__(self, server: Server):
        """Shake hands with a server."""
        self._server, self.tokenizer = server, ServedTokenizer(server.start())
        began = time.monotonic()
        # Log-probabilities that identify the model.
        self._asking, self._identity = agreed(server, self.tokenizer.bos_token_id)
        self.way = self._asking.way
        # Of one request among concurrent ones.
        self._seconds = (time.monotonic() - began) / self._asking.requests
        self._answers: dict[Tokens, list[float]] = {}
        configuration = SimpleNamespace(model_type="served", bos_token_id=None)
        network = SimpleNamespace(config=configuration)
        # What scorings need to know of a model.
        self.model = SimpleNamespace(
            name=server.name, kind="causal", tokenizer=self.tokenizer, network=network
        )

    def prepare(self, texts: Sequence[str]) -> None:
        """Ask for the tokens of texts that will be scored, all at once."""
        new = [text for text in dict.fromkeys(texts) if text not in self.tokenizer.known]
        found = self._server.in_parallel(self._server.tokens, new)
        self.tokenizer.known |= dict(zip(new, found, strict=True))

    def __call__(
        self, rows: Sequence, groups: Sequence[Hashable] | None = None
    ) -> list[NDArray[np.float64]]:
        """Return log-probabilities in nats, as `TokenScorer` does; `groups` have no effect."""
        wanted: list[list[Tokens]] = []
        for row in rows:
            whole = (*row.ids, row.targets[-1])  # targets are the tokens that follow each place
            parts = [whole[: place + 2] for place in row.places]
            wanted.append([whole] if self.way.whole else parts)
        questions = dict.fromkeys(question for each in wanted for question in each)
        if new := [question for question in questions if question not in self._answers]:
            self._ask(new)
        answers = self._answers
        if self.way.whole:
            return [
                np.array([answers[question][place] for place in row.places])
                for row, [question] in zip(rows, wanted, strict=True)
            ]
        return [np.array([answers[question][0] for question in each]) for each in wanted]

    def exact(self, rows: Sequence) -> list[NDArray[np.float64]]:
        """As calling it: a server has no other precision."""
        return self(rows)

    def provenance(self) -> dict:
        """Return what identifies the model, as far as a server shows it."""
        return {
            "address": self._server.client.root,
            "model": self._server.model,
            "way": self.way.name,
            "start token": self.tokenizer.bos_token_id,
            "log-probability of the handshake": round(sum(self._identity), 2),
        }

    def _ask(self, questions: Sequence[Tokens]) -> None:
        """Ask for log-probabilities; an error if the model is no longer that of the handshake."""
        client, model = self._server.client, self._server.model
        left = time_left(len(questions) * self._seconds, 1, 2)
        print(f"{self._server.name}: {len(questions):,} requests, about {left}", file=sys.stderr)
        found = self._server.in_parallel(
            lambda tokens: self.way.ask(client, model, tokens, True), questions
        )
        self._answers |= dict(zip(questions, found, strict=True))
        apart = np.abs(np.subtract(self._asking.identity(), self._identity)).mean()
        if apart > MODEL_CHANGED:
            raise UserError(f"{client.root}: the model changed during the run: start again")


class ServedTokenizer:
    """What scorings need of a tokenizer; its texts are asked for by `ServedScorer.prepare`."""

    is_fast, eos_token_id, mask_token_id = True, None, None

    def __init__(self, start: int):
        """`start` is the token that a text begins with."""
        self.bos_token_id = start
        self.known: dict[str, list[int]] = {}  # tokens by text

    def __call__(self, text: str, **how: bool) -> dict[str, list[int]]:
        """Return a text's tokens, without those that a server would add, and without places."""
        return {"input_ids": self.known[text]}

    def convert_ids_to_tokens(self, ids: Sequence[int]) -> list[str]:
        """Return names of tokens: a server does not say how it spells them."""
        return [f"token {token}" for token in ids]

    def __len__(self) -> int:
        """Return more than any token's number: a server does not say how many it has."""
        return sys.maxsize
