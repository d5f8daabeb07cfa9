"""fastText at work, under its own versions of everything; see `bench.peers`.

With one thread fastText 0.9.3 fills a tenth of the first vectors and leaves the rest as memory
happens to be (`DenseMatrix::uniform`), which ends now and then in `Encountered NaN`. So it is given
all of them, drawn as it draws them: uniformly within one part in `dim` of zero.
"""

from collections import Counter
from math import isfinite
from pathlib import Path
from time import perf_counter

import fasttext
import numpy as np
from answering import answer, versions_of

END = "</s>"  # fastText's word for the end of a line


def versions():
    """Return what is compared with."""
    return versions_of("fasttext", "numpy")


def train(path: str, dimensions: int, least: int, settings: dict):
    """Skip-gram with negative sampling; from the call to the model.

    fastText also trains on the ends of lines, and counts each word once more for its first vector,
    1 % together: its time is given for the words of the text alone, in proportion.
    """
    counts = Counter(Path(path).read_text("utf-8").split())
    first = f"{path}.vec"
    write_first(first, [word for word in counts if counts[word] >= least], dimensions)
    start = perf_counter()
    model = fasttext.train_unsupervised(
        path,
        model="skipgram",
        loss="ns",
        dim=dimensions,
        minCount=least,
        minn=0,
        maxn=0,
        thread=1,
        verbose=0,
        pretrainedVectors=first,
        **settings,
    )
    seconds = perf_counter() - start
    words, frequencies = model.get_words(include_freq=True)
    if not all(isfinite(x) for word in words for x in model.get_word_vector(word).tolist()):
        raise ValueError("fastText's vectors are not numbers")
    own = sum(counts[word] for word in words)
    return seconds * own / int(sum(frequencies)), [own, len(set(words) - {END})]


def write_first(path: str, words: list, dimensions: int) -> None:
    """First vectors, in the text format of word2vec."""
    bound = 1 / dimensions
    matrix = np.random.default_rng(0).uniform(-bound, bound, (len(words) + 1, dimensions))
    with Path(path).open("w", encoding="utf-8") as file:
        file.write(f"{len(words) + 1} {dimensions}\n")
        for word, row in zip([END, *words], matrix, strict=True):
            file.write(" ".join([word, *map("{:.6f}".format, row)]) + "\n")


answer({"versions": versions, "train": train})
