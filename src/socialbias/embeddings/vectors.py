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
PLAUSIBLE = (1e-6, 1e6)  # median length of vectors
MIN_LENGTH = 1e-6  # length of a vector as a share of the median: a shorter one is rounding
HALF = (1e-20, 1e3)  # a number of 16 bits, read as the first 16 of 32 bits
MOST_HALF = 0.6  # share of numbers whose last 16 bits are such a number: by chance it is 0.3
ALIKE = 0.995  # cosine of each vector with their mean: word vectors are not that similar
OFFSET = 1.25  # times the spread of whole numbers: a mean farther from 0 is a zero point
FEWEST_JUDGED, MOST_JUDGED = 10, 1000  # vectors that are looked at for this
SMALLEST_SHARE = 0.5  # of a list of words that must have a vector


@dataclass(frozen=True)
class WordVectors:
    """A vocabulary and its vectors."""

    words: tuple[str, ...]  # n distinct words
    matrix: NDArray[np.float32]  # (n, d), row i the vector of word i

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
        """Return whether vectors of more words would give a number on these words the same value.

        They would not where the vectors were scaled to unit length: means of such are others.
        """
        return not self.unit_length and self.index.keys() >= set(words)

    def known(self, words: Iterable[str]) -> list[str]:
        """Return the words that have a vector, in their order, without duplicates."""
        return [word for word in dict.fromkeys(words) if word in self.index]

    def covers(self, words: Sequence[str]) -> bool:
        """Return whether at least half of a list of words have a vector: less is another list."""
        return len(self.known(words)) >= max(1, SMALLEST_SHARE * len(set(words)))

    def known_pairs(self, first: Sequence[str], second: Sequence[str]) -> list[list[str]]:
        """Return the pairs of two aligned lists whose words both have a vector, as two lists."""
        pairs = [(a, b) for a, b in zip(first, second, strict=True) if {a, b} <= self.index.keys()]
        return [[a for a, _ in pairs], [b for _, b in pairs]]

    def only(self, words: Iterable[str]) -> WordVectors:
        """Return the vectors of those words that have one."""
        known = self.known(words)
        return WordVectors(tuple(known), self.matrix[[self.index[word] for word in known]])

    def with_first(self, words: Iterable[str]) -> WordVectors:
        """Return the same vectors in another order: these words first, then the others."""
        return self.only([*words, *self.words])

    def rows(self, words: Sequence[str]) -> NDArray[np.float64]:
        """Return the vectors of the words, (len(words), d); all must be `known`."""
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
        """Read what `save` wrote; the matrix is memory-mapped."""
        # As bytes: a word may contain a carriage return, which text mode takes for a line end.
        words = (folder / "vocabulary.txt").read_bytes().decode().split("\n")[:-1]
        return cls(tuple(words), np.load(folder / "vectors.npy", mmap_mode="r"))


def check_finite(vectors: WordVectors, name: Path | str) -> None:
    """UserError if a vector has a number that is infinite or not a number (NaN)."""
    finite = np.isfinite(vectors.matrix).all(axis=1)
    if not finite.all():
        word = vectors.words[int(finite.argmin())]
        raise UserError(f"{name}: the vector of {word!r} is not finite: fetch it again")


def usable(vectors: WordVectors, name: Path | str) -> WordVectors:
    """Return the words whose vector has a direction: one of (almost) no length is missing.

    It is a UserError if a vector is not finite, or their lengths, numbers or directions are not
    those of word vectors, as after a wrong number format or byte order, or with a large offset.
    """
    check_finite(vectors, name)
    judged = np.ascontiguousarray(vectors.matrix[:MOST_JUDGED], np.float32)
    last = np.abs((judged.view(np.uint32) << 16).view(np.float32))
    in_halves = ((last > HALF[0]) & (last < HALF[1])).mean() > MOST_HALF
    if len(judged) >= FEWEST_JUDGED and in_halves:
        raise UserError(f"{name}: its numbers have 16 bits each: save them with 32")
    lengths = np.linalg.norm(vectors.matrix.astype(np.float64), axis=1)
    median = np.median(lengths[lengths > 0]) if lengths.any() else 0.0
    if not PLAUSIBLE[0] <= median <= PLAUSIBLE[1]:
        raise UserError(
            f"{name}: the median length of its vectors is {median:.2g}: save them as little-endian "
            "numbers of 32 bits, of usual size"
        )
    kept = np.flatnonzero(lengths > MIN_LENGTH * median)
    judged = kept[:MOST_JUDGED]
    directions = vectors.matrix[judged] / lengths[judged, None]
    mean = directions.mean(axis=0)
    alike = (directions @ mean).min() > ALIKE * np.linalg.norm(mean)
    if len(judged) >= FEWEST_JUDGED and alike:
        problem = "its vectors are almost equal: is a constant added to every number?"
        raise UserError(f"{name}: {problem}")
    numbers = vectors.matrix[judged].astype(np.float64)
    off = abs(numbers.mean()) > OFFSET * numbers.std() and (numbers == np.rint(numbers)).all()
    if len(judged) >= FEWEST_JUDGED and off:
        problem = f"its numbers are whole numbers around {numbers.mean():.3g}, not around 0"
        raise UserError(f"{name}: {problem}: subtract the zero point that they were rounded with")
    return vectors if len(kept) == len(lengths) else vectors.only([vectors.words[i] for i in kept])
