"""`python -m bench.precision FOLDER OTHER`: what another precision of a model changes.

The folders are of the rule `represent`, of the same text and model; that of the second is made with
another `contextual: {dtype: ...}` under another name of a run (docs/models.md).

Cosines of the vectors, and of each of Table 3's targets the bias (the female share minus one half,
of the reduction): its change beside half its interval. How much of the change stays however long
the text is, is told by the draws: what differs from draw to draw would average out.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from bench.peers import ROOT
from socialbias.embeddings.vectors import WordVectors
from socialbias.embeddings.words.of_papers import read_word_lists
from socialbias.measures.datasets.census import GENDER
from socialbias.measures.divdist import DivDist

LEVEL = 0.95


def main() -> None:
    """Compare and print."""
    parser = argparse.ArgumentParser(prog="python -m bench.precision", description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("other", type=Path)
    options = parser.parse_args()
    folders = (options.folder, options.other)
    for folder in folders:
        print(folder, json.loads((folder / "info.json").read_text("utf-8"))["ran_on"])
    for name in ("vectors", "features"):
        found = cosines(*(np.load(folder / f"{name}.npy") for folder in folders))
        print(f"cosines of {name}: at least {found.min():.6f}, median {np.median(found):.6f}")
    tell_biases(*folders)


def cosines(one: NDArray[np.float32], other: NDArray[np.float32]) -> NDArray[np.float64]:
    """Of each row of one matrix with the same row of another."""
    a, b = one.astype(float), other.astype(float)
    return (a * b).sum(axis=1) / (np.linalg.norm(a, axis=1) * np.linalg.norm(b, axis=1))


def tell_biases(folder: Path, other: Path) -> None:
    """Write a line for each target."""
    lists = read_word_lists(ROOT / "resources/word_lists/trustworthy.yaml")
    targets = lists["table3_targets"]
    groups = [next(iter(lists["gender"].values()))[group] for group in GENDER]
    observed, draws = zip(*(biases(path, targets, groups) for path in (folder, other)), strict=True)
    low, high = np.quantile(draws[0], [(1 - LEVEL) / 2, (1 + LEVEL) / 2], axis=0)
    apart = draws[1] - draws[0]
    print("target: bias, change, half its interval, their ratio; change in the mean draw, its sd")
    for i, target in enumerate(targets):
        change, half = observed[1][i] - observed[0][i], (high - low)[i] / 2
        print(
            f"{target}: {observed[0][i]:.4f}, {change:.1e}, {half:.1e}, {abs(change) / half:.3f}; "
            f"{apart[:, i].mean():.1e}, {apart[:, i].std():.1e}"
        )


def biases(
    folder: Path, targets: list[str], groups: list[list[str]]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the directed bias of each target, (t,), and in each draw, (draws, t)."""
    vectors, measure = WordVectors.load(folder), DivDist()

    def measured(found: WordVectors) -> NDArray[np.float64]:
        lists = [found.rows(found.known(words)) for words in groups]
        return measure.directed(found.rows(targets), lists)

    resampled = np.load(folder / "resampled.npy")
    draws = [measured(WordVectors(vectors.words, draw)) for draw in resampled]
    return measured(vectors), np.array(draws)


if __name__ == "__main__":
    main()
