"""Table 3: the keywords of each domain, found again in the released data."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from socialbias.corpora.prepared import Corpus
from socialbias.measures.datasets.stereoset import GOLD, words
from socialbias.papers.stereoset.items import DOMAINS, read_all
from socialbias.pipeline.job import Job
from socialbias.reporting.values import exact, value
from socialbias.stats.draws import resampled_mean
from socialbias.stats.intervals import percentile

TOPS = (16, 50, 200)
SMOOTHING = (1, 10, 100)  # per million words
MILLION = 1e6
SHORTEST_STEM = 4  # letters; a shorter keyword is a whole word
REFERENCE = "prepared/wikipedia"


class Counts(NamedTuple):
    """Words of a domain's attributes."""

    terms: list[str]  # the k target terms
    words: list[str]  # the v words, in alphabetical order
    counts: NDArray[np.float64]  # (k, v) how often each is in the attributes of each term
    # (v,) how often it is in the reference corpus, per million words.
    reference: NDArray[np.float64]


def is_form(word: str, keyword: str) -> bool:
    """Return whether a word is a form of a printed keyword, which print has reduced to its stem.

    It begins with it (hardworking, of hardwork), or is its participle (uncaring, of uncare).
    """
    if len(keyword) < SHORTEST_STEM:
        return word == keyword
    return word.startswith(keyword) or (keyword[-1] == "e" and word == f"{keyword[:-1]}ing")


def keyness(focus: ArrayLike, reference: ArrayLike, smoothing: float) -> NDArray[np.float64]:
    """Return how much more frequent words are in one text than in another (Kilgarriff 2009).

    (f + k) / (r + k): the larger k, the more frequent the words that stand out.
    """
    return (np.asarray(focus) + smoothing) / (np.asarray(reference) + smoothing)


def counted(attributes: pd.DataFrame, reference: Mapping[str, float]) -> Counts:
    """Return the words of attributes by term."""
    terms = sorted(attributes["target"].unique())
    of_term = {term: Counter() for term in terms}
    for term, text in attributes[["target", "attribute"]].to_numpy():
        of_term[term].update(words(text))
    known = sorted(set().union(*of_term.values()))
    table = [[of_term[term][word] for word in known] for term in terms]
    rates = [reference.get(word, 0.0) for word in known]
    return Counts(terms, known, np.array(table, float), np.array(rates, float))


def places(counts: NDArray, reference: NDArray, smoothing: float) -> NDArray[np.int64]:
    """Places of words by keyness, ties in the order of the words."""
    m, v = counts.shape
    last = min(TOPS[-1], v)
    scores = keyness(MILLION * counts / counts.sum(axis=1, keepdims=True), reference, smoothing)
    scores[counts == 0] = 0
    scores *= 1 - 1e-12 * np.arange(v)  # a partition has no order of its own among ties
    first = np.argpartition(-scores, last - 1, axis=1)[:, :last]
    by_score = np.argsort(-np.take_along_axis(scores, first, axis=1), axis=1)
    result = np.full((m, v), TOPS[-1])
    ordered = np.take_along_axis(first, by_score, axis=1)
    np.put_along_axis(result, ordered, np.arange(last)[None], axis=1)
    return np.where(counts == 0, TOPS[-1], result)


def found_in(
    places: NDArray[np.int64], known: Sequence[str], keywords: Iterable[str]
) -> dict[int, NDArray[np.int64]]:
    """Return how many keywords have a form among the first words, (m,) by each of `TOPS`.

    The places, (m, v), are of the v known words, as `places` gives them.
    """
    total = {top: np.zeros(len(places), int) for top in TOPS}
    for keyword in keywords:
        forms = [i for i, word in enumerate(known) if is_form(word, keyword)]
        if forms:
            best = places[:, forms].min(axis=1)
            for top in TOPS:
                total[top] += best < top
    return total


def values(
    sentences: pd.DataFrame,
    reference: Mapping[str, float] | None,
    keywords: Mapping[str, Sequence[str]],
    seed: int,
) -> list[dict]:
    """Table 3's cells: how many keywords of a printed list are among a domain's own.

    Intervals and draws are over samples of a domain's target terms. A sample has fewer different
    words than the domain, so that most counts in samples are lower than in the domain.
    """
    meant = sentences[sentences["gold"].isin(GOLD[:2])]
    used = meant[meant["attribute"] != ""]
    records, sums = [], defaultdict(list)
    texts_of = {
        domain: counted(used[used["domain"] == domain], reference or {}) for domain in keywords
    }
    for domain, texts in texts_of.items():
        own = meant[meant["domain"] == domain]
        read = pd.concat([own["sentence"], own["context"].drop_duplicates()])
        of_sentences = set(words("\n".join(read)))
        for listed, printed in keywords.items():
            row = f"{domain} {listed}"
            records.append(present(row, "in_attributes", texts.words, printed))
            records.append(present(row, "in_sentences", of_sentences, printed))
    for domain, texts in texts_of.items() if reference is not None else ():
        # (1 + DRAWS, v) counts of words: as they are, and in samples of the terms.
        means = resampled_mean(texts.counts, texts.terms, seed)
        samples = np.vstack([texts.counts.sum(axis=0), np.rint(len(texts.terms) * means)])
        for smoothing in SMOOTHING:
            ordered = places(samples, texts.reference, smoothing)
            for listed, printed in keywords.items():
                whose = "own lists" if listed == domain else "other lists"
                for top, numbers in found_in(ordered, texts.words, printed).items():
                    column, n = f"top{top}@k{smoothing}", len(printed)
                    note = ""
                    if top == TOPS[0] and listed == domain:
                        first = np.argsort(ordered[0], kind="stable")[: TOPS[0]]
                        note = "ours: " + ", ".join(texts.words[i] for i in first)
                    records.append(_cell(f"{domain} {listed}", column, numbers, n, note))
                    sums[whose, column].append((numbers, n))
    for (whose, column), parts in sums.items():
        numbers, n = sum(numbers for numbers, _ in parts), sum(n for _, n in parts)
        records.append(_cell(whose, column, numbers, n, ""))
    return records


def present(row: str, column: str, known: Iterable[str], keywords: Sequence[str]) -> dict:
    """Return how many keywords have a form among all these words, and which have none."""
    absent = [k for k in keywords if not any(is_form(word, k) for word in known)]
    note = f"without: {', '.join(absent)}" if absent else ""
    number, n = len(keywords) - len(absent), len(keywords)
    sizes = {"n": n, "n_of": n, "n_unit": "printed keywords", "unit": "keywords"}
    return exact(row, column, number, note=note, **sizes)


def _cell(row: str, column: str, numbers: NDArray, n: int, note: str) -> dict:
    """Return one count with its interval."""
    low, high = percentile(numbers[1:])
    number, draws = float(numbers[0]), numbers[1:].astype(float)
    facts = {"n": n, "n_of": n, "n_unit": "printed keywords", "unit": "keywords", "note": note}
    ends = min(low, number), max(high, number)
    return value(row, column, number, interval=ends, draws=draws, **facts)


def summarise(job: Job) -> list[dict]:
    """Return all cells of both splits; without a reference corpus, only present keywords."""
    sentences = read_all(job)
    if sentences is None:
        return []
    reference = None
    if REFERENCE in job:
        corpus = Corpus.load(job.path(REFERENCE).parent)
        rates = (MILLION * corpus.counts / corpus.counts.sum()).tolist()
        reference = dict(zip(corpus.words, rates, strict=True))
    keywords = job.word_lists("stereoset")["keywords"]
    return values(sentences, reference, {domain: keywords[domain] for domain in DOMAINS}, job.seed)
