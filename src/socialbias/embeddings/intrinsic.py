"""Intrinsic evaluation of word vectors: analogies and similarity judgements."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from socialbias.embeddings.vectors import WordVectors
from socialbias.files.text import read_text
from socialbias.stats.correlation import spearman_rho

MIN_KNOWN = 10  # pairs or questions
FLOOR = 0.4  # of Spearman's correlation with judged relatedness, for numbers to be judged
RELATEDNESS = ("MEN_dataset_natural_form_full", "wordsim353")
BLOCK = 512  # questions answered at a time


def checks(vectors: WordVectors, sets: dict[str, tuple[Path, dict]]) -> list[dict]:
    """Return rows with `kind`, `set` (the file's stem), `value`, `known` and `of`, one a file.

    `sets` has by kind, `analogies` or `similarity`, folder and manifest of a source. A value is an
    accuracy or Spearman's correlation, None if too few words are known.
    """
    rows = []
    for kind, (folder, manifest) in sorted(sets.items()):
        for entry in manifest["files"]:
            path = folder / entry["path"]
            if kind == "analogies":
                result = analogies(vectors, read_analogies(path))
            else:
                result = similarity(vectors, read_similarity(path))
            rows.append({"kind": kind, "set": path.stem, **result})
    return rows


def weakness(paths: Sequence[Path]) -> str:
    """Return why the vectors of a corpus know too little for a verdict; "" where they know enough.

    Vectors trained on too little text order words by chance. The floor is on the better of two
    tests of relatedness; published vectors reach .6 to .8 on both. `paths` are parquet files with
    the rows of `checks`, one for each bootstrap.
    """
    import pandas as pd

    table = pd.concat(map(pd.read_parquet, paths), ignore_index=True)
    chosen = table[table["set"].isin(RELATEDNESS)]
    scores = chosen.groupby("set")["value"].mean().dropna()
    return too_weak(scores.to_dict())


def too_weak(scores: Mapping[str, float]) -> str:
    """Return why vectors with these correlations, by test, know too little; "" if enough.

    It is not known where there is no test.
    """
    if not scores or max(scores.values()) >= FLOOR:
        return ""
    listed = " and ".join(f"{score:.2f} on {name}" for name, score in scores.items())
    return f"the vectors know too little: {listed}, below {FLOOR}"


def read_similarity(path: Path) -> list[tuple[str, str, float]]:
    """Return pairs of words, in lower case, and their judged similarity.

    A line has two words and a number between spaces; one that begins with `#` is a comment.
    """
    lines = [line.lower() for line in read_text(path).splitlines() if not line.startswith("#")]
    entries = [line.split() for line in lines if line.strip()]
    return [(first, second, float(score)) for first, second, score in entries]


def read_analogies(path: Path) -> list[tuple[str, str, str, str]]:
    """Return questions, a is to b as c is to d, in lower case; lines with `:` are headings."""
    lines = [line for line in read_text(path).splitlines() if not line.startswith(":")]
    return [tuple(line.lower().split()) for line in lines if line.strip()]


def similarity(vectors: WordVectors, pairs: list[tuple[str, str, float]]) -> dict:
    """Return Spearman's correlation of cosine similarities with judgements.

    It is the `value`, None if fewer than 10 pairs are `known` `of` all.
    """
    known = known_pairs(vectors, pairs)
    if len(known) < MIN_KNOWN:
        return {"value": None, "known": len(known), "of": len(pairs)}
    rho = spearman_rho(cosines_of(vectors, known), [judged for *_, judged in known])
    return {"value": _number(rho), "known": len(known), "of": len(pairs)}


def known_pairs(
    vectors: WordVectors, pairs: Sequence[tuple[str, str, float]]
) -> list[tuple[str, str, float]]:
    """Return the pairs of `read_similarity` of which both words have vectors."""
    return [pair for pair in pairs if {*pair[:2]} <= vectors.index.keys()]


def cosines_of(
    vectors: WordVectors, pairs: Sequence[tuple[str, str, float]]
) -> NDArray[np.float32]:
    """(n,) cosines of n `known_pairs`."""
    sides = ([vectors.index[pair[side]] for pair in pairs] for side in (0, 1))
    first, second = (_unit(vectors.matrix[places]) for places in sides)
    return np.einsum("ij,ij->i", first, second)


def analogies(vectors: WordVectors, questions: list[tuple[str, str, str, str]]) -> dict:
    """Return the share of questions whose answer is nearest to b - a + c (Mikolov et al. 2013).

    All words except a, b and c are candidates. The `value` is None if fewer than 10 are `known`.
    """
    index = vectors.index
    known = [[index[w] for w in question] for question in questions if index.keys() >= {*question}]
    if len(known) < MIN_KNOWN:
        return {"value": None, "known": len(known), "of": len(questions)}
    rows = np.array(known)
    answers = np.concatenate(list(nearest_words(vectors.matrix, rows[:, :3])))
    right = (answers == rows[:, 3]).sum()
    return {"value": _number(right / len(known)), "known": len(known), "of": len(questions)}


def nearest_words(
    matrix: NDArray[np.float32], questions: NDArray[np.int64]
) -> Iterator[NDArray[np.int64]]:
    """Yield the row nearest to b - a + c, other than a, b and c, for some hundred questions each.

    `matrix` is (n, d), of any length; `questions` are (q, 3) rows of a, b and c.
    """
    matrix = _unit(matrix)
    for start in range(0, len(questions), BLOCK):
        a, b, c = questions[start : start + BLOCK].T
        scores = (matrix[b] - matrix[a] + matrix[c]) @ matrix.T
        rows = np.arange(len(a))
        for excluded in (a, b, c):
            scores[rows, excluded] = -np.inf
        yield scores.argmax(axis=1)


def _unit(matrix: NDArray[np.float32]) -> NDArray[np.float32]:
    norms = np.linalg.norm(matrix, axis=1, keepdims=True)
    return matrix / np.where(norms > 0, norms, 1)


def _number(x: float) -> float:
    return float(f"{x:.6g}")
