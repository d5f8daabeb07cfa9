"""Files that nobody has published a checksum of: looked into before theirs is recorded for ever."""

import bz2
import gzip
import io
import zipfile
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from socialbias.errors import UserError
from socialbias.sources.fetch import fetch
from socialbias.sources.lock import read_lock

SAID_INSTEAD = {
    "nothing": b"",
    "JSON": b'{"error":"quota exceeded"}',
    "JSON of a hub": b'{"message": "Not Found", "status": "404"}\n',
    "JSON of a store": b'{"error": {"code": 403, "message": "denied"}}',
    "XML": b'\xef\xbb\xbf<?xml version="1.0"?><Error><Code>AccessDenied</Code></Error>',
    "XML without its heading": b"<Error><Code>NoSuchKey</Code></Error>",
    "HTML": b"\n<!DOCTYPE html><html>Please log in</html>",
}
NAMES = ("a.bin", "a.txt", "a.jsonl", "config.json", "a.csv", "a.zip", "a.json.gz", "a.parquet")


def npy():
    file = io.BytesIO()
    np.save(file, np.arange(1000.0))
    return file.getvalue()


def zipped():
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a.txt", bytes(range(256)) * 40)
    return file.getvalue()


def parquet():
    file = io.BytesIO()
    pq.write_table(pa.table({"text": ["a text"] * 1000}), file)
    return file.getvalue()


LINES = b"".join(b'{"text": "words of text %d"}\n' % i for i in range(500))
REVIEWS = LINES.replace(b'"text"', b'"review_id": "r", "review_text"')
VECTORS = b"2 3\n" + b"".join(word + np.ones(3, "<f4").tobytes() for word in (b"she ", b"he "))
# A right file of each kind, by name, with the format of its source.
WHOLE = {
    "a.txt": ("", b"any text"),
    "a.zip": ("", zipped()),
    "a.gz": ("", gzip.compress(LINES)),
    "a.bz2": ("", bz2.compress(LINES)),
    "a.json": ("", b'{"errors": "replace", "model": 1}'),
    "a.parquet": ("", parquet()),
    "a.npy": ("", npy()),
    "a.gguf": ("gguf", b"GGUF" + bytes(100)),
    "a.jsonl": ("gpt2-jsonl", LINES),
    "reviews.json.gz": ("goodreads", gzip.compress(REVIEWS)),
    "news.txt": ("nyt-text", b"URL: http://www.nytimes.com/2016/06/30/a/b.html\n\nA text.\n"),
    "w.csv.gz": ("lateral-wikipedia", gzip.compress(b'wikipedia-1," Title  Body."\n')),
    "v.txt": ("glove-text", b"she 1 2\nhe 3 4\n"),
    "v.bin": ("word2vec-binary", VECTORS),
}
CUT_SHORT = {name: body[: len(body) * 2 // 3] for name, (_, body) in WHOLE.items()}
NO_END = ("a.txt", "a.parquet", "a.npy", "a.gguf", "news.txt", "v.txt", "v.bin")
CUT_SHORT = {
    **{n: CUT_SHORT[n] for n in CUT_SHORT if n not in NO_END},
    "a.parquet": parquet()[4:],
    "a.npy": npy()[6:],
    "a.gguf": bytes(100),
}


@pytest.fixture
def get(site, source, places, log):
    """Fetch a file of unknown checksum, and say what is in the lock afterwards."""

    def get(name, body, format_="", accept=(), **facts):
        demo = source(site.has(f"/{name}", body), name=name, bytes=None, sha256="unknown", **facts)
        demo = demo.model_copy(update={"format": format_})
        fetched = fetch(demo, replace(places, accept_short=accept), log.append)
        return fetched["files"][0], read_lock(places.lock_path)

    return get


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("said", SAID_INSTEAD)
def test_what_a_server_says_instead_of_sending_a_file_is_not_recorded(
    get, places, left, name, said
):
    with pytest.raises(UserError, match=f"demo: cannot fetch {name}: ") as caught:
        get(name, SAID_INSTEAD[said])
    assert "\n" not in str(caught.value)
    assert read_lock(places.lock_path) == {}
    assert left(places.data / "demo") == []


@pytest.mark.parametrize("name", WHOLE)
def test_a_right_file_is_recorded(get, name):
    format_, body = WHOLE[name]
    _, lock = get(name, body, format_)
    assert lock[f"demo/{name}"]["bytes"] == len(body)


@pytest.mark.parametrize("name", CUT_SHORT)
def test_a_damaged_file_is_not_recorded(get, places, left, name):
    with pytest.raises(UserError, match=f"demo: cannot fetch {name}: ") as caught:
        get(name, CUT_SHORT[name], WHOLE[name][0])
    assert "\n" not in str(caught.value)
    assert read_lock(places.lock_path) == {}
    assert left(places.data / "demo") == []


def test_a_file_put_there_by_hand_is_looked_at_too(get, places):
    (places.data / "demo").mkdir(parents=True)
    (places.data / "demo/a.zip").write_bytes(b"<Error>AccessDenied</Error>")
    assert get("a.zip", zipped())[0]["bytes"] == len(zipped())  # and fetched where it is wrong


# Each with what is expected of the whole one: documents, words and dimensions, or rows.
COUNTED = {
    "a.jsonl": ("gpt2-jsonl", LINES, {"documents": 500}, LINES[: len(LINES) // 2]),
    "news.txt": ("nyt-text", WHOLE["news.txt"][1] * 3, {"documents": 3}, WHOLE["news.txt"][1] * 2),
    "v.txt": ("glove-text", b"a 1 2\nb 1 2\n", {"words": 2, "dimensions": 2}, b"a 1 2\n"),
    "v.bin": ("word2vec-binary", VECTORS, {"words": 2, "dimensions": 3}, b"1 3" + VECTORS[3:20]),
    "a.csv": ("", b"x,y\n1,2\n3,4\n", {"rows": 2}, b"x,y\n1,2\n"),
    "a.parquet": ("", parquet(), {"rows": 1000}, None),
}


@pytest.mark.parametrize("name", COUNTED)
def test_what_is_expected_stands_beside_what_was_found(get, name):
    format_, body, expected, _ = COUNTED[name]
    file, _ = get(name, body, format_, expect=expected)
    assert file["expected"] == file["found"] == expected


@pytest.mark.parametrize("name", [name for name in COUNTED if COUNTED[name][3]])
def test_less_than_is_expected_is_an_error_or_was_accepted(get, places, name):
    format_, _, expected, short = COUNTED[name]
    short = short[: short.rfind(b"\n") + 1] if name == "a.jsonl" else short
    with pytest.raises(UserError, match=r"where [\d,]+ are expected") as caught:
        get(name, short, format_, expect=expected)
    assert "accept_short: [demo]" in str(caught.value)
    assert "\n" not in str(caught.value)
    assert read_lock(places.lock_path) == {}
    file, _ = get(name, short, format_, accept=("demo",), expect=expected)
    assert file["expected"] == expected
    assert file["found"] != expected
    with pytest.raises(UserError, match=r"where [\d,]+ are expected"):
        get(name, short, format_, expect=expected)  # no longer accepted, though it is there


def lines(n):
    return b"".join(b'{"text": "text %d"}\n' % i for i in range(n))


def test_records_are_counted_whatever_their_text(get):
    body = LINES.replace(b'"words of text 7"', b"null").replace(b'{"text": "words of text 9"', b"{")
    file, _ = get("a.jsonl", body, "gpt2-jsonl", expect={"documents": 500})
    assert file["found"] == {"documents": 500}


@pytest.mark.parametrize("n", [1999, 2001, 2002])
def test_a_thousandth_more_or_less_is_logged(get, log, n):
    file, lock = get("a.jsonl", lines(n), "gpt2-jsonl", expect={"documents": 2000})
    assert file["found"] == {"documents": n}
    assert (
        f"demo: a.jsonl has {n:,} documents where 2,000 are expected, which is close enough" in log
    )
    assert lock


def test_of_a_lower_limit_nothing_is_tolerated(get):
    at_least = {"documents": {"at_least": 2000}}
    file, _ = get("more.jsonl", lines(2500), "gpt2-jsonl", expect=at_least)
    assert (file["expected"], file["found"]) == (at_least, {"documents": 2500})
    with pytest.raises(UserError, match="1,999 documents where at least 2,000 are expected"):
        get("less.jsonl", lines(1999), "gpt2-jsonl", expect=at_least)


def test_what_was_refused_is_kept_and_accepted_without_a_download(unknown, site, places, left, log):
    urls = [site.has("/first", lines(80)), site.has("/second", lines(90))]
    demo = unknown(*urls, name="a.jsonl", expect={"documents": 100})
    demo = demo.model_copy(update={"format": "gpt2-jsonl"})
    with pytest.raises(UserError, match=r"80 documents.*90 documents"):
        fetch(demo, places, log.append)
    assert left(places.data / "demo") == ["a.jsonl.refused"]
    with pytest.raises(UserError, match=r"80 documents.*90 documents"):
        fetch(demo, places, log.append)  # it is not read unless it is accepted
    asked = len(site.asked)
    [file] = fetch(demo, replace(places, accept_short=("demo",)), log.append)["files"]
    assert file["found"] == {"documents": 90}
    assert len(site.asked) == asked
    assert left(places.data / "demo") == ["a.jsonl"]


def test_what_was_refused_is_removed_once_another_place_has_the_file(
    unknown, site, places, left, log
):
    urls = [site.has("/first", lines(80)), site.has("/second", lines(100))]
    demo = unknown(*urls, name="a.jsonl", expect={"documents": 100})
    fetch(demo.model_copy(update={"format": "gpt2-jsonl"}), places, log.append)
    assert left(places.data / "demo") == ["a.jsonl"]


def histwords(decades, words):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for year in range(1900, 1900 + 10 * decades, 10):
            matrix = io.BytesIO()
            np.save(matrix, np.ones((words, 4)))
            archive.writestr(f"sgns/{year}-w.npy", matrix.getvalue())
            archive.writestr(f"sgns/{year}-vocab.pkl", b"(lp1\n.")
    return file.getvalue()


def test_decades_and_their_words_are_counted(get):
    expect = {"decades": {"at_least": 3}, "words": {"at_least": 5}, "dimensions": 4}
    file, _ = get("h.zip", histwords(3, 6), "histwords", expect=expect)
    assert file["found"] == {"decades": 3, "words": 6, "dimensions": 4}
    for body, said in (
        (histwords(2, 6), "2 decades where at least 3"),
        (histwords(3, 4), "4 words"),
    ):
        with pytest.raises(UserError, match=said):
            get("other.zip", body, "histwords", expect=expect)
    with pytest.raises(UserError, match="no decade, such as"):
        get("none.zip", zipped(), "histwords", expect=expect)
