"""Files that nobody has published a checksum of: looked into before theirs is recorded for ever."""

import gzip

import numpy as np
import pytest

from socialbias.errors import UserError
from socialbias.sources import contents
from socialbias.sources.lock import read_lock
from tests.reliability import fault
from tests.worlds.bytes import parquet, zipped

SAID_INSTEAD = {
    "nothing": b"",
    "JSON": b'{"error":"quota exceeded"}',
    "JSON of a hub": b'{"message": "Not Found", "status": "404"}\n',
    "JSON of a store": b'{"error": {"code": 403, "message": "denied"}}',
    "XML": b'\xef\xbb\xbf<?xml version="1.0"?><Error><Code>AccessDenied</Code></Error>',
    "XML without its heading": b"<Error><Code>NoSuchKey</Code></Error>",
    "HTML": b"\n<!DOCTYPE html><html>Please log in</html>",
}
NAMES = ("a.bin", "a.txt", "a.jsonl", "config.json", "a.csv", "a.zip", "a.json.gz")


ZIPPED = zipped(("a.txt", bytes(range(256)) * 40))
PARQUET = parquet(text=["a text"] * 1000)
LINES = b"".join(b'{"text": "words of text %d"}\n' % i for i in range(500))
REVIEWS = LINES.replace(b'"text"', b'"review_id": "r", "review_text"')
VECTORS = b"2 3\n" + b"".join(word + np.ones(3, "<f4").tobytes() for word in (b"she ", b"he "))
# A right file of each kind, by name, with the format of its source.
WHOLE = {
    "a.txt": ("", b"any text"),
    "a.zip": ("", ZIPPED),
    "a.gz": ("", gzip.compress(LINES)),
    "a.json": ("", b'{"errors": "replace", "model": 1}'),
    "a.jsonl": ("gpt2-jsonl", LINES),
    "reviews.json.gz": ("goodreads", gzip.compress(REVIEWS)),
    "news.txt": ("nyt-text", b"URL: http://www.nytimes.com/2016/06/30/a/b.html\n\nA text.\n"),
    "w.csv.gz": ("lateral-wikipedia", gzip.compress(b'wikipedia-1," Title  Body."\n')),
    "v.txt": ("glove-text", b"she 1 2\nhe 3 4\n"),
    "v.bin": ("word2vec-binary", VECTORS),
}
CUT_SHORT = {name: body[: len(body) * 2 // 3] for name, (_, body) in WHOLE.items()}
NO_END = ("a.txt", "news.txt", "v.txt", "v.bin")
CUT_SHORT = {n: CUT_SHORT[n] for n in CUT_SHORT if n not in NO_END}


@pytest.fixture
def get(demo):
    """Fetch a file of unknown checksum; its entry in the manifest."""

    def get(name, body, format_="", accept=(), **facts):
        url = demo.site.has(f"/{name}", body)
        source = demo.source(url, known=False, name=name, format=format_, **facts)
        return demo.fetch(source, accept_short=accept)["files"][0]

    return get


def recorded(demo):
    return read_lock(demo.places.lock_path)


INSTEAD = {(n, s): (n, SAID_INSTEAD[s], "") for s in SAID_INSTEAD for n in NAMES}
DAMAGED = {(n, "damaged"): (n, CUT_SHORT[n], WHOLE[n][0]) for n in CUT_SHORT}


@pytest.mark.parametrize(
    ("name", "body", "format_"), (INSTEAD | DAMAGED).values(), ids=map(str, INSTEAD | DAMAGED)
)
def test_what_is_not_the_file_is_not_recorded(get, demo, name, body, format_):
    with pytest.raises(UserError, match=f"demo: cannot fetch {name}: ") as caught:
        get(name, body, format_)
    assert "\n" not in str(caught.value)
    assert recorded(demo) == {}
    assert demo.left == []


@fault("an archive without a checksum that unpacks to far more than any file has", "one line")
@pytest.mark.parametrize("name", ["a.zip", "a.gz"])
def test_what_unpacks_to_too_much_is_not_recorded(get, demo, monkeypatch, name):
    monkeypatch.setattr(contents, "MAX_BYTES", 10_000)
    with pytest.raises(UserError, match=r"it unpacks to more than 0 GiB") as caught:
        get(name, WHOLE[name][1])
    assert "\n" not in str(caught.value)
    assert demo.left == []


@pytest.mark.parametrize("name", WHOLE)
def test_a_right_file_is_recorded(get, demo, name):
    format_, body = WHOLE[name]
    get(name, body, format_)
    assert recorded(demo)[f"demo/{name}"]["bytes"] == len(body)


# Each with what is expected of the whole one: documents, words and dimensions, or rows.
COUNTED = {
    "a.jsonl": ("gpt2-jsonl", LINES, {"documents": 500}, LINES[: len(LINES) // 2]),
    "news.txt": ("nyt-text", WHOLE["news.txt"][1] * 3, {"documents": 3}, WHOLE["news.txt"][1] * 2),
    "v.txt": ("glove-text", b"a 1 2\nb 1 2\n", {"words": 2, "dimensions": 2}, b"a 1 2\n"),
    "v.bin": ("word2vec-binary", VECTORS, {"words": 2, "dimensions": 3}, b"1 3" + VECTORS[3:20]),
    "a.csv": ("", b"x,y\n1,2\n3,4\n", {"rows": 2}, b"x,y\n1,2\n"),
    "a.parquet": ("", PARQUET, {"rows": 1000}, None),
}


@pytest.mark.parametrize("name", COUNTED)
def test_what_is_expected_stands_beside_what_was_found(get, name):
    format_, body, expected, _ = COUNTED[name]
    file = get(name, body, format_, expect=expected)
    assert file["expected"] == file["found"] == expected


@pytest.mark.parametrize("name", [name for name in COUNTED if COUNTED[name][3]])
def test_less_than_is_expected_is_an_error_or_was_accepted(get, demo, name):
    format_, _, expected, short = COUNTED[name]
    short = short[: short.rfind(b"\n") + 1] if name == "a.jsonl" else short
    with pytest.raises(UserError, match=r"where [\d,]+ are expected.*accept_short: \[demo\]"):
        get(name, short, format_, expect=expected)
    assert recorded(demo) == {}
    file = get(name, short, format_, accept=("demo",), expect=expected)
    assert file["expected"] == expected
    assert file["found"] != expected
    with pytest.raises(UserError, match=r"where [\d,]+ are expected"):
        get(name, short, format_, expect=expected)  # no longer accepted, though it is there


def lines(n):
    return b"".join(b'{"text": "text %d"}\n' % i for i in range(n))


@pytest.mark.parametrize("n", [1999, 2001, 2002])
def test_a_thousandth_more_or_less_is_logged(get, demo, n):
    file = get("a.jsonl", lines(n), "gpt2-jsonl", expect={"documents": 2000})
    assert file["found"] == {"documents": n}
    enough = f"a.jsonl has {n:,} documents where 2,000 are expected, which is close enough"
    assert f"demo: {enough}" in demo.log
    assert recorded(demo)


def test_of_a_lower_limit_nothing_is_tolerated(get):
    at_least = {"documents": {"at_least": 2000}}
    file = get("more.jsonl", lines(2500), "gpt2-jsonl", expect=at_least)
    assert (file["expected"], file["found"]) == (at_least, {"documents": 2500})
    with pytest.raises(UserError, match="1,999 documents where at least 2,000 are expected"):
        get("less.jsonl", lines(1999), "gpt2-jsonl", expect=at_least)
