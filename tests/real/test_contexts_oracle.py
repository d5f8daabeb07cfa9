"""The text measure on WikiText-2, counted once more by plain loops, and so the vote of Table 4."""

from __future__ import annotations

import os
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from socialbias.corpora.contexts import Matches, contexts_of, match, sentence_rows
from socialbias.corpora.documents import ReadReport
from socialbias.corpora.prepare import prepare
from socialbias.corpora.prepared import Corpus
from socialbias.corpora.recipes import recipe
from socialbias.corpora.selection import corpus_documents
from socialbias.measures.text import association_counts as fast_counts
from socialbias.measures.text import vote
from socialbias.words.of_papers import read_word_lists
from tests.oracles.slow_text import NONE, association_counts, voted_label
from tests.paths import RESOURCES
from tests.shortened import later

MIRROR = os.environ.get("SOCIALBIAS_MIRROR", "")
LISTS = read_word_lists(RESOURCES / "word_lists/trustworthy.yaml")
GROUPS = {"gender": LISTS["gender"]["appendix"], "race": LISTS["race"]}
# Documents of each part of the corpus, as published; the plain loops take half a minute on the
# larger one.
PARTS = {"valid": 60, "train": 600}
TARGETS = 25


@pytest.fixture(scope="module", params=["valid", pytest.param("train", marks=pytest.mark.long)])
def part(request) -> str:
    return request.param


@pytest.fixture(scope="module")
def corpus(part, tmp_path_factory) -> Corpus:
    path = Path(MIRROR) / f"wikitext-2/{part}.txt"
    if not MIRROR or not path.exists():
        pytest.skip(f"SOCIALBIAS_MIRROR has no wikitext-2/{part}.txt")
    manifest = {"source": "wikitext-2", "format": "wikitext", "files": [{"path": path.name}]}
    settings = recipe("wikitext", "wikitext-2")
    settings |= {"corpus": "wikitext", "seed": 1, "file": path.name}
    documents = corpus_documents(path.parent, manifest, settings, ReadReport())
    folder = tmp_path_factory.mktemp("ids")
    prepare(documents, folder)
    return Corpus.load(folder)


@pytest.fixture(scope="module")
def documents(part, corpus) -> list[list[list[str]]]:
    """The corpus as lists of words."""
    words = [corpus.words[i] for i in corpus.tokens]
    bounds, ends = corpus.sentences.tolist(), set(corpus.documents.tolist())
    result, document = [], []
    for start, end in pairwise(bounds):
        document.append(words[start:end])
        if end in ends:
            result.append(document)
            document = []
    assert len(result) == corpus.size == PARTS[part]
    return result


@pytest.fixture(scope="module")
def targets(corpus) -> dict[str, list[str]]:
    """The professions that are named most often, in the singular and the plural."""
    ranks = {word: rank for rank, word in enumerate(corpus.words)}
    known = sorted((ranks[w], w) for w in LISTS["professions"] if w in ranks)
    return {word: [word, f"{word}s"] for _, word in known[:TARGETS]}


@pytest.fixture(scope="module", params=GROUPS)
def matches(request, corpus, targets) -> Matches:
    return match(corpus, targets, GROUPS[request.param])


@pytest.mark.parametrize("n", later([5, 1, 2, 3, 4], 1))
def test_counts_equal_those_of_plain_loops(matches, documents, n):
    expected = association_counts(documents, matches.targets, matches.groups, n)
    found = fast_counts(contexts_of(matches, n), len(matches.targets), len(matches.groups))
    labels = [*matches.groups, NONE]
    as_dicts = [dict(zip(labels, row, strict=True)) for row in found.tolist()]
    assert dict(zip(matches.targets, as_dicts, strict=True)) == expected
    assert found.sum() >= (10_000 if n >= 3 else 3_000) * len(documents) // PARTS["train"]
    assert (found.sum(axis=0) > 0).sum() >= 3  # the smaller part has no word of one race


def test_the_last_window_lost_as_in_the_released_code(matches, documents):
    expected = association_counts(documents, matches.targets, matches.groups, 3, keep_last=False)
    contexts = contexts_of(matches, 3, keep_last=False)
    found = fast_counts(contexts, len(matches.targets), len(matches.groups))
    assert found.tolist() == [list(expected[target].values()) for target in matches.targets]


def test_votes_equal_those_of_plain_loops(part, corpus, matches):
    contexts = contexts_of(matches, 5)
    rows, first = np.unique(contexts.firsts[:10_000], return_index=True)
    assert len(rows) >= 8 * PARTS[part]
    masks = matches.masks[sentence_rows(contexts)[first]]
    bounds = zip(matches.sentences.starts.tolist(), matches.sentences.ends.tolist(), strict=True)
    sentences = [[corpus.words[i] for i in corpus.tokens[start:end]] for start, end in bounds]
    names = np.array([*matches.groups, NONE])
    for n in range(1, 6):
        labels = names[vote(masks, n, list(matches.groups))].tolist()
        windows = (sentences[row : row + 5] for row in rows.tolist())
        assert labels == [voted_label(window, matches.groups, n) for window in windows]
