"""Corpora as parquet: rows as documents, rows as lines of WikiText, parts, and damage."""

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from socialbias.corpora import parquet, streams
from socialbias.corpora.documents import ReadReport
from socialbias.corpora.parquet import parquet_text
from socialbias.corpora.wikipedia import wikitext
from socialbias.errors import UserError

LINES = ["", " = Heron = \n", "", " It wades . \n", " = Not a title = \n", " It flies . \n", ""]
LINES += [" = = Food = = \n", "", " Fish \n", "", " = Crane = \n", "", " Also a bird . \n"]


def table(path, row_group_size=None, **columns):
    """A file with these columns."""
    pq.write_table(pa.table(columns), path, row_group_size=row_group_size)
    return path


def all_of(path, **options):
    """The documents and the report."""
    report = ReadReport()
    return list(parquet_text(path, report, **options)), report


def test_rows_as_documents(tmp_path):
    columns = {
        "id": [7, 8, 9, 10],
        "text": ["one", None, "", "two\n"],
        "url": ["a", "b", "c", None],
    }
    path = table(tmp_path / "x.parquet", **columns)
    documents, report = all_of(path, name="id")
    assert [(d.id, d.text, d.metadata) for d in documents] == [
        ("7", "one", {"url": "a"}),
        ("10", "two\n", {"url": None}),
    ]
    assert (report.documents, report.empty) == (2, 2)
    assert [d.id for d in all_of(path)[0]] == ["1", "4"]
    assert [d.text for d in all_of(path, text="url")[0]] == ["a", "b", "c"]


@pytest.mark.parametrize("cut", [0, 1, 4, 9, len(LINES)])
def test_lines_of_wikitext_are_read_as_from_its_file(tmp_path, monkeypatch, cut):
    """Wherever the first part ends: in an article, or beside its heading."""
    monkeypatch.setattr(parquet, "ROWS", 3)
    whole = tmp_path / "wiki.raw"
    whole.write_text("".join(line or " \n" for line in LINES))
    paths = [tmp_path / "0.parquet", tmp_path / "1.parquet"]
    for path, part in zip(paths, (LINES[:cut], LINES[cut:]), strict=True):
        table(path, row_group_size=2, text=pa.array(part, pa.string()))
    documents, report = all_of(paths, rows="wikitext")
    assert documents == list(wikitext(whole))
    assert [d.metadata["title"] for d in documents] == ["Heron", "Crane"]
    assert documents[0].text == "It wades .\n= Not a title =\nIt flies .\nFish"
    assert report.documents == 2


@pytest.mark.parametrize(
    ("options", "match"),
    [
        ({"text": "body"}, "no column 'body'; its columns are text, n"),
        ({"text": "n"}, "column 'n' contains int64, not text"),
        ({"rows": "lines"}, "rows must be one of documents, wikitext"),
        ({"rows": "wikitext"}, "not WikiText"),
        ({}, "row 1: a text of more than"),
    ],
)
def test_what_is_no_table_of_texts(tmp_path, monkeypatch, options, match):
    monkeypatch.setattr(streams, "MAX_LENGTH", 5 if not options else streams.MAX_LENGTH)
    with pytest.raises(UserError, match=match):
        all_of(table(tmp_path / "x.parquet", text=["long text"], n=[1]), **options)


def test_a_file_that_is_not_there_is_named(tmp_path):
    with pytest.raises(UserError, match=r"none\.parquet: cannot be read: No such file"):
        all_of(tmp_path / "none.parquet")
