"""Worlds small enough to work out by hand, for the artefacts of Antoniak and Mimno 2021."""

from types import SimpleNamespace
from unittest import mock

import numpy as np
import pandas as pd
from scipy import stats

from socialbias.embeddings.vectors import WordVectors
from socialbias.papers.bad_seeds import figure2, figure3, figure4, figure5
from socialbias.papers.bad_seeds.inputs import Corpus, SeedSet
from socialbias.papers.evidence import Evidence
from tests.worlds import vectors

STYLE = {"width": 6.8, "row_height": 0.2, "font_size": 8.0, "dpi": 60}
STYLE |= {"colours": ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00"]}


def corpus(*models, counts=None, tags=None, documents=0):
    return Corpus(models, counts or {}, tags or {}, documents)


def measured(measure, corpora=None, lists=None, sets=None, replaced=None, **settings):
    """The evidence of some corpora, word lists and seed sets, which are read from no file."""
    read = {"read_corpora": corpora, "read_sets": None, "seed_sets": sets, **(replaced or {})}
    functions = {name: lambda *_, content=content: content for name, content in read.items()}
    settings = {f"bad_seeds.{name}": value for name, value in settings.items()}
    job = SimpleNamespace(word_lists=lambda _: lists, settings=settings, seed=1, path=str)
    with mock.patch.dict(measure.__globals__, functions):
        return measure(job)


def figure3_of(corpora, pairing, shuffles):
    return measured(figure3.measure, corpora, replaced={"panels": [pairing]}, shuffles=shuffles)


def figure4_of(corpora, pairs, shuffles=5, printed=()):
    table = pd.DataFrame(printed, columns=["row", "column"])
    lists, replaced = {"pairs": pairs}, {"read_csv": table}
    return measured(figure4.measure, corpora, lists, replaced=replaced, shuffles=shuffles)


GENERATED = {"rarest": 10, "commonest": 900, "generated_pairs": 20}


def figure5_of(corpora, lists=None, sets=None):
    return measured(figure5.measure, corpora, lists or LISTS, sets or SETS, **GENERATED)


GATHERED = pd.DataFrame(
    [
        ("s1", "P", ("curated", "prior-work"), ("a", "b")),
        ("s2", "P", ("curated",), ("a", "b", "c", "c")),
        ("s3", "Q", ("curated",), ()),
        ("s4", "R", ("unknown",), ("a",)),
    ],
    columns=["id", "paper", "source_categories", "seeds"],
)
VERSIONS = {"read_versions": {"": GATHERED}}

# The unpleasant words have the mean (2, 2), and of unit vectors (1/2, 1/2): cosines with x and y
# are 1/sqrt 2.
BASE2 = {"bad1": (4, 0), "bad2": (0, 4)}
SETS2 = {"f": SeedSet(("she", "her", "her", "lady", "gone")), "long": SeedSet(tuple("ab" * 15))}


def romance(she=(1, 0)):
    return vectors(**BASE2, she=she, her=(1, 1), lady=(0, -4), a=(1, 0))


def history():
    return vectors(**BASE2, she=(1, 0), her=(-2, -2), extra=(1, 0))


def figure2_of(corpora):
    lists = {"figure2": [*SETS2], "unpleasantness": ["bad1", "bad2", "absent"]}
    return measured(figure2.measure, corpora, lists, SETS2)


def figure2_evidence(**others):
    corpora = {
        "goodreads-romance": corpus(romance(), romance((2, 2))),
        "goodreads-history-biography": corpus(history(), history()),
    }
    return figure2_of(corpora | others)


WORLD = {
    "good": (1, 0, 0), "bad": (0, 1, 0), "x1": (4, 1, 0), "x2": (3, 0, 1), "y1": (1, 4, 0),
    "y2": (0, 3, 1), "z": (1, 1, 1), "w": (-1, 0, 2),
}  # fmt: skip


def by_plain_loops(words, x, y, scaled=False):
    """Coherence along the WEAT direction, set similarity and WEAT by plain loops."""
    unit = {w: np.array(v) / np.linalg.norm(v) for w, v in words.items()}
    averaged = unit if scaled else {w: np.array(v) for w, v in words.items()}
    mean = [sum(averaged[w] for w in s) / len(s) for s in (x, y)]
    axis = mean[0] - mean[1]
    order = stats.rankdata([unit[w] @ axis for w in words]) - 1
    rank = dict(zip(words, order / (len(words) - 1), strict=True))
    gap = abs(np.mean([rank[w] for w in x]) - np.mean([rank[w] for w in y]))
    lean = {w: unit[w] @ unit["good"] - unit[w] @ unit["bad"] for w in words}
    weat = sum(lean[w] for w in x) - sum(lean[w] for w in y)
    similarity = mean[0] @ mean[1] / np.linalg.norm(mean[0]) / np.linalg.norm(mean[1])
    return gap, similarity, weat


LISTS = {
    "gathered_pairs": [["X", "Y"], ["X", "missing"]],
    "generated": [{"first": ["x1", "x2"], "second": ["y1", "gone"]}],
    "highlighted_pairs": [{"row": "names", "first": "X", "second": "Y"}],
}
SETS = {"X": SeedSet(("x1", "x2", "z")), "Y": SeedSet(("y1", "y2"))}


def cloud(seed=0, words=300, models=3, d=12):
    """Random vectors of words with counts and tags, as several noisy models of one space."""
    rng = np.random.default_rng(seed)
    base = rng.normal(size=(words, d))
    names = (*(f"w{i}" for i in range(words - 2)), "good", "bad")
    noisy = [base + 0.3 * rng.normal(size=base.shape) for _ in range(models)]
    counts = {name: int(10 + 3 * i) for i, name in enumerate(names)}
    tags = {name: ("noun", "verb")[i % 2] for i, name in enumerate(names)}
    matrices = [WordVectors(names, matrix.astype(np.float32)) for matrix in noisy]
    return corpus(*matrices, counts=counts, tags=tags, documents=9)


# Pairs in order differ along x alone: one component holds everything. Crossed, they do not.
ORDERED = {"a1": (1, 0, 0), "a2": (0.6, 0.8, 0), "a3": (0.6, 0, 0.8)}
ORDERED |= {"b1": (-1, 0, 0), "b2": (-0.6, 0.8, 0), "b3": (-0.6, 0, 0.8)}
PANEL = {
    "row": "pairs", "first": ["a1", "a2", "a3"], "second": ["b1", "b2", "b3"],
    "shuffled": (["a1", "a2", "a3"], ["b1", "b3", "b2"]),
}  # fmt: skip


def first_component(table, row, setting):
    part = table[(table["row"] == row) & (table["column"] == setting) & (table["unit"] == 1)]
    return part["explained"].astype(float)


PAIRS4 = {
    "figure4a": {"row": "a ordered", "first": ["a1", "a2", "a3"], "second": ["b1", "b2", "b3"]},
    "figure4b": {"row": "b random", "first": ["u", "v"], "second": ["v", "u"]},
    "figure4c": {"row": "c shuffled", "first": ["a1", "a2", "a3"], "second": ["b1", "b3"]},
}
REST4 = {"u": (0, 1, 0), "v": (0, 0, 1), **{f"r{i}": (0.1 * i, 1, 0) for i in range(1, 8)}}


def spread_table(**alternatives):
    facts = {"n": 5, "n_of": 5, "concept": "c", "corpus": "nyt", "scale": "u"}
    result = Evidence()
    for name, measure in alternatives.items():
        units = range(len(measure))
        result.add("c, nyt", name, {"unit": units, "measure": np.array(measure, float)}, **facts)
    return result.table()
