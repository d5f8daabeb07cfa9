"""Training: against gensim itself, and what gensim leaves out without a word."""

import logging
from collections import Counter

import numpy as np
import pytest
from gensim.models import Word2Vec

from socialbias.corpora.documents import Document
from socialbias.corpora.prepare import prepare
from socialbias.corpora.prepared import Corpus
from socialbias.embeddings.intrinsic import (
    analogies,
    checks,
    read_analogies,
    read_similarity,
    similarity,
)
from socialbias.embeddings.samples import m_out_of_n
from socialbias.embeddings.train import Options, bootstrap, train
from socialbias.embeddings.vectors import WordVectors
from socialbias.errors import UserError

SMALL = Options(dimensions=8, min_count=3, epochs=2)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """300 documents of about 40 words each; one word in six is rare."""
    rng = np.random.default_rng(5)
    folder = tmp_path_factory.mktemp("corpus")
    weights = 1 / np.arange(1, 401)
    documents = (
        Document(str(i), " ".join(f"w{n}" for n in rng.choice(400, 40, p=weights / weights.sum())))
        for i in range(300)
    )
    prepare(documents, folder, tokenizer="whitespace")
    return folder


@pytest.fixture(scope="module")
def corpus(folder):
    return Corpus.load(folder)


def blank(options: Options, seed: int) -> Word2Vec:
    """gensim's model without words."""
    return Word2Vec(
        sg=1,
        vector_size=options.dimensions,
        window=options.window,
        min_count=options.min_count,
        negative=options.negative,
        sample=options.sample,
        epochs=options.epochs,
        seed=seed,
        workers=1,
    )


def test_the_same_bytes_as_gensim(corpus, caplog):
    """As gensim over strings: with integers that are no places its noise words are wrong."""
    documents = bootstrap(corpus.size, 1, "x", 0)
    with caplog.at_level(logging.WARNING, "gensim"):
        model = train(corpus, documents, SMALL, 7)
    assert not caplog.records  # gensim found as many texts as it was told
    texts = [corpus.texts(i) for i in documents]
    counts = Counter(word for text in texts for word in text)
    whole = dict(zip(corpus.words, corpus.counts.tolist(), strict=True))
    kept = {word for word in counts if counts[word] >= 3 and whole[word] >= 3}
    expected = sorted(kept, key=lambda word: (-counts[word], -whole[word], word))
    assert list(model.vectors.words) == expected
    assert model.counts.tolist() == [counts[word] for word in expected]
    texts = [[word for word in text if word in kept] for text in texts]
    theirs = blank(SMALL, 7)
    theirs.build_vocab_from_freq({word: counts[word] for word in reversed(expected)})
    theirs.train(texts, total_examples=len(texts), epochs=2)
    assert theirs.wv.index_to_key == expected
    assert theirs.wv.vectors.tobytes() == model.vectors.matrix.tobytes()


def test_a_word_must_be_frequent_in_the_corpus_and_in_the_sample(tmp_path):
    texts = ["a a a b b c", "a b c c d d", "e e a b a b"]
    prepare((Document(str(i), t) for i, t in enumerate(texts)), tmp_path, tokenizer="whitespace")
    corpus, options = Corpus.load(tmp_path), Options(dimensions=4, min_count=3, epochs=1)
    # in the corpus: a 6, b 5, c 3, d 2, e 2
    model = train(corpus, np.array([1, 1, 2]), options, 1)
    # in the sample: a 4, b 4, c 4, d 4, e 2
    assert model.vectors.words == ("a", "b", "c")
    assert model.counts.tolist() == [4, 4, 4]
    assert train(corpus, np.array([2, 2, 1]), options, 1).vectors.words == ("a", "b")
    with pytest.raises(UserError, match="m: fewer than 2 words occur 4 times"):
        train(corpus, np.array([0]), Options(min_count=4), 1, name="m")


# --- texts of more than 10,000 words ----------------------------------------------------------


@pytest.fixture(scope="module")
def long_corpus(tmp_path_factory):
    """One document of 25,000 words, whose last 5,000 are others than the first 20,000."""
    rng = np.random.default_rng(2)
    words = [f"a{n}" for n in rng.integers(0, 50, 20_000)]
    words += [f"z{n}" for n in rng.integers(0, 50, 5_000)]
    folder = tmp_path_factory.mktemp("long")
    prepare([Document("1", " ".join(words))], folder, tokenizer="whitespace")
    return Corpus.load(folder)


def moved(words, vectors, seed: int, options: Options) -> set[str]:
    """First letters of the words whose vectors are not those with which gensim began."""
    start = Word2Vec(sg=1, vector_size=options.dimensions, min_count=1, seed=seed)
    start.build_vocab_from_freq(dict.fromkeys(words, 1))
    changed = (start.wv.vectors != vectors).any(axis=1)
    return {word[0] for word, change in zip(words, changed, strict=True) if change}


def test_words_behind_10000_are_trained_too(long_corpus):
    """Gensim leaves them out without a word."""
    options = Options(dimensions=8, min_count=1, epochs=1, sample=0)
    ours = train(long_corpus, np.array([0]), options, 3).vectors
    assert moved(ours.words, ours.matrix, 3, options) == {"a", "z"}


# --- is a model sane? -------------------------------------------------------------------------


def test_similarity_and_analogies_by_hand(tmp_path):
    angles = np.linspace(0, 1, 12)
    matrix = np.stack([np.cos(angles), np.sin(angles)], 1).astype(np.float32)
    vectors = WordVectors(tuple("abcdefghijkl"), 3 * matrix)
    path = tmp_path / "similar.tsv"
    rows = [f"a\t{word.upper()}\t{10 - i}" for i, word in enumerate("bcdefghijkl")]
    path.write_text("\n".join(["# w1 w2 score", *rows, "a\tunknown\t1", ""]))
    assert similarity(vectors, read_similarity(path)) == {"value": 1.0, "known": 11, "of": 12}
    assert similarity(vectors, [("a", "b", 1.0)]) == {"value": None, "known": 1, "of": 1}
    questions = tmp_path / "questions.txt"
    right = [f"{a} {b} {c} {d}" for a, b, c, d in zip("abcd", "bcde", "efgh", "fghi", strict=True)]
    right += ["C d H i", "d c i h", "e d j i", "b c i j", "f e i h"]
    questions.write_text("\n".join([": all", *right, "a b e k", "a b c nowhere"]))
    found = analogies(vectors, read_analogies(questions))
    assert found == {"value": pytest.approx(0.9), "known": 10, "of": 11}
    sets = {
        "similarity": (tmp_path, {"files": [{"path": path.name}]}),
        "analogies": (tmp_path, {"files": [{"path": questions.name}]}),
    }
    assert [(row["kind"], row["set"], row["known"]) for row in checks(vectors, sets)] == [
        ("analogies", "questions", 10),
        ("similarity", "similar", 11),
    ]


@pytest.mark.parametrize("read", [read_similarity, read_analogies])
def test_sets_that_are_no_text_are_named(tmp_path, read):
    (tmp_path / "x").write_bytes(b"a\tb\t1\ncaf\xe9\tb\t2\n")
    with pytest.raises(UserError, match=r"x: byte 9 is not UTF-8"):
        read(tmp_path / "x")


# --- a bootstrap of fewer documents than the corpus has is called what it is ----------------


@pytest.mark.parametrize(
    ("samples", "said"),
    [
        ([[1, 0, 2, 0], [0, 3, 0, 0]], "m out of n: each model has 3 of 4 documents"),
        ([[1, 1, 2, 0], [0, 4, 0, 0]], ""),
    ],
)
def test_a_smaller_sample_is_said(tmp_path, samples, said):
    paths = [tmp_path / f"{i}.npy" for i, _ in enumerate(samples)]
    for path, counts in zip(paths, samples, strict=True):
        np.save(path, np.array(counts, np.uint16))
    assert m_out_of_n(paths) == said


def test_many_documents_do_not_overflow_their_small_counts(tmp_path):
    path = tmp_path / "inclusion.npy"
    np.save(path, np.full(70_000, 2, np.uint16))
    assert m_out_of_n([path]) == ""
