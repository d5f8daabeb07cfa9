"""Text to integers: every count here is made by hand, or by spaCy itself."""

import gzip
import itertools

import numpy as np
import pytest
import spacy

from socialbias.corpora import npy, shards, tokens
from socialbias.corpora import prepare as module
from socialbias.corpora.documents import Document, ReadReport
from socialbias.corpora.prepare import Splitter, prepare, prepare_parts
from socialbias.corpora.prepared import Corpus
from socialbias.corpora.raw import raw_sentences
from socialbias.corpora.readers import nyt_text
from socialbias.corpora.shards import INDEX, write_shards
from socialbias.errors import UserError
from tests.shortened import later
from tests.worlds.texts import prepared, sharded

FILES = [
    "counts.npy",
    "documents.npy",
    "report.json",
    "sentences.npy",
    "tokens.npy",
    "vocabulary.txt",
]


def words(corpus: Corpus) -> list[list[str]]:
    return [corpus.texts(i) for i in range(corpus.size)]


def sentences(corpus: Corpus) -> list[list[str]]:
    bounds = corpus.sentences.tolist()
    pairs = itertools.pairwise(bounds)
    return [[corpus.words[i] for i in corpus.tokens[a:b]] for a, b in pairs]


def test_by_hand(tmp_path):
    corpus = prepared(tmp_path, "The cat saw the dog. It ran!\nThe end", "A cat.")
    assert words(corpus) == [
        ["the", "cat", "saw", "the", "dog", ".", "it", "ran", "!", "the", "end"],
        ["a", "cat", "."],
    ]
    assert sentences(corpus) == [
        ["the", "cat", "saw", "the", "dog", "."],
        ["it", "ran", "!"],
        ["the", "end"],
        ["a", "cat", "."],
    ]
    # by frequency, and in alphabetical order within one
    assert corpus.words == ("the", ".", "cat", "!", "a", "dog", "end", "it", "ran", "saw")
    assert corpus.counts.tolist() == [3, 2, 2, 1, 1, 1, 1, 1, 1, 1]
    assert corpus.documents.tolist() == [0, 11, 14]
    assert [corpus.bound(n) for n in (1, 2, 3, 4)] == [10, 3, 1, 0]
    assert corpus.tokens.dtype == np.uint32
    assert {corpus.documents.dtype, corpus.sentences.dtype} == {np.dtype(np.int64)}
    assert sorted(p.name for p in tmp_path.iterdir()) == FILES


@pytest.mark.parametrize(
    ("texts", "option", "match"),
    [
        (["x"], {"tokenizer": "nltk"}, "one of"),
        (["x"], {"lower": "yes"}, "one of"),
        ([], {}, "no document"),
    ],
)
def test_what_cannot_be_prepared(tmp_path, texts, option, match):
    with pytest.raises(UserError, match=match):
        prepared(tmp_path, *texts, **option)


def test_counts_in_a_sample(tmp_path, monkeypatch):
    corpus = prepared(tmp_path, "a b b", "b c", "c c c d")
    for at_once in (1, 4, 100):
        monkeypatch.setattr("socialbias.corpora.prepared.BLOCK_TOKENS", at_once)
        counts = corpus.counts_in(np.array([2, 0, 3]))
        found = dict(zip(corpus.words, counts.tolist(), strict=True))
        assert found == {"a": 2, "b": 4, "c": 9, "d": 3}


# --- spaCy's tokens and sentences -------------------------------------------------------------

HARD = """\
Good:) ) she said (he's 10a.m.) and 'Cause :-) :)) 8-) end
I can't, won't; it's the U.S.A. $500m. £1.2m. 294.3m. (brazil): gets): '' ''the cartoons''.
"Well-known," she said. "E-mail me@x.org or www.example.com/a_b?c=d!" f/x. 1980's 80s 10/10
word...word word.<br /> a.m. p.m. St.Francis Mr.Sandler t.A.T.u....coincidence? don't-know
cannot gonna Dr. no. 3km 5% -5 +7 x=y a/b w/o `tis o'clock rock'n'roll (o:) xD <3 </3 ¯\\_(ツ)_/¯
naïve café—bar “quoted” ‘single’ it’s … «guillemets» 你好 𝔘nicode\u200b zero\u00a0width ﬁ
 double  blanks	tab \u2003 em"""


def test_sentences_are_those_of_spacys_sentencizer():
    text = 'Yes. "No!" he said... Why?! (Because.) ... 3.5 is.a ; end . . . Then " ? " what'
    nlp = spacy.blank("en")
    nlp.add_pipe("sentencizer")
    expected = [[t.text for t in sentence] for sentence in nlp(text).sents]
    stream = [token for sentence in expected for token in sentence]
    texts = ["\n", "\n\n", *dict.fromkeys(stream)]
    ids = np.array([texts.index(token) for token in stream], np.uint32)
    bounds = [*np.flatnonzero(Splitter().starts(ids, texts)).tolist(), len(stream)]
    assert [stream[a:b] for a, b in itertools.pairwise(bounds)] == expected


@pytest.mark.parametrize("limits", [(1, 1), (400, 3), (10**6, 10**6)])
def test_blocks_and_forgetting_change_nothing(tmp_path, monkeypatch, limits):
    expected = prepared(tmp_path / "a", HARD, "Another. One\n\nMore.")
    monkeypatch.setattr(npy, "BLOCK", 7)
    monkeypatch.setattr(module, "BLOCK", limits[0])
    monkeypatch.setattr(tokens, "MAX_CACHED", limits[1])
    prepared(tmp_path / "b", HARD, "Another. One\n\nMore.")
    for name in FILES:
        assert (tmp_path / "a" / name).read_bytes() == (tmp_path / "b" / name).read_bytes(), name
    assert expected.size == 2


@pytest.mark.parametrize("cores", later([2, 99, 1, 5], 2))
def test_in_processes_to_the_same_bytes(tmp_path, monkeypatch, cores):
    long = "a" * 2500
    texts = [HARD, f"b {long}.", "Another. One\n\nMore", f"{long} a", "b. b b", HARD]
    documents = [Document(str(i), text) for i, text in enumerate(texts)]
    monkeypatch.setattr(shards, "GROUP", 2000)  # parts begin and end inside groups
    monkeypatch.setattr(shards, "PART", 1)
    write_shards(documents, tmp_path / "documents", ReadReport(), shard=3000)
    assert len(list((tmp_path / "documents").glob("*.parquet"))) > 1
    expected = prepare(documents, tmp_path / "a")
    (tmp_path / "b").mkdir()
    (tmp_path / "b/tokens.7.npy.part").write_bytes(b"left behind")
    parts = shards.read_parts(tmp_path / "documents" / INDEX, cores)
    found = prepare_parts(parts, tmp_path / "b", cores=cores)
    assert found == expected
    assert sorted(p.name for p in (tmp_path / "b").iterdir()) == FILES
    for name in FILES:
        assert (tmp_path / "a" / name).read_bytes() == (tmp_path / "b" / name).read_bytes(), name


def test_a_chunk_that_is_no_word(tmp_path):
    corpus = prepared(tmp_path, "x " + "a" * 2500 + " y")
    assert words(corpus) == [["x", "a" * 1000, "a" * 1000, "a" * 500, "y"]]


def test_a_corpus_that_breaks_off_leaves_no_report(tmp_path):
    (cut := tmp_path / "cut.gz").write_bytes(gzip.compress(b"URL: http://a\nfine\n" * 500)[:-20])
    with pytest.raises(UserError, match="truncated"):
        prepare(nyt_text(cut), tmp_path / "b")
    assert not (tmp_path / "b/report.json").exists()


# --- sentences with their original characters, back from the ids ----------------------------


TEXTS = (
    "  The Nurse can't\u00a0go.  She's ILL\tnow!\n\nMr. Smith",
    "Plain.",
    "\u2003“Naïve” CAFÉ—Bar…  ΟΔΟΣ's end",
)


def pieces(sentence) -> list[str]:
    return [sentence.text[begin:end] for begin, end in sentence.spans]


@pytest.mark.parametrize("lower", ["before", "after", "never"])
def test_original_characters(tmp_path, lower):
    index, corpus = sharded(tmp_path, *TEXTS, lower=lower)
    found = list(raw_sentences(index, corpus, range(len(corpus.sentences) - 1)))
    assert [s.number for s in found] == list(range(len(found)))
    first, second = found[:2]
    assert (first.text, first.document) == ("The Nurse can't\u00a0go.", 0)
    assert first.spans == [(0, 3), (4, 9), (10, 12), (12, 15), (16, 18), (18, 19)]
    assert (second.text, second.spans[-1]) == ("She's ILL\tnow!", (13, 14))
    assert (found[-1].document, found[-1].text) == (2, TEXTS[2].strip())
    for sentence in found:
        ids = corpus.tokens[slice(*corpus.sentences[sentence.number : sentence.number + 2])]
        # a capital sigma is lower-cased by what follows it
        expected = [corpus.words[i].casefold() for i in ids]
        assert [piece.casefold() for piece in pieces(sentence)] == expected


def test_some_sentences_in_any_order(tmp_path):
    index, corpus = sharded(tmp_path, "One. Two.\nThree", "Four", "Five. Six")
    found = list(raw_sentences(index, corpus, iter([5, 1, 1, 2])))
    assert [(s.number, s.document, s.text) for s in found] == [
        (1, 0, "Two."),
        (2, 0, "Three"),
        (5, 2, "Six"),
    ]
    assert list(raw_sentences(index, corpus, [])) == []


@pytest.mark.parametrize("lower", ["before", "after"])
def test_a_letter_that_becomes_two(tmp_path, lower):
    index, corpus = sharded(tmp_path, "In İzmir. The End", "The İ", lower=lower)
    found = list(raw_sentences(index, corpus, [0, 1]))
    assert [s.text for s in found] == ["In İzmir.", "The End"]
    assert pieces(found[0]) == ["In", "İzmir", "."]


def test_another_text(tmp_path):
    index, _ = sharded(tmp_path / "a", "the nurse left", "two words")
    for other in ("two word", "two worms"):
        _, corpus = sharded(tmp_path / other, "the nurse left", other)
        with pytest.raises(UserError, match="document d1: its tokens are not those of its text"):
            list(raw_sentences(index, corpus, [1]))
    _, fewer = sharded(tmp_path / "d", "the nurse left")
    with pytest.raises(UserError, match="2 documents, but 1 were prepared"):
        list(raw_sentences(index, fewer, [0]))
