"""Files of a user's own, damaged: a valid result, or one line that names the file."""

import gzip
import json

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from socialbias.corpora.documents import ReadReport
from socialbias.corpora.readers import read_documents
from socialbias.embeddings.readers import read_word_vectors
from socialbias.errors import UserError
from tests.reliability import fault
from tests.worlds.bytes import npy, parquet

WORDS = ["she", "he", "naïve", "it"]
MATRIX = np.array([[1, 2, -3], [0.5, 0, 1], [2, 2, 2], [0, 1, 0]], "<f4")
ROWS = list(zip(WORDS, MATRIX, strict=True))
TEXT = "".join(f"{w} {' '.join(map(str, v))}\n" for w, v in ROWS).encode()
VECTORS = {
    "word2vec-binary": b"4 3\n" + b"".join(w.encode() + b" " + v.tobytes() for w, v in ROWS),
    "word2vec-text": b"4 3\n" + TEXT,
    "glove-text": TEXT,
    "npy-text": npy(MATRIX),
}
RECORDS = [{"text": "It wades.", "id": 1, "n": 2.5}, {"text": "Fi\ud800sh, été.", "id": "x"}]
LINES = "".join(json.dumps(record) + "\n" for record in RECORDS).encode()
CORPORA = {
    "plain-text": "It wades.\n\nÉté.\r\n".encode(),
    "jsonl": LINES,
    "jsonl compressed": gzip.compress(LINES),
    "json": json.dumps(RECORDS, indent=1).encode(),
    "csv": b'text,n\n"It wades,\nwell.",1\nFish,2\n',
    "parquet-text": parquet(text=["It wades.", None], n=[1, 2]),
}
JUNK = [b"\xef\xbb\xbf", b"\xff\xfe", b"\x00", b"\xff", b"\n", b"\r\n", b"\n\n", b" ", b"\t", b'"']
JUNK += [b"'", b",", b"{", b"}", b"[", b"]", b"1e999", b"nan", b"-1", b"9" * 400, b"<html>", b"..."]


def damaged(data: bytes) -> st.SearchStrategy[bytes]:
    """A valid file with up to three wounds, or any bytes at all."""
    place = st.integers(0, len(data))
    junk = st.sampled_from([*JUNK, b""]) | st.binary(max_size=8)
    wounds = st.lists(st.tuples(place, st.integers(0, 8), junk), max_size=3)
    cut = place.map(lambda end: data[:end])
    return wounds.map(lambda listed: wounded(data, listed)) | cut | st.binary(max_size=64)


def wounded(data: bytes, wounds: list[tuple[int, int, bytes]]) -> bytes:
    """The data with some bytes after each place replaced by others."""
    for place, gone, junk in wounds:
        data = data[:place] + junk + data[place + gone :]
    return data


def check_vectors(folder, manifest):
    """Check that words differ, and that vectors are finite and of one width."""
    (folder / "words.txt").write_text("\n".join(WORDS))
    if manifest["format"] == "npy-text":
        manifest["files"].append({"path": "words.txt"})
    found = read_word_vectors(folder, manifest, WORDS)
    assert len(set(found.words)) == len(found.words) == len(found.matrix)
    assert found.matrix.ndim == 2
    assert np.isfinite(found.matrix).all()


def check_documents(folder, manifest):
    """Check that documents have texts, and are as many as their report says."""
    report = ReadReport()
    found = list(read_documents(folder, manifest, report))
    assert report.documents == len(found)
    assert all(document.text.strip() for document in found)


KINDS = {form: (data, check_vectors) for form, data in VECTORS.items()}
KINDS |= {form: (data, check_documents) for form, data in CORPORA.items()}


@fault(
    "any bytes, or a file damaged in up to three places, read as vectors or as a corpus",
    "a valid result, or one line that names the file; never another error",
)
@pytest.mark.parametrize("kind", KINDS)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_a_damaged_file_is_read_or_refused_in_one_line(tmp_path, kind, data):
    content, check = KINDS[kind]
    (tmp_path / "mine").write_bytes(data.draw(damaged(content)))
    manifest = {"source": "mine", "format": kind.split()[0], "files": [{"path": "mine"}]}
    try:
        check(tmp_path, manifest)
    except UserError as error:
        said = str(error)
        assert "mine" in said or "words.txt" in said, said
        assert max(map(len, said.splitlines())) < 1000, said
