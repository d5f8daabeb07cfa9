"""Answers of a server on disk: a stopped run does not ask twice.

One file for each server and model, in the user's cache folder. Its lines are JSON: digests of a
question and of its answer, then the answer. The first line has the answer to the handshake.
Questions themselves, and so people's texts, are not written. Damaged lines are left out.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Sequence
from pathlib import Path
from threading import Lock

import numpy as np

from socialbias.errors import UserError
from socialbias.files.json_files import parse_json

MODEL_CHANGED = 0.02  # nats a token, on average over the handshake's sentences
HANDSHAKE = "handshake"  # the question that a server's identity answers
DIGITS = 32  # of a digest


def folder() -> Path:
    """Return the folder of kept answers."""
    return Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache").expanduser() / "socialbias/served"


class Kept:
    """The answers of one model of one server."""

    def __init__(self, asked: Sequence[str], handshake: Sequence[float]):
        """Read what is kept for a server and a model."""
        name = hashlib.sha256("\n".join(asked).encode()).hexdigest()[:16]
        self.path, self._lock = folder() / f"{name}.jsonl", Lock()
        # (n,) log-probabilities that identify the model: those that were kept first.
        self.handshake = list(handshake)
        self.changed = False  # whether the file had answers of another model, which were removed
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self._answers = self._undamaged()
            first = self.get(HANDSHAKE)
            if first is not None and self.is_of(first):
                self.handshake = first
            else:
                self._answers, self.changed = {}, first is not None
                self.path.write_text("", "utf-8")
                self.add(HANDSHAKE, self.handshake)
        except OSError as error:
            problem = error.strerror
            hint = "set XDG_CACHE_HOME to a folder that can be"
            raise UserError(f"{self.path}: cannot be written ({problem}): {hint}") from None

    def is_of(self, numbers: Sequence[float]) -> bool:
        """Return whether these log-probabilities are those of the handshake's model."""
        if len(numbers) != len(self.handshake):
            return False
        return bool(np.abs(np.subtract(numbers, self.handshake)).mean() <= MODEL_CHANGED)

    def refresh(self) -> None:
        """Read what others have added: the other side of a comparison may be the same model."""
        self._answers |= self._undamaged()

    def get(self, question: object) -> list | None:
        """Return the answer to a question; None if it was not asked."""
        return self._answers.get(_digest(question))

    def add(self, question: object, answer: list) -> None:
        """Keep an answer."""
        digest = _digest(question)
        with self._lock, self.path.open("a", encoding="utf-8") as file:
            self._answers[digest] = answer
            file.write(json.dumps([digest + _digest([digest, answer]), answer]) + "\n")

    def _undamaged(self) -> dict[str, list]:
        """Return the answers by the digests of their questions, without damaged ones."""
        if not self.path.exists():
            return {}
        text, answers = self.path.read_text("utf-8", "replace"), {}
        if text and not text.endswith("\n"):  # what is added must begin on a line of its own
            with self.path.open("a", encoding="utf-8") as file:
                file.write("\n")
        for line in text.splitlines():
            try:
                digests, answer = parse_json(line)
                question, check = digests[:DIGITS], digests[DIGITS:]
                if check == _digest([question, answer]):
                    answers[question] = answer
            except (ValueError, TypeError, RecursionError):
                continue
        return answers


def _digest(value: object) -> str:
    return hashlib.sha256(json.dumps(value).encode()).hexdigest()[:DIGITS]
