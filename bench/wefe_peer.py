"""WEFE and gensim at work, under their own versions of everything; see `bench.peers`."""

import hashlib
from functools import cache
from time import perf_counter

import numpy as np
from answering import answer, versions_of
from gensim.models import KeyedVectors
from wefe.metrics import ECT, MAC, RIPA, RND, RNSB, WEAT
from wefe.query import Query
from wefe.word_embedding_model import WordEmbeddingModel

# For the referee's table: WEFE's own number, 10,000, takes ten minutes a test.
PERMUTATIONS = 39


def versions():
    """Return what is compared with."""
    return versions_of("wefe", "gensim", "numpy")


@cache
def prepared(path: str):
    """Return a WEAT query, and the vectors of its words."""
    sets = np.load(path)
    names = {key: [f"{key}{i}" for i in range(len(sets[key]))] for key in "xyab"}
    vectors = KeyedVectors(sets["x"].shape[1])
    for key in "xyab":
        vectors.add_vectors(names[key], sets[key])
    query = Query([names["x"], names["y"]], [names["a"], names["b"]])
    return query, WordEmbeddingModel(vectors, "vectors")


def weat(path: str, permutations: int):
    """Return the WEAT with a p-value from random permutations."""
    query, model = prepared(path)
    start = perf_counter()
    result = WEAT().run_query(query, model, calculate_p_value=True, p_value_iterations=permutations)
    seconds = perf_counter() - start
    return seconds, [float(result["weat"]), float(result["effect_size"])]


def metrics(path: str, test: bool, seed: int):
    """Return every metric of WEFE, with defaults but for `PERMUTATIONS`, on a WEAT query.

    A template of two targets and attributes is filled with the two groups as targets, which is the
    way of WEFE's guide; the WEAT has the groups as attributes, as its paper has. ECT ranks the
    words of both sides, RND and RIPA average those of the first: over both they would cancel.
    With `test`, the WEAT has its p-value too.
    """
    query, model = prepared(path)
    (x, y), groups = query.target_sets, query.attribute_sets
    one, both = Query(groups, [x]), Query(groups, [x, y])
    tests = {"calculate_p_value": test, "p_value_iterations": PERMUTATIONS}
    runs = [
        ("WEAT", lambda: WEAT().run_query(query, model, **tests)),
        ("WEAT effect size", lambda: WEAT().run_query(query, model, return_effect_size=True)),
        ("RND", lambda: RND().run_query(one, model)),
        ("RIPA", lambda: RIPA().run_query(one, model)),
        ("ECT", lambda: ECT().run_query(Query(groups, [x + y]), model)),
        ("RNSB", lambda: RNSB().run_query(both, model, random_state=seed)),
        ("MAC", lambda: MAC().run_query(both, model)),
    ]
    rows, start = [], perf_counter()
    for name, run in runs:
        began = perf_counter()
        result = run()
        row = {"tool": "WEFE", "measure": name, "value": float(result["result"])}
        row |= {"low": None, "high": None, "p": result.get("p_value")}
        rows.append(row | {"seconds": perf_counter() - began})
    began = perf_counter()
    near, far = (model.wv.n_similarity(x, group) for group in groups)
    row = {"tool": "gensim", "measure": "n_similarity", "value": float(near - far)}
    row |= {"low": None, "high": None, "p": None, "seconds": perf_counter() - began}
    return perf_counter() - start, [*rows, row]


def read(path: str, words: list):
    """Return the vectors of some words of a file in word2vec's binary format."""
    start = perf_counter()
    vectors = KeyedVectors.load_word2vec_format(path, binary=True)
    rows = vectors[words]
    seconds = perf_counter() - start
    return seconds, hashlib.sha256(np.asarray(rows, "<f4").tobytes()).hexdigest()


if __name__ == "__main__":
    answer({"versions": versions, "weat": weat, "metrics": metrics, "read": read})
