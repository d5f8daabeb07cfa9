"""A server of language models: which it has, their tokens, and many questions at a time."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from multiprocessing.pool import ThreadPool
from typing import TypeVar
from urllib.parse import urlsplit

from socialbias.errors import UserError, nearest
from socialbias.models.served.client import CONCURRENT, TIMEOUTS, Address, Client
from socialbias.sources.request import Timeouts
from socialbias.system.progress import Pace

# What a text begins with, if a server adds nothing to a text and does not say.
STARTS = ("<|endoftext|>", "<|begin_of_text|>", "<s>", "<bos>")
Question = TypeVar("Question")
Answer = TypeVar("Answer")


class Server:
    """A model behind an address."""

    def __init__(self, address: str, timeouts: Timeouts = TIMEOUTS):
        """Connect."""
        parsed = Address.of(address)
        self.client = Client(parsed.root, timeouts)
        self.model = self._model(parsed.model)  # its name on the server
        path = urlsplit(parsed.root)
        # For titles and messages.
        self.name = f"{self.client.clean(self.model).rpartition('/')[2]}@{path.netloc}{path.path}"

    def _model(self, wanted: str) -> str:
        listed = self.client.send("/v1/models").get("data")
        listed = listed if isinstance(listed, list) else []
        models = [each["id"] for each in listed if isinstance(each, dict) and "id" in each]
        if wanted in models or (not wanted and len(models) == 1):
            return wanted or models[0]
        known = self.client.clean(", ".join(map(str, models))) or "none"
        choose = f"has {len(models)} models: add #NAME to the address"
        problem = f"has no model {wanted!r}" if wanted else choose
        hint = nearest(wanted, map(str, models))
        raise UserError(f"{self.client.root}: {problem}: {known}{hint}")

    def tokens(self, text: str, *, special: bool = False) -> list[int]:
        """Return a text's tokens; with those that the server adds, if `special`."""
        # In the words of vLLM and of llama.cpp; each ignores the other's.
        body = {"model": self.model, "prompt": text, "add_special_tokens": special}
        ids = self.client.send("/tokenize", body | {"content": text, "add_special": special})
        ids = ids.get("tokens")
        if not isinstance(ids, list) or not all(type(i) is int and i >= 0 for i in ids):
            raise UserError(f"{self.client.root}/tokenize: gives no list of token numbers")
        return ids

    def start(self) -> int:
        """Return the token that a text begins with."""
        plain, whole = (self.tokens("The", special=special) for special in (False, True))
        if not plain:
            raise UserError(f"{self.client.root}/tokenize: gives no token of a text")
        if len(whole) > len(plain) and whole[0] != plain[0]:
            return whole[0]
        try:
            said = self.client.send("/props").get("bos_token")  # llama.cpp
        except UserError:
            said = None
        for text in (said, *STARTS):
            if isinstance(text, str) and text and len(ids := self.tokens(text)) == 1:
                return ids[0]
        raise UserError(f"{self.client.root}: no token is known that begins a text")

    def in_parallel(
        self, ask: Callable[[Question], Answer], questions: Sequence[Question]
    ) -> list[Answer]:
        """Return the answers to questions, in their order; some are asked at the same time."""
        pace, answers = Pace(None), {}

        def answer(place: int) -> tuple[int, Answer]:
            return place, ask(questions[place])

        # Its threads are daemons, so that an interrupt does not wait for a server that hangs.
        with ThreadPool(CONCURRENT) as pool:
            try:
                for place, found in pool.imap_unordered(answer, range(len(questions))):
                    answers[place] = found
                    if pace.due():
                        count, left = len(answers), pace.left(len(answers), len(questions))
                        pace.log(f"{self.name}: {count:,} of {len(questions):,} requests, {left}")
            except BaseException:
                self.client.stop()
                raise
        return [answers[place] for place in range(len(questions))]
