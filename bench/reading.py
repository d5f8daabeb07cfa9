"""Taking some words out of a file of vectors, beside gensim, which reads all of them."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from bench.comparison import Comparison, Here
from bench.workplace import Workplace
from socialbias.embeddings.readers import read_word_vectors

WORDS, DIMENSIONS, WANTED = 200_000, 300, 400
BLOCK = 20_000


def comparisons(workplace: Workplace) -> Iterator[Comparison]:
    """Yield one file, in word2vec's binary format."""
    gensim, why_not = workplace.peer("wefe")
    path = workplace.folder / "vectors.bin"
    write(path)
    # Evenly from the whole file, the last word included: reading cannot stop early.
    wanted = [f"w{i:06d}" for i in range(WORDS // WANTED - 1, WORDS, WORDS // WANTED)]
    manifest = {"format": "word2vec-binary", "source": "bench", "files": [{"path": path.name}]}

    def ours() -> str:
        rows = read_word_vectors(path.parent, manifest, wanted).rows(wanted)
        return hashlib.sha256(np.asarray(rows, "<f4").tobytes()).hexdigest()

    yield Comparison(
        name="read-word2vec",
        what=f"{WANTED} of {WORDS:,} words from a word2vec binary ({path.stat().st_size >> 20} MB)",
        ours=Here(ours),
        peer=gensim.side("read", path=str(path), words=wanted) if gensim else None,
        peer_name="gensim, load_word2vec_format",
        difference=lambda ours, theirs: 0.0 if ours == theirs else float("inf"),
        note=why_not,
    )


def write(path: Path) -> None:
    """Write a file of random vectors."""
    rng = np.random.default_rng(0)
    record = np.dtype([("word", "S8"), ("vector", "<f4", DIMENSIONS), ("end", "S1")])
    with path.open("wb") as file:
        file.write(f"{WORDS} {DIMENSIONS}\n".encode())
        for start in range(0, WORDS, BLOCK):
            block = np.empty(BLOCK, record)
            block["word"] = [f"w{i:06d} ".encode() for i in range(start, start + BLOCK)]
            block["vector"] = rng.standard_normal((BLOCK, DIMENSIONS), dtype=np.float32)
            block["end"] = b"\n"
            file.write(block.tobytes())
