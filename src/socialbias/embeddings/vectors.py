"""Word vectors in memory and on disk, and lookup by word lists."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from tokenize import TokenError

import numpy as np
from numpy.typing import NDArray

from socialbias.errors import UserError
from socialbias.files.atomic_write import aside

# What numpy raises on a header that is none, beside what the system does.
NO_NPY = (ValueError, EOFError, OverflowError, MemoryError, TypeError, KeyError, IndexError)
NO_NPY += (SyntaxError, TokenError)
ANEW = "remove this folder, and the run makes it again"
SMALLEST_SHARE = 0.5  # of a list of words that must have a vector


@dataclass(frozen=True)
class WordVectors:
    """A vocabulary and its vectors.

    Attributes:
        words: n distinct words.
        matrix: (n, d) float32, row i the vector of word i.
    """

    words: tuple[str, ...]
    matrix: NDArray[np.float32]

    @cached_property
    def index(self) -> dict[str, int]:
        """The row of each word."""
        return {word: i for i, word in enumerate(self.words)}

    @cached_property
    def unit_length(self) -> bool:
        """Whether all vectors have length one, to within rounding of single precision."""
        lengths = np.linalg.norm(self.matrix, axis=1)
        return bool(len(lengths)) and bool(np.allclose(lengths, 1, rtol=0, atol=1e-3))

    def has_whole(self, words: Iterable[str]) -> bool:
        """Whether vectors of more words would give a number on these words the same value.

        They would not where the vectors were scaled to unit length: means of such are others.
        """
        return not self.unit_length and self.index.keys() >= set(words)

    def known(self, words: Iterable[str]) -> list[str]:
        """The words that have a vector, in their order, without duplicates."""
        return [word for word in dict.fromkeys(words) if word in self.index]

    def covers(self, words: Sequence[str]) -> bool:
        """Whether at least half of a list of words have a vector: less is another list."""
        return len(self.known(words)) >= max(1, SMALLEST_SHARE * len(set(words)))

    def known_pairs(self, first: Sequence[str], second: Sequence[str]) -> list[list[str]]:
        """The pairs of two aligned lists whose words both have a vector, again as two lists."""
        pairs = [(a, b) for a, b in zip(first, second, strict=True) if {a, b} <= self.index.keys()]
        return [[a for a, _ in pairs], [b for _, b in pairs]]

    def only(self, words: Iterable[str]) -> WordVectors:
        """The vectors of those words that have one."""
        known = self.known(words)
        return WordVectors(tuple(known), self.matrix[[self.index[word] for word in known]])

    def with_first(self, words: Iterable[str]) -> WordVectors:
        """The same vectors in another order: these words first, then the others."""
        return self.only([*words, *self.words])

    def rows(self, words: Sequence[str]) -> NDArray[np.float64]:
        """The vectors of the words, (len(words), d).

        Raises:
            KeyError: a word has no vector; check with `known` first.
        """
        return self.matrix[[self.index[word] for word in words]].astype(np.float64)

    def save(self, folder: Path) -> None:
        """Write `vectors.npy` and `vocabulary.txt` (one word a line) into a folder."""
        folder.mkdir(parents=True, exist_ok=True)
        with aside(folder / "vectors.npy") as part, part.open("wb") as file:
            np.save(file, self.matrix)
        text = "".join(f"{word}\n" for word in self.words)
        with aside(folder / "vocabulary.txt") as part:
            part.write_text(text, "utf-8", newline="\n")

    @classmethod
    def load(cls, folder: Path) -> WordVectors:
        """Read what `save` wrote; the matrix is memory-mapped.

        Raises:
            UserError: a file is missing or damaged, or words and rows differ in number.
        """
        try:
            # As bytes: a word may contain a carriage return, which text mode takes for a line end.
            words = (folder / "vocabulary.txt").read_bytes().decode().split("\n")[:-1]
            matrix = np.load(folder / "vectors.npy", mmap_mode="r")
        except (OSError, *NO_NPY) as error:
            problem = getattr(error, "strerror", None) or str(error)[:80]
            raise UserError(f"{folder}: its word vectors are damaged ({problem}): {ANEW}") from None
        if matrix.ndim != 2 or matrix.dtype.kind != "f" or len(matrix) != len(words):
            shape = " x ".join(map(str, matrix.shape))
            raise UserError(f"{folder}: {len(words)} words, but {shape} numbers: {ANEW}")
        return cls(tuple(words), matrix)
