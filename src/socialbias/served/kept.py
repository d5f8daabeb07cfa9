"""Answers of a server on disk: a stopped run does not ask twice.

One file for each server and model, in the user's cache folder. Its lines are JSON: first what the
server answered to the handshake, then a digest of each question with the answer. Questions
themselves, and so people's texts, are not written.
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


def folder() -> Path:
    """Return the folder of kept answers."""
    return Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache").expanduser() / "socialbias/served"


class Kept:
    """The answers of one model of one server.

    Attributes:
        path: Their file.
        changed: Whether the file had answers of another model, which were removed.
        handshake: (n,) log-probabilities that identify the model: those that were kept first.
    """

    def __init__(self, asked: Sequence[str], handshake: Sequence[float]):
        """Read what is kept for a server and a model.

        Args:
            asked: The server's address, the model's name there, and the way in which it is asked.
            handshake: (n,) its answers of today: under this name it may have another model now.

        Raises:
            UserError: the folder cannot be written.
        """
        name = hashlib.sha256("\n".join(asked).encode()).hexdigest()[:16]
        self.path, self._lock = folder() / f"{name}.jsonl", Lock()
        self._answers: dict[str, list] = {}
        self.handshake, self.changed = list(handshake), False
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            first, *lines = self._lines() or [None]
            if self.is_of(first):
                self.handshake, self._answers = first, dict(filter(_is_answer, lines))
            else:
                self.changed = first is not None
                self.path.write_text(json.dumps(self.handshake) + "\n", "utf-8")
        except OSError as error:
            problem = error.strerror
            hint = "set XDG_CACHE_HOME to a folder that can be"
            raise UserError(f"{self.path}: cannot be written ({problem}): {hint}") from None

    def is_of(self, numbers: object) -> bool:
        """Whether these log-probabilities are those of the handshake's model."""
        if not isinstance(numbers, list) or len(numbers) != len(self.handshake):
            return False
        apart = np.abs(np.array(numbers, float) - np.array(self.handshake, float))
        return bool(apart.mean() <= MODEL_CHANGED)

    def refresh(self) -> None:
        """Read what others have added: the other side of a comparison may be the same model."""
        self._answers |= dict(filter(_is_answer, self._lines()))

    def get(self, question: object) -> list | None:
        """Return the answer to a question; None if it was not asked."""
        return self._answers.get(_digest(question))

    def add(self, question: object, answer: list) -> None:
        """Keep an answer."""
        digest = _digest(question)
        with self._lock, self.path.open("a", encoding="utf-8") as file:
            self._answers[digest] = answer
            file.write(json.dumps([digest, answer]) + "\n")

    def _lines(self) -> list:
        """Return what the lines hold; the last one may break off where a run was killed."""
        if not self.path.exists():
            return []
        values = []
        for line in self.path.read_text("utf-8", "replace").splitlines():
            try:
                values.append(parse_json(line))
            except ValueError:
                values.append(None)
        if values and values[-1] is None:  # what is added must begin on a line of its own
            with self.path.open("a", encoding="utf-8") as file:
                file.write("\n")
        return values


def _is_answer(line: object) -> bool:
    shape = isinstance(line, list) and len(line) == 2 and isinstance(line[1], list)
    return shape and all(isinstance(number, int | float) for number in line[1])


def _digest(question: object) -> str:
    return hashlib.sha256(json.dumps(question).encode()).hexdigest()[:32]
