"""Whatever the text: ids lead back to spaCy's tokens, and counts are those of a Counter."""

import tempfile
from collections import Counter
from functools import cache
from itertools import chain
from pathlib import Path

import spacy
from hypothesis import given
from hypothesis import strategies as st

from socialbias.corpora.documents import Document
from socialbias.corpora.prepare import prepare
from socialbias.corpora.prepared import Corpus
from socialbias.corpora.tokens import Tokeniser

# Pieces that spaCy's rules are about, glued together at random, with and without blanks.
PIECES = [
    *"abz AZ059 .,;:!?-'\"()[]<>/\\*=&%$£°_@…’“”«»—",
    *(":)", ":(", ";-)", "8-)", "=D", "(^_^)", "<3", "''", "'s", "n't", "can't", "it's", "10a.m."),
    *("a.m.", "Dr.", "dr.", "e.g.", "co.", "word", "well-known", "U.S.", "km", "www.x.com", "m."),
    *(" ", "  ", "\n", "\t", "\u00a0", "\u2003", "é", "ß", "İ", "你", "\u200b", "\ufffd", "'Cause"),
]
TEXTS = st.lists(st.sampled_from(PIECES), max_size=12).map("".join) | st.text(max_size=20)

BLANKS = [chr(i) for i in range(0x10000) if chr(i).isspace()]  # none stands higher


@cache
def blank():
    return spacy.blank("en")


def spacy_tokens(text: str) -> list[list[str]]:
    """Lines of tokens, without blanks."""
    lines = [[t.text for t in blank()(line) if not t.is_space] for line in text.split("\n")]
    return [line for line in lines if line]


def prepared(texts: list[str], **options) -> Corpus:
    with tempfile.TemporaryDirectory() as folder:
        prepare((Document("", text) for text in texts), Path(folder), **options)
        return Corpus.load(Path(folder))


@given(st.lists(TEXTS, min_size=1, max_size=3), st.booleans())
def test_ids_lead_back_to_spacys_tokens(texts, lower):
    corpus = prepared(texts, lower="before" if lower else "never")
    expected = [spacy_tokens(text.lower() if lower else text) for text in texts]
    flat = [[token for line in lines for token in line] for lines in expected]
    assert [corpus.texts(i) for i in range(corpus.size)] == flat
    counts = Counter(token for document in flat for token in document)
    assert dict(zip(corpus.words, corpus.counts.tolist(), strict=True)) == counts
    keys = [(-n, word) for word, n in zip(corpus.words, corpus.counts.tolist(), strict=True)]
    assert keys == sorted(keys)
    assert len(corpus.tokens) == counts.total() == corpus.report["tokens"]


@given(st.lists(st.sampled_from([*BLANKS, *"aéÉİΣ€你😀\0\x7f\x84\ud800\uffff"]), max_size=30))
def test_chunks_are_what_stands_between_blanks(letters):
    text = "".join(letters)
    tokeniser = Tokeniser("whitespace", "never")
    ids = tokeniser.encode([text]).tolist()
    lines = [[*line.split(), "\n"] for line in text.split("\n")]
    assert [tokeniser.words.texts[i] for i in ids] == [*chain(*lines), "\n\n"]
