"""Text to integers beside spaCy; training beside fastText, bare gensim, and on two cores."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from time import perf_counter

import numpy as np
import spacy
from gensim.models import Word2Vec

from bench.comparison import Comparison, Here, Measurement
from bench.workplace import Workplace
from socialbias.corpora.documents import ReadReport
from socialbias.corpora.prepare import prepare
from socialbias.corpora.prepared import Corpus
from socialbias.corpora.shards import INDEX, read_shards, write_shards
from socialbias.corpora.user_files import plain_text
from socialbias.embeddings.train import Options, bootstrap, train

DOCUMENTS, WORDS = 10_000, 250  # documents, and words of each: as film reviews
VOCABULARY = 100_000
TRAINED = 1_500  # documents that are trained on
OPTIONS = Options(epochs=1)
PUNCTUATION = np.array(["", "", "", "", "", "", "", ",", ".", ". "])
LEARNING_RATE = 0.025  # gensim's; fastText's own default is twice that


def comparisons(workplace: Workplace) -> Iterator[Comparison]:
    """Prepare, train, and train twice."""
    path = workplace.folder / "text.txt"
    megabytes = write(path, DOCUMENTS) / 1e6
    yield Comparison(
        name="prepare",
        what=f"text to ids, {megabytes:.0f} MB, {DOCUMENTS * WORDS:,} words",
        ours=Here(lambda: prepared(path, workplace.folder / "ids")),
        peer=Here(lambda: by_spacy(path)),
        peer_name="spaCy's blank tokenizer, and a dictionary",
        least_ratio=6,
        difference=lambda ours, theirs: 0.0 if ours == theirs else float("inf"),
    )
    yield Comparison(
        name="read-prepare",
        what="bytes to ids as the workflow goes: read, shards, shards read, ids; the same text",
        ours=Here(lambda: through_shards(path, workplace.folder)),
        peer=Here(lambda: by_split(path)),
        peer_name="Python's split at blanks and a Counter: ours may take three times as long",
        least_ratio=1 / 3,
        difference=lambda ours, theirs: 0.0,  # punctuation is no word of its own there
    )
    folder = workplace.folder / "small"
    write(path, TRAINED)
    prepared(path, folder)
    texts = in_memory(folder)
    yield Comparison(
        name="train",
        what=f"word2vec, {TRAINED * WORDS:,} words, one epoch, one process",
        ours=Here(lambda: digest(replicate(folder, 0))),
        peer=Here(lambda: digest(gensim(folder, texts))),
        peer_name="gensim, over lists of strings in memory",
        least_ratio=1 / 1.1,
        difference=lambda ours, theirs: 0.0 if ours == theirs else float("inf"),
    )
    yield beside_fasttext(workplace, folder, texts)
    with ProcessPoolExecutor(2, get_context("spawn")) as pool:
        list(pool.map(replicate, [folder] * 4, range(4)))  # both have started and imported
        yield Comparison(
            name="train-two",
            what="two replicates, a process each",
            ours=timed(lambda: list(pool.map(replicate, [folder] * 2, (0, 1)))),
            peer=timed(lambda: [pool.submit(replicate, folder, i).result() for i in (0, 1)]),
            peer_name="the same, one after the other",
            least_ratio=1.8,
            difference=lambda a, b: float(not all(map(np.array_equal, a, b))),
        )


def beside_fasttext(workplace: Workplace, folder: Path, texts: list[list[str]]) -> Comparison:
    """Training as Bad Seeds does, from the ids on; fastText's from the same words as text."""
    fasttext, why_not = workplace.peer("fasttext")
    path = workplace.folder / "sample.txt"
    path.write_text("".join(" ".join(text) + "\n" for text in texts), "utf-8")
    options = Options()
    settings = {
        "ws": options.window,
        "neg": options.negative,
        "t": options.sample,
        "epoch": options.epochs,
        "lr": LEARNING_RATE,
    }
    sizes = {"dimensions": options.dimensions, "least": options.min_count}
    words = sum(map(len, texts))
    return Comparison(
        name="train-fasttext",
        what=f"word2vec, {words:,} words, {options.epochs} epochs, one thread: the same words",
        ours=Here(lambda: trained(folder, options)),
        peer=fasttext.side("train", path=str(path), **sizes, settings=settings)
        if fasttext
        else None,
        peer_name="fastText, skip-gram without subwords",
        least_ratio=1.5,
        difference=lambda ours, theirs: float(ours != theirs),
        note=why_not
        # 3.1 times on an EPYC, 1.8 on a Xeon; see docs/library.md.
        or "both from the call to the vectors; counting words is 1 % of it",
    )


def trained(folder: Path, options: Options) -> list[int]:
    """Words and distinct words of replicate 0, after it is trained."""
    corpus = Corpus.load(folder)
    counts = train(corpus, bootstrap(corpus.size, 1, "bench", 0), options, 1).counts
    return [int(counts.sum()), len(counts)]


def timed(function: Callable[[], object]) -> Callable[[], Measurement]:
    """Return a side that is called once a round."""

    def side() -> Measurement:
        start = perf_counter()
        result = function()
        return Measurement(perf_counter() - start, result)

    return side


def write(path: Path, documents: int) -> int:
    """Write text of made-up words, and tell its bytes.

    As in film reviews, 100 words are half of the text, 1,000 three quarters, 10,000 nine tenths.
    """
    rng = np.random.default_rng(0)
    letters = np.array(list("etaoinshrdlucmfwygpb"))
    lengths = 2 + rng.poisson(np.linspace(1, 6, VOCABULARY))
    words = np.array(["".join(rng.choice(letters, n)) for n in lengths])
    weights = (np.arange(VOCABULARY) + 2.7) ** -1.15
    with path.open("w", encoding="utf-8") as file:
        for _ in range(documents):
            chosen = rng.choice(VOCABULARY, WORDS, p=weights / weights.sum())
            marks = rng.choice(PUNCTUATION, WORDS)
            file.write(" ".join(np.char.add(words[chosen], marks)) + "\n")
    return path.stat().st_size


def prepared(path: Path, folder: Path) -> tuple[int, int]:
    """Tokens and words, after bytes have become ids in files."""
    report = prepare(plain_text(path, unit="line"), folder)
    return report["tokens"], report["vocabulary"]


def through_shards(path: Path, folder: Path) -> int:
    """Tokens, after bytes have become documents in shards, and these have become ids."""
    report = ReadReport()
    write_shards(plain_text(path, report, unit="line"), folder / "shards", report)
    return prepare(read_shards(folder / "shards" / INDEX), folder / "ids")["tokens"]


def by_spacy(path: Path) -> tuple[int, int]:
    """Return the same without sentences, files and frequencies."""
    tokenizer, ids, n = spacy.blank("en").tokenizer, {}, 0
    for document in plain_text(path, unit="line"):
        row = [
            ids.setdefault(token.text, len(ids))
            for token in tokenizer(document.text.lower())
            if not token.is_space
        ]
        n += len(row)
    return n, len(ids)


def by_split(path: Path) -> int:
    """Return the distinct chunks between blanks."""
    with path.open(encoding="utf-8") as file:
        return len(Counter(chunk for line in file for chunk in line.lower().split()))


def replicate(folder: Path, number: int) -> np.ndarray:
    """Return one replicate from the memory map."""
    corpus = Corpus.load(folder)
    return train(corpus, bootstrap(corpus.size, 1, "bench", number), OPTIONS, 1).vectors.matrix


def in_memory(folder: Path) -> list[list[str]]:
    """Return the texts of replicate 0, resampled and without rare words."""
    corpus = Corpus.load(folder)
    documents = bootstrap(corpus.size, 1, "bench", 0)
    words = train(corpus, documents, OPTIONS, 1).vectors.index
    return [[word for word in corpus.texts(i) if word in words] for i in documents.tolist()]


def gensim(folder: Path, texts: list[list[str]]) -> np.ndarray:
    """Gensim on lists of strings, its vocabulary in our order, which decides the vectors."""
    corpus = Corpus.load(folder)
    model = Word2Vec(
        sg=1,
        vector_size=OPTIONS.dimensions,
        window=OPTIONS.window,
        min_count=OPTIONS.min_count,
        negative=OPTIONS.negative,
        sample=OPTIONS.sample,
        epochs=OPTIONS.epochs,
        seed=1,
        workers=1,
    )
    counts: dict[str, int] = dict.fromkeys(corpus.words, 0)
    for text in texts:
        for word in text:
            counts[word] += 1
    model.build_vocab_from_freq(dict(reversed(counts.items())), corpus_count=len(texts))
    model.train(texts, total_examples=len(texts), epochs=OPTIONS.epochs)
    return model.wv.vectors


def digest(matrix: np.ndarray) -> str:
    """Return the matrix in short."""
    return hashlib.sha256(matrix.tobytes()).hexdigest()
