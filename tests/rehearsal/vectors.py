"""Published word vectors, in their containers."""

from __future__ import annotations

import gzip
import io
import zipfile
from pathlib import Path

import numpy as np

from socialbias.sources.registry import Source
from tests.rehearsal.texts import Counts, Words

DIMENSIONS = 300
DECADES = range(1900, 2000, 10)
LACKING = 2  # professions that word2vec has and GloVe has not
FILLERS = 1500  # words of no meaning, so that there are enough of any frequency


def vocabulary(words: Words, extra: list[str]) -> list[str]:
    """All words, those of data sets that are read with vectors, and fillers."""
    named = list(dict.fromkeys([*words.all, *extra]))
    fillers = [f"filler{chr(97 + i % 26)}{i}" for i in range(FILLERS)]
    every = len(named) // len(fillers) + 1
    mixed = []
    for i, filler in enumerate(fillers):
        mixed += [filler, *named[i * every : (i + 1) * every]]
    return mixed


def matrix(words: list[str], seed: int) -> np.ndarray:
    """(n, 300) float32: a vector for each word, a little alike so that cosines spread."""
    rng = np.random.default_rng(seed)
    return (rng.normal(size=(len(words), DIMENSIONS)) * 0.1 + 0.02).astype("<f4")


def word2vec(source: Source, folder: Path, words: Words, extra: list[str]) -> Counts:
    """word2vec's binary format: no line end behind a vector; cased, with phrases and `##`."""
    listed = ["</s>", "New_York", "##,###", *vocabulary(words, extra)]
    with gzip.open(folder / source.files[0].name, "wb", compresslevel=1) as file:
        file.write(f"{len(listed)} {DIMENSIONS}\n".encode())
        for word, vector in zip(listed, matrix(listed, 71), strict=True):
            file.write(word.encode() + b" " + vector.tobytes())
    return {source.files[0].name: {"words": len(listed), "dimensions": DIMENSIONS}}


def lines(listed: list[str], values: np.ndarray) -> str:
    """Text without a header: a word and its numbers."""
    rows = (" ".join(f"{x:.4f}" for x in row) for row in values)
    return "".join(f"{word} {row}\n" for word, row in zip(listed, rows, strict=True))


def glove_zip(source: Source, folder: Path, words: Words, extra: list[str]) -> Counts:
    """Four members, one a length; a token is a line separator of Unicode."""
    rare = {word for word in words.mentioned if word not in words.targets}
    rare = set(sorted(rare)[:LACKING])
    listed = [*(word for word in vocabulary(words, extra) if word not in rare), "\x85"]
    values = matrix(listed, 72)
    stem = source.files[0].name.removesuffix(".zip")
    with zipfile.ZipFile(folder / source.files[0].name, "w", zipfile.ZIP_DEFLATED) as archive:
        for length in (50, 100, 200, 300):
            archive.writestr(f"{stem}.{length}d.txt", lines(listed, values[:, :length]))
    return {source.files[0].name: {"words": len(listed), "dimensions": DIMENSIONS}}


def glove_text(source: Source, folder: Path, words: Words, extra: list[str]) -> Counts:
    """One file of text, cased, without a header."""
    listed = vocabulary(words, extra)
    values = matrix(listed, 73 + ("baseline" in source.id))
    (folder / source.files[0].name).write_text(
        lines([*listed, "Zagreb"], np.vstack([values, values[:1]])), "utf-8"
    )
    return {source.files[0].name: {"words": len(listed) + 1, "dimensions": DIMENSIONS}}


def histwords(source: Source, folder: Path, words: Words, extra: list[str]) -> Counts:
    """Decades of float64 matrices and of word lists that Python 2 pickled, protocol 0."""
    listed = [*vocabulary(words, extra), "café", "a\\b", "Nurse"]
    with zipfile.ZipFile(folder / source.files[0].name, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.mkdir("sgns")
        for decade in DECADES:
            values = matrix(listed, decade).astype("<f2").astype("<f8")  # for a small zip
            # Some are rare in this decade.
            values[[word.startswith("fillera") for word in listed]] = 0.0
            buffer = io.BytesIO()
            np.save(buffer, values)
            archive.writestr(f"sgns/{decade}-w.npy", buffer.getvalue())
            archive.writestr(f"sgns/{decade}-vocab.pkl", python2_pickle(listed))
    counts = {"decades": len(DECADES), "words": len(listed), "dimensions": DIMENSIONS}
    return {source.files[0].name: counts}


def python2_pickle(listed: list[str]) -> bytes:
    """A list of unicode strings as cPickle wrote it by default."""
    parts = [b"(lp1\n"]
    for i, word in enumerate(listed, 2):
        escaped = word.replace("\\", "\\u005c").replace("\n", "\\u000a")
        parts.append(b"V" + escaped.encode("raw_unicode_escape") + b"\np%d\na" % i)
    return b"".join([*parts, b"."])
