"""Readers of corpora on damaged files: documents with text, or one line that names the file."""

import bz2
import gzip
import io
import json
import zipfile

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from socialbias.corpora.documents import ReadReport
from socialbias.corpora.readers import READERS, read_documents
from tests.property.damage import damaged, few, reads_or_says_why
from tests.reliability import fault

ARTICLE = " \n = Heron = \n \n It wades well . \n \n = = Food = = \n \n Fish . \n"
RECORDS = [{"text": "It wades.", "id": 1, "n": 2.5}, {"text": "Fi\ud800sh, été.", "id": "x"}]


def archive(**members):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as made:
        for name, data in members.items():
            made.writestr(f"{name}.txt", data)
    return file.getvalue()


def parquet(**columns):
    file = io.BytesIO()
    pq.write_table(pa.table(columns), file)
    return file.getvalue()


def json_lines(*records):
    return "".join(json.dumps(record) + "\n" for record in records).encode()


FILES = {
    "wikitext": ARTICLE.encode(),
    "lateral-wikipedia": b'wikipedia-1," Heron  It ""wades"".\nWell."\nwikipedia-2, Ibis  It.\n',
    "nyt-text": b"URL: http://www.nytimes.com/2016/06/30/a.html\n\nIt wades.\nWell.\n\n",
    "goodreads": json_lines({"review_text": "It wades.", "review_id": "1", "book_id": "b"}),
    "gpt2-jsonl": json_lines(*RECORDS),
    "plain-text": "It wades.\n\nÉté.\r\n".encode(),
    "jsonl": json_lines(*RECORDS),
    "json": json.dumps(RECORDS, indent=1).encode(),
    "tsv": b'text\tn\n"It wades,\nwell."\t1\nFish\t2\n',
    "csv": b'text,n\n"It wades,\nwell.",1\nFish,2\n',
    "parquet-text": parquet(text=["It wades.", None], n=[1, 2]),
    "text-archive": archive(a="It wades.", b="Fish."),
    "imdb-parquet": parquet(text=["Good.", "Bad."], label=[1, 0]),
    "imdb-json": json.dumps([{"t": "Good.", "s": 1}, {"t": "Bad.", "s": 0}]).encode(),
}
PACKED = {"gz": gzip.compress, "bz2": bz2.compress, "zip": lambda data: archive(a=data)}


def documents(path, form):
    """All documents; counts agree with them."""
    manifest = {"source": path.name, "format": form, "files": [{"path": path.name}]}
    report = ReadReport()
    found = list(read_documents(path.parent, manifest, report))
    assert report.documents == len(found)
    assert all(document.text.strip() for document in found)
    return found


def test_every_format_has_a_file_here(tmp_path):
    assert FILES.keys() == READERS.keys()
    for form, data in FILES.items():
        assert reads_or_says_why(tmp_path / "corpus", data, lambda p, f=form: documents(p, f)), form


@fault(
    "any bytes, or a file damaged in up to three places, read as a corpus of any format",
    "documents with text, or one line that names the file; never another error",
)
@pytest.mark.parametrize("form", FILES)
@few
@given(data=st.data())
def test_corpora(tmp_path, form, data):
    body = data.draw(damaged(FILES[form]))
    reads_or_says_why(tmp_path / "corpus", body, lambda path: documents(path, form))


@pytest.mark.parametrize("how", PACKED)
@few
@given(data=st.data())
def test_compressed_corpora(tmp_path, how, data):
    body = data.draw(damaged(PACKED[how](FILES["jsonl"])))
    reads_or_says_why(tmp_path / "corpus", body, lambda path: documents(path, "jsonl"))
