"""Whatever the corpus: contexts and counts are those of going through every window by hand.

Corpora are lists of documents, documents lists of sentences, sentences lists of a few words, so
that targets, words of one group and of several, and sentences that are dropped come up often.
"""

import tempfile
from collections import Counter
from pathlib import Path

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from socialbias.corpora.contexts import Contexts, contexts_of, match, word_presence
from socialbias.corpora.documents import Document
from socialbias.corpora.prepare import prepare
from socialbias.corpora.prepared import Corpus
from socialbias.measures.text import (
    association_counts,
    counts_with_words,
    exclusive,
    vote,
)

WORDS = ["nurse", "nurses", "pilot", "she", "her", "he", "kim", "x", "y"]
TARGETS = {"nurse": ["nurse", "nurses"], "pilot": ["pilot"], "any": ["nurse", "pilot", "absent"]}
GROUPS = {"female": ["she", "her"], "male": ["he", "kim"], "asian": ["kim", "chen"]}
SENTENCES = st.lists(st.sampled_from(WORDS), min_size=1, max_size=5)
DOCUMENTS = st.lists(SENTENCES, min_size=1, max_size=9)
CORPORA = st.lists(DOCUMENTS, min_size=1, max_size=4)
LIMITS = st.none() | st.integers(0, 12)


def prepared(documents: list[list[list[str]]]) -> Corpus:
    texts = ("\n".join(map(" ".join, document)) for document in documents)
    with tempfile.TemporaryDirectory() as folder:
        prepare((Document("", text) for text in texts), Path(folder), tokenizer="whitespace")
        return Corpus.load(Path(folder))


def by_hand(documents, n, groups=GROUPS, keep_last=True, limit=None) -> Counter:
    """How often each document, target and set of groups comes up; sentences have 2 to 4 words."""
    found, windows = Counter(), 0
    for number, document in enumerate(documents):
        kept = [sentence for sentence in document if 2 <= len(sentence) <= 4]
        for first in range(max(0, len(kept) - n + (1 if keep_last else 0))):
            windows += 1
            if limit is not None and windows > limit:
                return found
            words = {word for sentence in kept[first : first + n] for word in sentence}
            present = frozenset(g for g, listed in groups.items() if words.intersection(listed))
            for target, listed in TARGETS.items():
                if words.intersection(listed):
                    found[number, target, present] += 1
    return found


def found_contexts(documents, n, groups=GROUPS, **options) -> Contexts:
    matches = match(prepared(documents), TARGETS, groups, shortest=2, longest=4)
    return contexts_of(matches, n, **options)


def counted(contexts: Contexts) -> Counter:
    names = list(TARGETS)
    columns = (contexts.documents, contexts.targets, contexts.masks)
    return Counter(
        (d, names[t], frozenset(g for i, g in enumerate(GROUPS) if mask >> i & 1))
        for d, t, mask in zip(*(column.tolist() for column in columns), strict=True)
    )


@given(CORPORA, st.integers(1, 5), st.booleans(), LIMITS)
def test_contexts_are_those_of_every_window(documents, n, keep_last, limit):
    expected = by_hand(documents, n, keep_last=keep_last, limit=limit)
    assert counted(found_contexts(documents, n, keep_last=keep_last, limit=limit)) == expected


@given(CORPORA, st.integers(1, 4), st.lists(st.booleans(), min_size=6, max_size=6))
def test_fewer_words_are_as_shorter_lists(documents, n, kept):
    matches = match(prepared(documents), TARGETS, GROUPS, shortest=2, longest=4)
    contexts = contexts_of(matches, n)
    chosen = np.array([kept])
    presence = word_presence(matches, contexts)
    counts = counts_with_words(presence, contexts.targets, 3, matches.word_groups, chosen)
    flags = iter(kept)
    shorter = {g: [w for w in listed if next(flags)] for g, listed in GROUPS.items()}
    expected = association_counts(found_contexts(documents, n, shorter), 3, 3)
    assert counts[0].tolist() == expected.tolist()


@given(
    st.lists(st.lists(st.integers(0, 7), min_size=5, max_size=5), min_size=1, max_size=5),
    st.integers(1, 5),
    st.permutations(["a", "b", "c"]),
)
def test_vote(table, n, names):
    masks = np.array(table, np.uint64)
    found = vote(masks, n, names)
    for row, label in zip(table, found.tolist(), strict=True):
        votes = Counter()
        for first in range(5 - n + 1):
            union = 0
            for mask in row[first : first + n]:
                union |= mask
            votes[{1: 0, 2: 1, 4: 2}.get(union, -1)] += 1
        del votes[-1]
        best = [g for g in votes if votes[g] == max(votes.values())]
        assert label == min(best, key=lambda g: names[g], default=-1)
    assert vote(masks, 5, names).tolist() == exclusive(np.bitwise_or.reduce(masks, 1), 3).tolist()
