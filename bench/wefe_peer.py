"""WEFE and gensim at work, under their own versions of everything; see `bench.peers`."""

import hashlib
from functools import cache
from time import perf_counter

import numpy as np
from answering import answer, versions_of
from gensim.models import KeyedVectors
from wefe.metrics import WEAT
from wefe.query import Query
from wefe.word_embedding_model import WordEmbeddingModel


def versions():
    """What is compared with."""
    return versions_of("wefe", "gensim", "numpy")


@cache
def prepared(path: str):
    """A WEAT query, and the vectors of its words."""
    sets = np.load(path)
    names = {key: [f"{key}{i}" for i in range(len(sets[key]))] for key in "xyab"}
    vectors = KeyedVectors(sets["x"].shape[1])
    for key in "xyab":
        vectors.add_vectors(names[key], sets[key])
    query = Query([names["x"], names["y"]], [names["a"], names["b"]])
    return query, WordEmbeddingModel(vectors, "vectors")


def weat(path: str, permutations: int):
    """The WEAT with a p-value from random permutations."""
    query, model = prepared(path)
    start = perf_counter()
    result = WEAT().run_query(query, model, calculate_p_value=True, p_value_iterations=permutations)
    seconds = perf_counter() - start
    return seconds, [float(result["weat"]), float(result["effect_size"])]


def read(path: str, words: list):
    """The vectors of some words of a file in word2vec's binary format."""
    start = perf_counter()
    vectors = KeyedVectors.load_word2vec_format(path, binary=True)
    rows = vectors[words]
    seconds = perf_counter() - start
    return seconds, hashlib.sha256(np.asarray(rows, "<f4").tobytes()).hexdigest()


answer({"versions": versions, "weat": weat, "read": read})
