"""Contexts and their counts, from text and from ids, beside NLTK and plain loops."""

from __future__ import annotations

import json
import os
import sys
import tracemalloc
from collections.abc import Iterator
from dataclasses import replace
from itertools import islice, pairwise
from pathlib import Path

import numpy as np

from bench.comparison import Comparison, Here
from bench.peers import ROOT, Peer
from bench.training import timed
from bench.workplace import Workplace
from socialbias.corpora.contexts import contexts_of, match_blocks
from socialbias.corpora.documents import ReadReport
from socialbias.corpora.prepare import prepare_parts
from socialbias.corpora.prepared import Corpus
from socialbias.corpora.shards import read_parts, read_shards, write_shards
from socialbias.embeddings.words.of_papers import read_word_lists
from socialbias.measures.text import association_counts

# Film reviews, as the quickstart reads them.
REVIEWS = ROOT / "results/quickstart/corpora/goodreads_romance/documents/documents.json"
LISTS = read_word_lists(ROOT / "resources/word_lists/trustworthy.yaml")
DOCUMENTS = 12_500
GROUPS = LISTS["gender"]["appendix"]
LENGTHS = (1, 2, 3, 4, 5)  # of windows, as in Table 4
TIMES = (1, 3, 9)  # the corpus repeated so often, to see what memory it takes


def comparisons(workplace: Workplace) -> Iterator[Comparison]:
    """From raw documents, and from ids."""
    if not REVIEWS.exists():
        print(f"contexts: no film reviews in {REVIEWS}: run make quickstart", file=sys.stderr)
        return
    nltk, why_not = workplace.peer("nltk")
    index, folder = workplace.folder / "reviews/documents.json", workplace.folder / "reviews-ids"
    write_shards(islice(read_shards(REVIEWS), DOCUMENTS), index.parent, ReadReport())
    prepare_parts(read_parts(index, 1), folder)
    corpus = Corpus.load(folder)
    text, tokens = written(workplace.folder, index, corpus)
    words = f"{len(corpus.tokens):,} tokens"
    stereotyped, professions = LISTS["table3_targets"], LISTS["professions"]
    groups = list(GROUPS.values())
    cores, again = os.cpu_count() or 1, workplace.folder / "again"
    of_peer = nltk and nltk.side(
        "from_text", path=str(text), targets=stereotyped, groups=groups, n=3
    )
    one = Comparison(
        name="contexts-text",
        what=f"text to counts, {DOCUMENTS:,} film reviews, {words}, 8 targets, 3 sentences",
        ours=timed(lambda: from_text(index, again, stereotyped, cores=1)),
        peer=of_peer or None,
        peer_name="NLTK's Punkt and word tokenizer, and loops",
        least_ratio=15,
        difference=apart,
        tolerance=0.2,  # other sentences and other tokens
        note=why_not or splitters(nltk, text, corpus),
    )
    yield one
    yield replace(
        one,
        name="contexts-text-cores",
        what=f"the same on {cores} cores",
        ours=timed(lambda: from_text(index, again, stereotyped, cores=cores)),
        peer_name=f"{one.peer_name}, on one core",
        least_ratio=None if cores < 2 else 15,
        note=why_not,
    )
    for name, targets in (("contexts-8", stereotyped), ("contexts-all", professions)):
        arguments = {"targets": targets, "groups": groups, "lengths": LENGTHS}
        yield Comparison(
            name=name,
            what=f"ids to counts, {words}, {len(targets)} targets, 1 to 5 sentences",
            ours=Here(lambda targets=targets: counts(corpus, targets, LENGTHS)),
            peer=nltk.side("from_tokens", path=str(tokens), **arguments) if nltk else None,
            peer_name="loops over tokenised sentences",
            least_ratio=40,
            difference=apart,
            note=why_not or memory(corpus, targets),
        )


def written(folder: Path, index: Path, corpus: Corpus) -> tuple[Path, Path]:
    """Return the documents as the peer reads them: their texts, and their tokens by sentence."""
    text, tokens = folder / "reviews.jsonl", folder / "tokens.jsonl"
    with text.open("w", encoding="utf-8") as file:
        file.writelines(json.dumps(document.text) + "\n" for document in read_shards(index))
    bounds = corpus.sentences.tolist()
    places = np.searchsorted(corpus.sentences, corpus.documents).tolist()
    with tokens.open("w", encoding="utf-8") as file:
        for first, last in pairwise(places):
            sentences = pairwise(bounds[first : last + 1])
            rows = [[corpus.words[i] for i in corpus.tokens[a:b]] for a, b in sentences]
            file.write(json.dumps(rows) + "\n")
    return text, tokens


def from_text(index: Path, folder: Path, targets: list[str], cores: int) -> list:
    """From shards to counts."""
    prepare_parts(read_parts(index, cores), folder, cores=cores)
    return counts(Corpus.load(folder), targets, [3])


def counts(corpus: Corpus, targets: list[str], lengths: tuple[int, ...] | list[int]) -> list:
    """Return counts of each target for each length of window."""
    listed = {target: [target] for target in targets}
    total = np.zeros((len(lengths), len(targets), len(GROUPS) + 1), np.int64)
    for matches in match_blocks(corpus, listed, GROUPS):
        contexts = [contexts_of(matches, n) for n in lengths]
        total += [association_counts(c, len(targets), len(GROUPS)) for c in contexts]
    return total.tolist()


def apart(ours: list, theirs: list) -> float:
    """Return the sum of the differences between counts, as a share of the peer's counts."""
    return float(np.abs(np.subtract(ours, theirs)).sum() / np.sum(theirs))


def splitters(nltk: Peer, text: Path, corpus: Corpus) -> str:
    """Return how many sentences either side finds."""
    punkt = nltk.ask("sentences", path=str(text)).result
    return f"sentences: ours {len(corpus.sentences) - 1:,}, Punkt trained on the sample {punkt:,}"


def memory(corpus: Corpus, targets: list[str]) -> str:
    """Return what is allocated at the peak on longer corpora, the mapped ids not counted."""
    peaks = []
    for times in TIMES:
        longer = repeated(corpus, times)
        tracemalloc.start()
        counts(longer, targets, LENGTHS)
        peaks.append(f"{tracemalloc.get_traced_memory()[1] / 1e6:.1f}")
        tracemalloc.stop()
    return f"at the peak {', '.join(peaks)} MB on {', '.join(map(str, TIMES))} times the corpus"


def repeated(corpus: Corpus, times: int) -> Corpus:
    """Return a corpus of so many copies."""

    def offsets(values: np.ndarray) -> np.ndarray:
        shifts = np.arange(times)[:, None] * values[-1]
        return np.concatenate([[0], (values[1:] + shifts).ravel()])

    return replace(
        corpus,
        counts=corpus.counts * times,
        tokens=np.tile(corpus.tokens, times),
        documents=offsets(corpus.documents),
        sentences=offsets(corpus.sentences),
    )
