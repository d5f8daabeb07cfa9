"""A language model behind an address, as a scorer of tokens."""

from __future__ import annotations

import sys
import time
from collections.abc import Hashable, Sequence
from types import SimpleNamespace

import numpy as np
from numpy.typing import NDArray

from socialbias.errors import UserError
from socialbias.models.served.answer_cache import Kept
from socialbias.models.served.handshake import agreed
from socialbias.models.served.logprob_protocols import Tokens, is_log_probability
from socialbias.models.served.server import Server, are_tokens
from socialbias.system.progress import time_left

TEXT = "tokens"  # begins a question for the tokens of a text
Question = Tokens | tuple[str, str]  # for log-probabilities, or for the tokens of a text


class ServedScorer:
    """Log-probabilities from a server, in the place of `models.token_scores.TokenScorer`."""

    def __init__(self, server: Server):
        """Shake hands with a server, and read what it has answered before."""
        self._server, self.tokenizer = server, ServedTokenizer(server.start())
        began = time.monotonic()
        self._asking, identity = agreed(server, self.tokenizer.bos_token_id)
        self.way = self._asking.way
        # Of one request among concurrent ones.
        self._seconds = (time.monotonic() - began) / self._asking.requests
        self.kept = Kept((server.client.root, server.model, self.way.name), identity)
        if self.kept.changed:
            self._say("has another model than before under this name: kept answers were removed")
        configuration = SimpleNamespace(model_type="served", bos_token_id=None)
        network = SimpleNamespace(config=configuration)
        # What scorings need to know of a model.
        self.model = SimpleNamespace(
            name=server.name, kind="causal", tokenizer=self.tokenizer, network=network
        )

    def prepare(self, texts: Sequence[str]) -> None:
        """Ask for the tokens of texts that will be scored, all at once."""
        new = [text for text in dict.fromkeys(texts) if text not in self.tokenizer.known]
        answers = self._answers([(TEXT, text) for text in new])
        self.tokenizer.known |= dict(zip(new, answers, strict=True))

    def __call__(
        self, rows: Sequence, groups: Sequence[Hashable] | None = None
    ) -> list[NDArray[np.float64]]:
        """Return log-probabilities in nats, as `TokenScorer` does; `groups` have no effect."""
        wanted: list[list[Tokens]] = []
        for row in rows:
            whole = (*row.ids, row.targets[-1])  # targets are the tokens that follow each place
            parts = [whole[: place + 2] for place in row.places]
            wanted.append([whole] if self.way.whole else parts)
        questions = list(dict.fromkeys(question for each in wanted for question in each))
        self.kept.refresh()
        new = len(self._unanswered(questions))
        if new:
            self._say(
                f"{new:,} requests, about {time_left(new * self._seconds, 1, 2)}; "
                f"{len(questions) - new:,} answers are kept in {self.kept.path}"
            )
        answers = dict(zip(questions, self._answers(questions), strict=True))
        if new and not self.kept.is_of(self._asking.identity()):
            self.kept.path.unlink(missing_ok=True)  # nobody knows which model gave which answer
            root = self._server.client.root
            raise UserError(f"{root}: the model changed during the run: start again")
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
            # Of the answers that were kept first, so that it does not change by rounding.
            "log-probability of the handshake": round(sum(self.kept.handshake), 2),
        }

    def _answers(self, questions: Sequence[Question]) -> list[list]:
        """Return what is kept, and ask for the rest: log-probabilities, or the tokens of a text."""
        client, model = self._server.client, self._server.model

        def ask(question: Question) -> None:
            if question[0] == TEXT:
                answer = self._server.tokens(question[1])
            else:
                answer = self.way.ask(client, model, question, True)
            self.kept.add(question, answer)

        self._server.in_parallel(ask, self._unanswered(questions))
        return [self.kept.get(question) for question in questions]

    def _unanswered(self, questions: Sequence[Question]) -> list[Question]:
        """Return the questions without a kept answer that passes the check of a fresh one."""

        def passes(question: Question, answer: list | None) -> bool:
            if question[0] == TEXT:
                return are_tokens(answer)
            size = len(question) - 1 if self.way.whole else 1
            return len(answer or ()) == size and all(map(is_log_probability, answer))

        return [q for q in questions if not passes(q, self.kept.get(q))]

    def _say(self, text: str) -> None:
        print(f"{self._server.name}: {text}", file=sys.stderr)


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
